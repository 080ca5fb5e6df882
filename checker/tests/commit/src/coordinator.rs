//! The coordinator's core: its state, and its table's actions.

use std::collections::BTreeSet;

use turnstile_machine::Rules;
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, step_machine};

use crate::message::{Command, Decision, Message, Notice, Peer, Timer};

turnstile_machine::machine!("spec/coordinator.yaml");

use coordinator::{Action, Event, Guard, RestartsAs, VoteIs};
pub(crate) use coordinator::{Machine, State as At};

/// A coordinator that runs a table, and the number of its participants.
#[derive(Clone, Debug)]
pub(crate) struct Coordinator<R> {
    pub(crate) rules: R,
    pub(crate) participants: usize,
}

/// Its table's state, the participants that have voted yes, and those that are done.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) at: At,
    voted: BTreeSet<Peer>,
    done: BTreeSet<Peer>,
}

/// Its saved state: the state that the row entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Saved(At);

turnstile_step::not_symbolic!(State, Saved);

impl<R: Rules<Machine>> Coordinator<R> {
    fn to_participants(&self, message: Message) -> impl Iterator<Item = (Peer, Message)> + use<R> {
        (1..=self.participants).map(move |to| (to, message))
    }
}

impl<R: Rules<Machine>> Core for Coordinator<R> {
    type State = State;
    type Peer = Peer;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = Saved;

    fn start(&self) -> State {
        State { at: self.rules.initial(), voted: BTreeSet::new(), done: BTreeSet::new() }
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let mut asker = None;
        let event = match input {
            Input::Command(Command::Begin) => Event::Begin,
            Input::Message { from, message: Message::Yes } => {
                state.voted.insert(from);
                Event::Vote { is: VoteIs::Yes }
            }
            Input::Message { message: Message::No, .. } => Event::Vote { is: VoteIs::No },
            Input::Message { from, message: Message::Ask } => {
                asker = Some(from);
                Event::Ask
            }
            Input::Message { from, message: Message::Done } => {
                state.done.insert(from);
                Event::Done
            }
            Input::Fired(Timer) => Event::VoteTimerTriggers,
            Input::Restart(saved) => Event::Restarts {
                as_: match saved.map(|Saved(at)| at) {
                    Some(At::Committed) => RestartsAs::Committed,
                    Some(At::Aborted) => RestartsAs::Aborted,
                    Some(At::Idle | At::Collecting | At::Forgotten) | None => RestartsAs::Nothing,
                },
            },
            Input::Message { message: Message::Prepare | Message::Decided(_), .. }
            | Input::Command(Command::Refuse) => return,
        };
        let have_voted = state.voted.len() == self.participants;
        let are_done = state.done.len() == self.participants;
        let guards = |guard| match guard {
            Guard::AllHaveVotedYes => have_voted,
            Guard::AllAreDone => are_done,
        };
        let Some(step) = step_machine(&self.rules, state.at, event, &guards).report(&mut out.rows)
        else {
            return;
        };
        state.at = step.to;
        let decided = Message::Decided(match step.to {
            At::Committed => Decision::Commit,
            At::Aborted | At::Idle | At::Collecting | At::Forgotten => Decision::Abort,
        });
        let send = |(to, message)| Effect::Send { to, message };
        for entry in step.actions {
            match entry.action {
                Action::AskToPrepare => {
                    out.effects.extend(self.to_participants(Message::Prepare).map(send));
                }
                Action::TellParticipants => {
                    out.effects.extend(self.to_participants(decided).map(send))
                }
                Action::TellTheSender => out.effects.extend(asker.map(|to| send((to, decided)))),
                Action::WriteItDown => out.effects.push(Effect::Save(Saved(step.to))),
                Action::StartVoteTimer => out.effects.push(Effect::Arm(Timer)),
                Action::DeleteVoteTimer => out.effects.push(Effect::Disarm(Timer)),
            }
        }
    }
}

//! A participant's core: its state, and its table's actions.

use turnstile_machine::Rules;
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, step_machine};

use crate::message::{COORDINATOR, Command, Decision, Message, Notice, Peer, Timer};

turnstile_machine::machine!("spec/participant.yaml");

use participant::{Action, DecisionIs, Event, Guard, RestartsAs};
pub(crate) use participant::{Machine, State as At};

/// A participant that runs a table.
#[derive(Clone, Debug)]
pub(crate) struct Participant<R> {
    pub(crate) rules: R,
}

/// Its table's state, and whether it can commit.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State {
    pub(crate) at: At,
    pub(crate) can_commit: bool,
}

/// Its saved state: the state that the row entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Saved(At);

turnstile_step::not_symbolic!(State, Saved);

impl<R: Rules<Machine>> Core for Participant<R> {
    type State = State;
    type Peer = Peer;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = Saved;

    fn start(&self) -> State {
        State { at: self.rules.initial(), can_commit: true }
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let event = match input {
            Input::Message { message: Message::Prepare, .. } => Event::Prepare,
            Input::Message { message: Message::Decided(decision), .. } => Event::Decision {
                is: match decision {
                    Decision::Commit => DecisionIs::Commit,
                    Decision::Abort => DecisionIs::Abort,
                },
            },
            Input::Fired(Timer) => Event::AskTimerTriggers,
            Input::Command(Command::Refuse) => {
                state.can_commit = false;
                return;
            }
            Input::Restart(saved) => {
                let wrote = match saved.map(|Saved(at)| at) {
                    Some(At::Prepared) => RestartsAs::Prepared,
                    Some(At::Committed) => RestartsAs::Committed,
                    Some(At::Aborted) => RestartsAs::Aborted,
                    Some(At::Working) | None => return,
                };
                Event::Restarts { as_: wrote }
            }
            Input::Message {
                message: Message::Yes | Message::No | Message::Ask | Message::Done,
                ..
            }
            | Input::Command(Command::Begin) => return,
        };
        let can_commit = state.can_commit;
        let guards = |guard| match guard {
            Guard::ItCanCommit => can_commit,
        };
        let Some(step) = step_machine(&self.rules, state.at, event, &guards).report(&mut out.rows)
        else {
            return;
        };
        state.at = step.to;
        let send = |message| Effect::Send { to: COORDINATOR, message };
        out.effects.extend(step.actions.into_iter().map(|entry| match entry.action {
            Action::VoteYes => send(Message::Yes),
            Action::VoteNo => send(Message::No),
            Action::AskForTheDecision => send(Message::Ask),
            Action::SayThatItIsDone => send(Message::Done),
            Action::WriteItDown => Effect::Save(Saved(step.to)),
            Action::StartAskTimer => Effect::Arm(Timer),
            Action::DeleteAskTimer => Effect::Disarm(Timer),
        }));
    }
}

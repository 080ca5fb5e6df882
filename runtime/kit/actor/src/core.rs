//! The core of an actor: the plain core, with an answer to each command and snapshots as saved
//! state.

use std::fmt;

use turnstile_machine::{Event as _, Machine, Name, PlainMachine};
use turnstile_plain::{Command, Compiled, Message, Notice, Peer, Plain, PlainRules, State, Timer};
use turnstile_step::{
    Core, Effect, IdClass, Input, InputOf, OutOf, RowOutcome, Symbolic, not_symbolic,
};

use crate::snapshot::Snapshot;

/// What became of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Answer {
    /// A row was taken.
    Taken {
        /// The row's id.
        row: &'static str,
    },
    /// The table ignores the event in this state, or the state is final.
    Ignored,
    /// The event has no row in this state, or uses up a resource that is not there. The state is as
    /// before.
    Refused,
}

/// An event from the user, and the number by which it is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Given<M: Machine> {
    /// The event.
    pub event: M::Event,
    /// The number.
    pub number: u64,
}

/// What the actor's task does after a step, in order, once the step is durable.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActorNotice<M: Machine> {
    /// The handler performs an action.
    Perform(M::Action, M::Event),
    /// The state is another one: its parts are those of [`State`].
    At(M::State, Vec<u8>, Vec<u16>),
    /// The event of this number is answered.
    Answer(u64, Answer),
}

not_symbolic!(Snapshot);

impl<M: Machine> Symbolic for Given<M> {
    fn visit_ids(&mut self, _each: &mut dyn FnMut(IdClass, &mut u64)) {}
}

impl<M: Machine> Symbolic for ActorNotice<M> {
    fn visit_ids(&mut self, _each: &mut dyn FnMut(IdClass, &mut u64)) {}
}

/// The plain core of a machine.
pub struct ActorCore<M: PlainMachine> {
    pub(crate) plain: Plain<M, Compiled<M>>,
    /// The state in which a node that has saved nothing begins.
    pub(crate) first: State<M>,
}

impl<M: PlainMachine> fmt::Debug for ActorCore<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActorCore").field("machine", &M::TABLE.machine).finish_non_exhaustive()
    }
}

impl<M: PlainMachine> Core for ActorCore<M> {
    type State = State<M>;
    type Peer = Peer;
    type Message = Message;
    type Timer = Timer<M>;
    type Command = Given<M>;
    type Notice = ActorNotice<M>;
    type Saved = Snapshot;

    fn start(&self) -> State<M> {
        self.first.clone()
    }

    fn step(&self, state: &mut State<M>, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let (before, first) = (state.clone(), out.rows.len());
        let mut number = None;
        let input = match input {
            Input::Command(given) => {
                number = Some(given.number);
                self.command(state, given.event).map(Input::Command).ok_or(given.event)
            }
            Input::Restart(saved) => {
                // A host has accepted it before the start.
                let saved = saved.and_then(|saved| saved.restore::<M>(&[]).ok());
                Ok(Input::Restart(Some(saved.unwrap_or_else(|| self.first.clone()))))
            }
            Input::Message { from, message } => Ok(Input::Message { from, message }),
            Input::Fired(timer) => Ok(Input::Fired(timer)),
        };
        match input {
            Ok(input) => self.inner(state, input, out),
            Err(event) => out.rows.push(RowOutcome::Unexpected {
                machine: M::TABLE.machine,
                state: state.at.name(),
                event: event.kind().name(),
                number: event.number(),
            }),
        }
        if *state != before {
            let State { at, held, variables } = state.clone();
            out.effects.push(Effect::Notify(ActorNotice::At(at, held, variables)));
        }
        if let Some(number) = number {
            let answer = out.rows.get(first).map_or(Answer::Refused, answer);
            out.effects.push(Effect::Notify(ActorNotice::Answer(number, answer)));
        }
    }
}

impl<M: PlainMachine> ActorCore<M> {
    /// An event of the user as a command; `None` if it uses up a resource that is not there. Only
    /// the host lets a timer fire.
    fn command(&self, state: &State<M>, event: M::Event) -> Option<Command<M>> {
        if M::PLAIN.completion == Some(event.kind()) {
            return None;
        }
        if M::PLAIN.events[event.kind().index()].consumes.is_empty() {
            return Some(Command { event, answers: None });
        }
        let mut requests = self.plain.rules.wiring().answers(event).iter().copied();
        let request = requests.find(|one| state.held[one.index()] > 0)?;
        Some(Command { event, answers: Some(request) })
    }

    fn inner(
        &self,
        state: &mut State<M>,
        input: InputOf<Plain<M, Compiled<M>>>,
        out: &mut OutOf<Self>,
    ) {
        // The plain core takes the first.
        let event = self.plain.events(&input).first().copied();
        let plain = out.of_part(|plain| self.plain.step(state, input, plain));
        out.effects.extend(plain.into_iter().filter_map(|effect| {
            Some(match effect {
                Effect::Send { to, message } => Effect::Send { to, message },
                Effect::Arm(timer) => Effect::Arm(timer),
                Effect::Disarm(timer) => Effect::Disarm(timer),
                Effect::Save(saved) => Effect::Save(Snapshot::of(&saved)),
                Effect::Notify(Notice(action)) => {
                    Effect::Notify(ActorNotice::Perform(action, event?))
                }
            })
        }));
    }
}

fn answer(outcome: &RowOutcome) -> Answer {
    match outcome {
        RowOutcome::Row { row, .. } => Answer::Taken { row },
        RowOutcome::Ignored { .. } => Answer::Ignored,
        RowOutcome::Unexpected { .. } | RowOutcome::ActionFailed { .. } => Answer::Refused,
    }
}

//! The client of one claim: the document's claim machine, with its requests and timers.
//!
//! Never asks which state the machine is in: the table's rows decide, and what they create and
//! delete is carried out by the kind of resource. So the table as written, as amended and as
//! mutated all run through this one core.

mod calls;
mod carry;
mod state;

use turnstile_machine::Rules;
use turnstile_machines::claim::{Event, EventKind, Guard, Machine, Resource};
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, take};

use super::message::{Lease, Message, ResourceName, Response, Server};
use crate::number::IdempotencyKey;

pub use calls::{CALLS_MAX, Call, Calls};
pub use state::{Command, Notice, State, Timer};

use carry::triggers;

const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

/// The client core of one claim.
///
/// One [`Command::Claim`] begins it, and another one answers each [`Notice::KeyNeeded`]; once the
/// machine is in a final state the core has ended, and another claim of the resource is another
/// state. Durations are the driver's, by the name of the
/// timer: the timeout, the renew period, the pause before the next activation, and before a retry
/// of each kind of request. An attempt's number, for backoff, is how often its timer was armed
/// since another kind of timer was. The lease timer is counted from when the request was *sent*
/// whose answer arms it.
#[derive(Clone, Debug)]
pub struct Client<R: Rules<Machine> = Machine> {
    /// The table.
    pub rules: R,
    /// What it claims.
    pub resource: ResourceName,
    /// Whether it asks the server to answer only when the lock is granted.
    pub waits: bool,
}

impl Client {
    /// A client that polls, as the document has it, by the table that is baked in.
    #[must_use]
    pub const fn new(resource: ResourceName) -> Self {
        Self { rules: Machine, resource, waits: false }
    }
}

/// The status that says that there is no such claim.
const NOT_FOUND: u16 = 404;

/// What comes with an event, beside what the table knows of it.
#[derive(Clone, Copy, Debug, Default)]
struct Cause {
    /// The answer.
    heard: Option<Response>,
    /// A fresh key that a claim may use.
    key: Option<IdempotencyKey>,
}

impl<R: Rules<Machine>> Core for Client<R> {
    type State = State;
    type Peer = Server;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        State::at(self.rules.initial())
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        match input {
            Input::Message { from: _, message: Message::Response(response) } => {
                self.hear(state, response, out);
            }
            Input::Message { from: _, message: Message::Over { claim } } => {
                // Whose claim has ended watches nothing any more.
                if state.claim == Some(claim) && !self.rules.is_final(state.at) {
                    self.take(state, Event::ClaimIsOver, Cause::default(), out);
                }
            }
            // A client is asked nothing.
            Input::Message { from: _, message: Message::Request(_) | Message::Act { .. } } => {}
            Input::Fired(timer) => {
                if let Some(event) = triggers(timer.0) {
                    self.take(state, event, Cause::default(), out);
                }
            }
            Input::Command(command) => self.obey(state, command, out),
            Input::Restart(_) => *state = self.start(),
        }
    }
}

impl<R: Rules<Machine>> Client<R> {
    fn obey(&self, state: &mut State, command: Command, out: &mut OutOf<Self>) {
        match command {
            Command::Claim { key } => {
                self.take(state, Event::Start, Cause { key: Some(key), heard: None }, out);
            }
            Command::Release => {
                state.is_held = false;
                self.take(state, Event::ClientRequestsRelease, Cause::default(), out);
            }
            Command::Signal => {
                state.is_held = false;
                self.take(state, Event::SignalReceived, Cause::default(), out);
            }
            Command::Act if state.is_held => {
                let message = Message::Act { token: state.token };
                out.effects.push(Effect::Send { to: Server::Store, message });
            }
            Command::Act => {}
        }
    }

    /// An answer reaches the table whatever state it is in by now, unless its call was abandoned. A
    /// claim that has ended learns nothing from it.
    fn hear(&self, state: &mut State, response: Response, out: &mut OutOf<Self>) {
        let Some(call) = state.calls.close(response.call) else { return };
        if call.is_abandoned {
            return;
        }
        if !self.rules.is_final(state.at) {
            Self::learn(state, call, response);
        }
        let event = EventKind::Response.event(response.status);
        self.take(state, event, Cause { heard: Some(response), key: None }, out);
    }

    fn learn(state: &mut State, call: Call, response: Response) {
        if call.request == Resource::RegisterPostRequest {
            state.may_be_registered |= response.leaves_open();
        }
        if response.claim.is_some() {
            (state.claim, state.key, state.may_be_registered) = (response.claim, None, false);
        }
        state.token = response.token.or(state.token);
    }

    fn take(&self, state: &mut State, event: Event, cause: Cause, out: &mut OutOf<Self>) {
        let may_be_registered = state.may_be_registered;
        let guards = |guard: Guard| match guard {
            Guard::LeaseIsLive => cause.heard.is_some_and(|response| response.lease == Lease::Live),
            Guard::MayBeRegistered => may_be_registered,
            Guard::HasExpired => cause
                .heard
                .is_some_and(|response| response.is_expired || response.status == NOT_FOUND),
        };
        let (taken, step) = take(&self.rules, state.at, event, &guards);
        out.rows.push(taken);
        let Some(step) = step else { return };
        state.at = step.to;
        for entry in step.actions {
            self.carry(state, entry, cause, out);
        }
    }
}

//! The client of one claim: the document's claim machine, with its requests and timers.
//!
//! No code here branches on the machine's state: rows decide, and their actions are carried out by
//! the kind of resource. So the table as written, the amended table and every mutant run through
//! this core.

mod actions;
mod machine;
mod outstanding;
mod state;

use turnstile_claim_machines::claim::{Event, EventKind, Guard, Machine, Resource};
use turnstile_machine::Rules;
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, step_machine};

use super::message::{Lease, Message, Response, Server};

pub use machine::Client;
pub use outstanding::{CALLS_MAX, OutstandingRequest, OutstandingRequests};
pub use state::{Command, Notice, State, Timer};

use actions::{apply_action, timer_event};
use machine::EventContext;

/// The status of a response about an unknown claim.
const NOT_FOUND: u16 = 404;

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
                self.on_message(state, response, out);
            }
            Input::Message { from: _, message: Message::Over { claim } } => {
                // A claim that has ended is no longer watched.
                if state.claim == Some(claim) && !self.rules.is_final(state.at) {
                    self.step_machine(state, Event::ClaimIsOver, EventContext::default(), out);
                }
            }
            // No node sends requests to a client.
            Input::Message { from: _, message: Message::Request(_) | Message::Act { .. } } => {}
            Input::Fired(timer) => {
                if let Some(event) = timer_event(timer.0) {
                    self.step_machine(state, event, EventContext::default(), out);
                }
            }
            Input::Command(command) => self.on_command(state, command, out),
            Input::Restart(_) => *state = self.start(),
        }
    }
}

impl<R: Rules<Machine>> Client<R> {
    fn on_command(&self, state: &mut State, command: Command, out: &mut OutOf<Self>) {
        match command {
            Command::Claim { key } => {
                self.step_machine(
                    state,
                    Event::Start,
                    EventContext { key: Some(key), response: None },
                    out,
                );
            }
            Command::Release => {
                state.is_held = false;
                self.step_machine(
                    state,
                    Event::ClientRequestsRelease,
                    EventContext::default(),
                    out,
                );
            }
            Command::Signal => {
                state.is_held = false;
                self.step_machine(state, Event::SignalReceived, EventContext::default(), out);
            }
            Command::Act if state.is_held => {
                let message = Message::Act { token: state.token };
                out.effects.push(Effect::Send { to: Server::Store, message });
            }
            Command::Act => {}
        }
    }

    /// A response is an event of the table in every state, unless its request was abandoned. A
    /// claim that has ended does not change by it.
    fn on_message(&self, state: &mut State, response: Response, out: &mut OutOf<Self>) {
        let Some(call) = state.calls.close(response.call) else { return };
        if call.is_abandoned {
            return;
        }
        if !self.rules.is_final(state.at) {
            Self::learn(state, call, response);
        }
        let event = EventKind::Response.event(response.status);
        self.step_machine(state, event, EventContext { response: Some(response), key: None }, out);
    }

    fn learn(state: &mut State, call: OutstandingRequest, response: Response) {
        if call.request == Resource::RegisterPostRequest {
            state.may_be_registered |= response.leaves_open();
        }
        if response.claim.is_some() {
            (state.claim, state.key, state.may_be_registered) = (response.claim, None, false);
        }
        state.token = response.token.or(state.token);
    }

    fn step_machine(
        &self,
        state: &mut State,
        event: Event,
        ctx: EventContext,
        out: &mut OutOf<Self>,
    ) {
        let may_be_registered = state.may_be_registered;
        let guards = |guard: Guard| match guard {
            Guard::LeaseIsLive => {
                ctx.response.is_some_and(|response| response.lease != Lease::Lapsed)
            }
            Guard::LeaseLeavesTime => {
                ctx.response.is_some_and(|response| response.lease == Lease::Live)
            }
            Guard::MayBeRegistered => may_be_registered,
            Guard::HasExpired => ctx
                .response
                .is_some_and(|response| response.is_expired || response.status == NOT_FOUND),
        };
        let Some(step) = step_machine(&self.rules, state.at, event, &guards).report(&mut out.rows)
        else {
            return;
        };
        state.at = step.to;
        for entry in step.actions {
            apply_action(self, state, entry, ctx, out);
        }
    }
}

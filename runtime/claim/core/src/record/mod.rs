//! The claim server: all its claims, each an instance of the machine `claim-record`, queued by
//! resource.
//!
//! It decides the status of every response, which claim is promoted and which expires, and mints
//! ids and tokens. The host keeps bodies, paths, dates, histories and user data. No code here
//! branches on a machine's state: rows decide; [`context`] evaluates their guards and the queues.

mod actions;
mod consistency;
mod context;
mod records;
mod saved;
mod state;

use turnstile_claim_machines::claim_record::{Event, Machine, PatchStatusStatus};
use turnstile_machine::Rules;
use turnstile_step::{Core, Input, InputOf, OutOf};

use self::context::{CurrentRequest, StepContext};
use super::message::{Caller, Message, Request, RequestKind, Response, TargetStatus};

pub use records::{Command, Limits, Notice, Records, Timer, timer};
pub use saved::{Saved, SavedClaim};
pub use state::{OpenRequest, Record, State, Status};

impl<R: Rules<Machine>> Core for Records<R> {
    type State = State;
    type Peer = Caller;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = Saved;

    fn start(&self) -> State {
        State::default()
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let mut context = StepContext::new(&self.rules, state, out);
        match input {
            Input::Message { from, message: Message::Request(request) } => {
                self.answer(&mut context, from, request);
            }
            // No node sends these to a claim server.
            Input::Message {
                from: _,
                message: Message::Response(_) | Message::Act { .. } | Message::Over { .. },
            } => {}
            Input::Fired(Timer::Ttl(claim)) => {
                context.step_machine(claim, Event::TtlTimerTriggers, None)
            }
            Input::Fired(Timer::Wait(claim)) => {
                context.step_machine(claim, Event::WaitTimerTriggers, None)
            }
            Input::Fired(Timer::Idle(claim)) => {
                context.step_machine(claim, Event::IdleTimerTriggers, None)
            }
            Input::Fired(Timer::Lapse(claim)) => {
                context.step_machine(claim, Event::LapseTimerTriggers, None)
            }
            Input::Command(Command::HungUp { claim, from, call }) => {
                context.hang_up(claim, from, call);
            }
            Input::Restart(saved) => context.restart(saved),
        }
        context.forget_beyond(self.limits.finished_max);
        context.finish();
    }

    fn merge_saved(saved: &mut Option<Saved>, new: Saved) {
        saved.get_or_insert_default().absorb(new);
    }
}

impl<R: Rules<Machine>> Records<R> {
    /// Restarts from the state itself: the same as [`Input::Restart`] from what was saved of it,
    /// without building the state again.
    pub fn restart_in_place(&self, state: &mut State, out: &mut OutOf<Self>) {
        let mut context = StepContext::new(&self.rules, state, out);
        context.restart_in_place();
        context.forget_beyond(self.limits.finished_max);
        context.finish();
    }

    fn answer(&self, context: &mut StepContext<'_, R>, from: Caller, request: Request) {
        let Request { call, kind } = request;
        let is_post = matches!(kind, RequestKind::Post { .. });
        let (claim, event, waits) = match kind {
            RequestKind::Post { resource, key, wait } => {
                let known = key.and_then(|key| context.known(key));
                if known.is_none() && context.is_full(resource, self.limits.waiters_max) {
                    context.contend(resource);
                    return context.send(from, Response::bare(call, TOO_MANY_REQUESTS));
                }
                (known.unwrap_or_else(|| context.add(resource, key)), Event::Post, wait)
            }
            RequestKind::Ttl { claim } => (claim, Event::PatchTtl, false),
            RequestKind::Status { claim, to } => {
                let (status, waits) = target(to);
                (claim, Event::PatchStatus { status }, waits)
            }
        };
        if context.has(claim) {
            let request = OpenRequest { from, call, is_post };
            context.step_machine(claim, event, Some(CurrentRequest { request, waits }));
        } else {
            context.send(from, Response::bare(call, NOT_FOUND));
        }
    }
}

const NOT_FOUND: u16 = 404;
const TOO_MANY_REQUESTS: u16 = 429;

const fn target(status: TargetStatus) -> (PatchStatusStatus, bool) {
    match status {
        TargetStatus::Active { wait } => (PatchStatusStatus::Active, wait),
        TargetStatus::Released => (PatchStatusStatus::Released, false),
        TargetStatus::Aborted => (PatchStatusStatus::Aborted, false),
        TargetStatus::Withdrawn => (PatchStatusStatus::Withdrawn, false),
        TargetStatus::Revoked => (PatchStatusStatus::Revoked, false),
    }
}

//! What the claim machine's actions do, by the kind of the resource; and what its timers cause.
//!
//! A timer that is created is armed, a request that is created is sent. Knows no states.

use turnstile_machine::Rules;
use turnstile_machines::claim::{Action, ActionCall, Event, Machine, Op, Resource, ResourceKind};
use turnstile_step::{Effect, OutOf, RowOutcome};

use super::{Cause, Client, MACHINE, Notice, State, Timer};
use crate::claim::message::{Ask, Asked, Message, Request, Server};

/// The event that a timer causes; none for what is no timer.
pub(super) const fn triggers(timer: Resource) -> Option<Event> {
    match timer {
        Resource::TimeoutTimer => Some(Event::TimeoutTimerTriggers),
        Resource::ActivateTimer => Some(Event::ActivateTimerTriggers),
        Resource::RenewTimer => Some(Event::RenewTimerTriggers),
        Resource::LeaseTimer => Some(Event::LeaseTimerTriggers),
        Resource::RetryAbortTimer
        | Resource::RetryActivateTimer
        | Resource::RetryRegisterTimer
        | Resource::RetryReleaseTimer
        | Resource::RetryRenewTimer
        | Resource::RetryWithdrawTimer => Some(Event::RetryTimerTriggers),
        Resource::AbortPatchRequest
        | Resource::ActivatePatchRequest
        | Resource::RegisterPostRequest
        | Resource::ReleasePatchRequest
        | Resource::RenewPatchRequest
        | Resource::WithdrawPatchRequest => None,
    }
}

impl<R: Rules<Machine>> Client<R> {
    pub(super) fn carry(
        &self,
        state: &mut State,
        entry: ActionCall<'_>,
        cause: Cause,
        out: &mut OutOf<Self>,
    ) {
        for op in entry.ops {
            self.apply(state, *op, out);
        }
        match entry.action {
            Action::NotifyClientLockIsAcquired => {
                state.is_held = true;
                out.effects.push(Effect::Notify(Notice::Acquired { token: state.token }));
            }
            Action::NotifyClientLockIsReleased => self.end(state, Notice::Released, out),
            Action::NotifyClientOfTimeout => self.end(state, Notice::TimedOut, out),
            Action::TerminateClient => {
                let status = cause.heard.map(|response| response.status);
                self.end(state, Notice::Failed { status }, out);
            }
            Action::NotifyClientLockIsLost => self.end(state, Notice::Lost, out),
            Action::DrawIdempotencyKey => {
                (state.key, state.claim, state.token) = (cause.key, None, None);
                state.may_be_registered = false;
            }
            Action::AskForAFreshKey => out.effects.push(Effect::Notify(Notice::KeyNeeded)),
            // All that these do is what they do to their resource.
            Action::SendPost
            | Action::SendPatchStatusActive
            | Action::SendPatchStatusAborted
            | Action::SendPatchStatusReleased
            | Action::SendPatchStatusWithdrawn
            | Action::SendPatchTtl
            | Action::CreateTimeoutTimer
            | Action::CreateActivateTimer
            | Action::CreateRenewTimer
            | Action::CreateRetryTimer
            | Action::DeleteTimeoutTimer
            | Action::DeleteActivateTimer
            | Action::DeleteRenewTimer
            | Action::DeleteRetryTimer
            | Action::AbandonRequest
            | Action::StartLeaseTimer
            | Action::RestartLeaseTimer
            | Action::DeleteLeaseTimer
            | Action::RestartTimeoutTimer => {}
        }
    }

    /// Carries out what an action does to a resource, by the kind of the resource.
    fn apply(&self, state: &mut State, op: Op, out: &mut OutOf<Self>) {
        let resource = op.resource();
        match (resource.kind(), op) {
            (ResourceKind::Timer, Op::Create(_) | Op::Restart(_)) => {
                out.effects.push(Effect::Arm(Timer(resource)));
            }
            (ResourceKind::Timer, Op::Delete(_) | Op::Abandon(_)) => {
                out.effects.push(Effect::Disarm(Timer(resource)));
            }
            (ResourceKind::Request, Op::Create(_)) => self.send(state, resource, out),
            (ResourceKind::Request, Op::Restart(_)) => {
                state.calls.abandon(resource);
                self.send(state, resource, out);
            }
            (ResourceKind::Request, Op::Delete(_) | Op::Abandon(_)) => {
                state.calls.abandon(resource);
            }
            (ResourceKind::Note, _) => {}
        }
    }

    fn send(&self, state: &mut State, request: Resource, out: &mut OutOf<Self>) {
        let because = match self.ask(state, request) {
            None => "the server's id of the claim is not known",
            Some(ask) => match state.calls.open(request) {
                None => "too many requests are outstanding",
                Some(call) => {
                    let message = Message::Request(Request { call, ask });
                    out.effects.push(Effect::Send { to: Server::Claims, message });
                    return;
                }
            },
        };
        out.rows.push(RowOutcome::ActionFailed {
            machine: MACHINE,
            action: request.name(),
            because,
        });
    }

    /// What a request asks for; `None` where it needs an id that no answer has brought.
    fn ask(&self, state: &State, request: Resource) -> Option<Ask> {
        let status = |to| state.claim.map(|claim| Ask::Status { claim, to });
        match request {
            Resource::RegisterPostRequest => {
                Some(Ask::Post { resource: self.resource, key: state.key, wait: self.waits })
            }
            Resource::ActivatePatchRequest => status(Asked::Active { wait: self.waits }),
            Resource::AbortPatchRequest => status(Asked::Aborted),
            Resource::ReleasePatchRequest => status(Asked::Released),
            Resource::WithdrawPatchRequest => status(Asked::Withdrawn),
            Resource::RenewPatchRequest => state.claim.map(|claim| Ask::Ttl { claim }),
            Resource::TimeoutTimer
            | Resource::ActivateTimer
            | Resource::RenewTimer
            | Resource::LeaseTimer
            | Resource::RetryAbortTimer
            | Resource::RetryActivateTimer
            | Resource::RetryRegisterTimer
            | Resource::RetryReleaseTimer
            | Resource::RetryRenewTimer
            | Resource::RetryWithdrawTimer => None,
        }
    }

    /// Tells the user that it does not hold the lock, or no longer.
    fn end(&self, state: &mut State, notice: Notice, out: &mut OutOf<Self>) {
        state.is_held = false;
        out.effects.push(Effect::Notify(notice));
    }
}

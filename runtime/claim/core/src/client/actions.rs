//! The actions of the claim machine, carried out by the kind of their resource: a created timer is
//! armed, a created request is sent. No code here branches on a machine's state.

use turnstile_claim_machines::claim::{
    Action, ActionCall, Event, Machine, Op, Resource, ResourceKind,
};
use turnstile_machine::Rules;
use turnstile_step::{Effect, OutOf, RowOutcome};

use super::machine::{Client, EventContext, MACHINE};
use super::state::{Notice, State, Timer};
use crate::message::{Message, Request, RequestKind, Server, TargetStatus};

/// The event that a timer causes; `None` for a resource that is no timer.
pub(super) const fn timer_event(timer: Resource) -> Option<Event> {
    match timer {
        Resource::TimeoutTimer => Some(Event::TimeoutTimerTriggers),
        Resource::ActivateTimer => Some(Event::ActivateTimerTriggers),
        Resource::RenewTimer => Some(Event::RenewTimerTriggers),
        Resource::LeaseTimer => Some(Event::LeaseTimerTriggers),
        Resource::ConfirmTimer => Some(Event::ConfirmTimerTriggers),
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

pub(super) fn apply_action<R: Rules<Machine>>(
    client: &Client<R>,
    state: &mut State,
    entry: ActionCall<'_>,
    ctx: EventContext,
    out: &mut OutOf<Client<R>>,
) {
    for op in entry.ops {
        apply(client, state, *op, out);
    }
    match entry.action {
        Action::NotifyClientLockIsAcquired => {
            state.is_held = true;
            out.effects.push(Effect::Notify(Notice::Acquired { token: state.token }));
        }
        Action::NotifyClientLockIsReleased => end(state, Notice::Released, out),
        Action::NotifyClientOfTimeout => end(state, Notice::TimedOut, out),
        Action::NotifyClientThatResponsesAreTooSlow => end(state, Notice::TooSlow, out),
        Action::TerminateClient => {
            let status = ctx.response.map(|response| response.status);
            end(state, Notice::Failed { status }, out);
        }
        Action::NotifyClientLockIsLost => end(state, Notice::Lost, out),
        Action::DrawIdempotencyKey => {
            (state.key, state.claim, state.token) = (ctx.key, None, None);
            state.may_be_registered = false;
        }
        Action::AskForAFreshKey => out.effects.push(Effect::Notify(Notice::KeyNeeded)),
        // These only create or delete their resource.
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
        | Action::CreateConfirmTimer
        | Action::DeleteConfirmTimer
        | Action::RestartTimeoutTimer => {}
    }
}

/// Carries out an operation on a resource, by the kind of the resource.
fn apply<R: Rules<Machine>>(
    client: &Client<R>,
    state: &mut State,
    op: Op,
    out: &mut OutOf<Client<R>>,
) {
    let resource = op.resource();
    match (resource.kind(), op) {
        (ResourceKind::Timer, Op::Create(_) | Op::Restart(_)) => {
            out.effects.push(Effect::Arm(Timer(resource)));
        }
        (ResourceKind::Timer, Op::Delete(_) | Op::Abandon(_)) => {
            out.effects.push(Effect::Disarm(Timer(resource)));
        }
        (ResourceKind::Request, Op::Create(_)) => send(client, state, resource, out),
        (ResourceKind::Request, Op::Restart(_)) => {
            state.calls.abandon(resource);
            send(client, state, resource, out);
        }
        (ResourceKind::Request, Op::Delete(_) | Op::Abandon(_)) => {
            state.calls.abandon(resource);
        }
        (ResourceKind::Note, _) => {}
    }
}

fn send<R: Rules<Machine>>(
    client: &Client<R>,
    state: &mut State,
    request: Resource,
    out: &mut OutOf<Client<R>>,
) {
    let reason = match request_kind(client, state, request) {
        None => "the claim's id is not known",
        Some(kind) => match state.calls.open(request) {
            None => "too many requests are outstanding",
            Some(call) => {
                let message = Message::Request(Request { call, kind });
                out.effects.push(Effect::Send { to: Server::Claims, message });
                return;
            }
        },
    };
    out.rows.push(RowOutcome::ActionFailed { machine: MACHINE, action: request.name(), reason });
}

/// The kind of a request; `None` if it needs the claim's id and no response has brought it.
fn request_kind<R: Rules<Machine>>(
    client: &Client<R>,
    state: &State,
    request: Resource,
) -> Option<RequestKind> {
    let status = |to| state.claim.map(|claim| RequestKind::Status { claim, to });
    match request {
        Resource::RegisterPostRequest => Some(RequestKind::Post {
            resource: client.resource,
            key: state.key,
            wait: client.waits,
        }),
        Resource::ActivatePatchRequest => status(TargetStatus::Active { wait: client.waits }),
        Resource::AbortPatchRequest => status(TargetStatus::Aborted),
        Resource::ReleasePatchRequest => status(TargetStatus::Released),
        Resource::WithdrawPatchRequest => status(TargetStatus::Withdrawn),
        Resource::RenewPatchRequest => state.claim.map(|claim| RequestKind::Ttl { claim }),
        Resource::TimeoutTimer
        | Resource::ActivateTimer
        | Resource::RenewTimer
        | Resource::LeaseTimer
        | Resource::ConfirmTimer
        | Resource::RetryAbortTimer
        | Resource::RetryActivateTimer
        | Resource::RetryRegisterTimer
        | Resource::RetryReleaseTimer
        | Resource::RetryRenewTimer
        | Resource::RetryWithdrawTimer => None,
    }
}

/// Notifies the user that it does not hold the lock.
fn end(state: &mut State, notice: Notice, out: &mut OutOf<Client>) {
    state.is_held = false;
    out.effects.push(Effect::Notify(notice));
}

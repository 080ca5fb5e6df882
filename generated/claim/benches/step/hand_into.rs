//! The claim machine by hand once more, with a sink that receives each action.
//!
//! As for the other one, a test compares it with the table, cell by cell.

#![expect(clippy::wildcard_enum_match_arm, reason = "by hand one writes `_` for the refused")]

use turnstile_claim_machines::claim::{ActionCall, Event as E, Guard as G, State as S};

use crate::acts;

/// The state that is entered, or nothing where the event is refused.
#[inline]
#[rustfmt::skip]
pub(crate) fn step_into(
    state: S,
    event: E,
    guards: &impl Fn(G) -> bool,
    mut sink: impl FnMut(ActionCall<'static>),
) -> Option<S> {
    Some(match state {
        S::New => match event {
            E::Start => {
                sink(acts::DRAW_IDEMPOTENCY_KEY); sink(acts::SEND_POST);
                sink(acts::CREATE_TIMEOUT_TIMER); S::Registering
            }
            E::SignalReceived | E::ClientRequestsRelease | E::ClaimIsOver => S::New,
            _ => return None,
        },
        S::Aborting => match event {
            E::Response { status: 204 } => {
                sink(acts::DELETE_TIMEOUT_TIMER); S::Aborted
            }
            E::Response { status: 429 | 500..=599 } => {
                sink(acts::CREATE_RETRY_ABORT_TIMER); S::RetryingAbort
            }
            E::Response { status: 100..=203 | 205..=428 | 430..=499 } => {
                sink(acts::DELETE_TIMEOUT_TIMER); sink(acts::TERMINATE_CLIENT); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(acts::ABANDON_ABORT_PATCH_REQUEST); S::Lapsed
            }
            E::Start | E::SignalReceived | E::ClientRequestsRelease | E::ClaimIsOver => S::Aborting,
            _ => return None,
        },
        S::Activating => match event {
            E::SignalReceived => {
                sink(acts::ABANDON_ACTIVATE_PATCH_REQUEST); sink(acts::RESTART_TIMEOUT_TIMER);
                sink(acts::SEND_PATCH_STATUS_ABORTED); S::Aborting
            }
            E::Response { status: 200 } => {
                sink(acts::CREATE_CONFIRM_TIMER); sink(acts::SEND_PATCH_TTL); S::Confirming
            }
            E::Response { status: 429 | 500..=599 } => {
                sink(acts::CREATE_RETRY_ACTIVATE_TIMER); S::RetryingActivate
            }
            E::Response { status: 409 } => {
                sink(acts::CREATE_ACTIVATE_TIMER); S::Waiting
            }
            E::Response { status: 400..=499 } if guards(G::HasExpired) => {
                sink(acts::ASK_FOR_A_FRESH_KEY); S::StartingOver
            }
            E::Response { status: 100..=199 | 201..=408 | 410..=428 | 430..=499 } => {
                sink(acts::DELETE_TIMEOUT_TIMER); sink(acts::TERMINATE_CLIENT); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(acts::ABANDON_ACTIVATE_PATCH_REQUEST); sink(acts::NOTIFY_CLIENT_OF_TIMEOUT);
                sink(acts::CREATE_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_WITHDRAWN);
                S::Withdrawing
            }
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => S::Activating,
            _ => return None,
        },
        S::Registering => match event {
            E::SignalReceived => {
                sink(acts::RESTART_TIMEOUT_TIMER); S::Recalling
            }
            E::Response { status: 404 | 429 | 500..=599 } => {
                sink(acts::CREATE_RETRY_REGISTER_TIMER); S::RetryingRegister
            }
            E::Response { status: 201 } if guards(G::LeaseLeavesTime) => {
                sink(acts::DELETE_TIMEOUT_TIMER); sink(acts::CREATE_RENEW_TIMER);
                sink(acts::START_LEASE_TIMER); sink(acts::NOTIFY_CLIENT_LOCK_IS_ACQUIRED); S::Active
            }
            E::Response { status: 201 } => {
                sink(acts::CREATE_CONFIRM_TIMER); sink(acts::SEND_PATCH_TTL); S::Confirming
            }
            E::Response { status: 202 } => {
                sink(acts::CREATE_ACTIVATE_TIMER); S::Waiting
            }
            E::Response { status: 400..=499 } if guards(G::HasExpired) => {
                sink(acts::ASK_FOR_A_FRESH_KEY); S::StartingOver
            }
            E::Response { status: 100..=200 | 203..=403 | 405..=428 | 430..=499 } => {
                sink(acts::DELETE_TIMEOUT_TIMER); sink(acts::TERMINATE_CLIENT); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(acts::NOTIFY_CLIENT_OF_TIMEOUT); sink(acts::CREATE_TIMEOUT_TIMER); S::Recalling
            }
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => S::Registering,
            _ => return None,
        },
        S::Releasing => match event {
            E::Response { status: 204 } => {
                sink(acts::DELETE_TIMEOUT_TIMER); sink(acts::NOTIFY_CLIENT_LOCK_IS_RELEASED);
                S::Released
            }
            E::Response { status: 429 | 500..=599 } => {
                sink(acts::CREATE_RETRY_RELEASE_TIMER); S::RetryingRelease
            }
            E::Response { status: 100..=203 | 205..=428 | 430..=499 } => {
                sink(acts::DELETE_TIMEOUT_TIMER); sink(acts::TERMINATE_CLIENT); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(acts::ABANDON_RELEASE_PATCH_REQUEST); sink(acts::NOTIFY_CLIENT_OF_TIMEOUT);
                S::Lapsed
            }
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => S::Releasing,
            _ => return None,
        },
        S::Renewing => match event {
            E::SignalReceived => {
                sink(acts::ABANDON_RENEW_PATCH_REQUEST); sink(acts::DELETE_LEASE_TIMER);
                sink(acts::CREATE_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_ABORTED); S::Aborting
            }
            E::ClientRequestsRelease => {
                sink(acts::ABANDON_RENEW_PATCH_REQUEST); sink(acts::DELETE_LEASE_TIMER);
                sink(acts::CREATE_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_RELEASED);
                S::Releasing
            }
            E::Response { status: 200 } if guards(G::LeaseIsLive) => {
                sink(acts::CREATE_RENEW_TIMER); sink(acts::RESTART_LEASE_TIMER); S::Active
            }
            E::Response { status: 200 | 429 | 500..=599 } => {
                sink(acts::CREATE_RETRY_RENEW_TIMER); S::RetryingRenew
            }
            E::Response { status: 100..=199 | 201..=428 | 430..=499 } => {
                sink(acts::DELETE_LEASE_TIMER); sink(acts::TERMINATE_CLIENT); S::Fail
            }
            E::LeaseTimerTriggers => {
                sink(acts::ABANDON_RENEW_PATCH_REQUEST); sink(acts::NOTIFY_CLIENT_LOCK_IS_LOST);
                S::Lapsed
            }
            E::ClaimIsOver => {
                sink(acts::ABANDON_RENEW_PATCH_REQUEST); sink(acts::DELETE_LEASE_TIMER);
                sink(acts::NOTIFY_CLIENT_LOCK_IS_LOST); S::Lapsed
            }
            E::Start => S::Renewing,
            _ => return None,
        },
        S::Withdrawing => match event {
            E::Response { status: 429 | 500..=599 } => {
                sink(acts::CREATE_RETRY_WITHDRAW_TIMER); S::RetryingWithdraw
            }
            E::Response { status: 204 } => {
                sink(acts::DELETE_TIMEOUT_TIMER); S::Withdrawn
            }
            E::Response { status: 100..=203 | 205..=428 | 430..=499 } => {
                sink(acts::DELETE_TIMEOUT_TIMER); sink(acts::TERMINATE_CLIENT); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(acts::ABANDON_WITHDRAW_PATCH_REQUEST); S::Lapsed
            }
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => S::Withdrawing,
            _ => return None,
        },
        S::Active => match event {
            E::SignalReceived => {
                sink(acts::DELETE_RENEW_TIMER); sink(acts::DELETE_LEASE_TIMER);
                sink(acts::CREATE_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_ABORTED); S::Aborting
            }
            E::ClientRequestsRelease => {
                sink(acts::DELETE_RENEW_TIMER); sink(acts::DELETE_LEASE_TIMER);
                sink(acts::CREATE_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_RELEASED);
                S::Releasing
            }
            E::RenewTimerTriggers => {
                sink(acts::SEND_PATCH_TTL); S::Renewing
            }
            E::LeaseTimerTriggers => {
                sink(acts::DELETE_RENEW_TIMER); sink(acts::NOTIFY_CLIENT_LOCK_IS_LOST); S::Lapsed
            }
            E::ClaimIsOver => {
                sink(acts::DELETE_RENEW_TIMER); sink(acts::DELETE_LEASE_TIMER);
                sink(acts::NOTIFY_CLIENT_LOCK_IS_LOST); S::Lapsed
            }
            E::Start => S::Active,
            _ => return None,
        },
        S::RetryingAbort => match event {
            E::TimeoutTimerTriggers => {
                sink(acts::DELETE_RETRY_ABORT_TIMER); S::Lapsed
            }
            E::RetryTimerTriggers => {
                sink(acts::SEND_PATCH_STATUS_ABORTED); S::Aborting
            }
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => S::RetryingAbort,
            _ => return None,
        },
        S::RetryingActivate => match event {
            E::SignalReceived => {
                sink(acts::DELETE_RETRY_ACTIVATE_TIMER); sink(acts::RESTART_TIMEOUT_TIMER);
                sink(acts::SEND_PATCH_STATUS_ABORTED); S::Aborting
            }
            E::TimeoutTimerTriggers => {
                sink(acts::DELETE_RETRY_ACTIVATE_TIMER); sink(acts::NOTIFY_CLIENT_OF_TIMEOUT);
                sink(acts::CREATE_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_WITHDRAWN);
                S::Withdrawing
            }
            E::RetryTimerTriggers => {
                sink(acts::SEND_PATCH_STATUS_ACTIVE); S::Activating
            }
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => S::RetryingActivate,
            _ => return None,
        },
        S::RetryingRegister => match event {
            E::SignalReceived if guards(G::MayBeRegistered) => {
                sink(acts::DELETE_RETRY_REGISTER_TIMER); sink(acts::RESTART_TIMEOUT_TIMER);
                sink(acts::SEND_POST); S::Recalling
            }
            E::SignalReceived => {
                sink(acts::DELETE_RETRY_REGISTER_TIMER); sink(acts::DELETE_TIMEOUT_TIMER); S::Done
            }
            E::TimeoutTimerTriggers if guards(G::MayBeRegistered) => {
                sink(acts::DELETE_RETRY_REGISTER_TIMER); sink(acts::NOTIFY_CLIENT_OF_TIMEOUT);
                sink(acts::CREATE_TIMEOUT_TIMER); sink(acts::SEND_POST); S::Recalling
            }
            E::TimeoutTimerTriggers => {
                sink(acts::DELETE_RETRY_REGISTER_TIMER); sink(acts::NOTIFY_CLIENT_OF_TIMEOUT);
                S::Done
            }
            E::RetryTimerTriggers => {
                sink(acts::SEND_POST); S::Registering
            }
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => S::RetryingRegister,
            _ => return None,
        },
        S::RetryingRelease => match event {
            E::TimeoutTimerTriggers => {
                sink(acts::DELETE_RETRY_RELEASE_TIMER); sink(acts::NOTIFY_CLIENT_OF_TIMEOUT);
                S::Lapsed
            }
            E::RetryTimerTriggers => {
                sink(acts::SEND_PATCH_STATUS_RELEASED); S::Releasing
            }
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => S::RetryingRelease,
            _ => return None,
        },
        S::RetryingRenew => match event {
            E::SignalReceived => {
                sink(acts::DELETE_RETRY_RENEW_TIMER); sink(acts::DELETE_LEASE_TIMER);
                sink(acts::CREATE_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_ABORTED); S::Aborting
            }
            E::ClientRequestsRelease => {
                sink(acts::DELETE_RETRY_RENEW_TIMER); sink(acts::DELETE_LEASE_TIMER);
                sink(acts::CREATE_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_RELEASED);
                S::Releasing
            }
            E::RetryTimerTriggers => {
                sink(acts::SEND_PATCH_TTL); S::Renewing
            }
            E::LeaseTimerTriggers => {
                sink(acts::DELETE_RETRY_RENEW_TIMER); sink(acts::NOTIFY_CLIENT_LOCK_IS_LOST);
                S::Lapsed
            }
            E::ClaimIsOver => {
                sink(acts::DELETE_RETRY_RENEW_TIMER); sink(acts::DELETE_LEASE_TIMER);
                sink(acts::NOTIFY_CLIENT_LOCK_IS_LOST); S::Lapsed
            }
            E::Start => S::RetryingRenew,
            _ => return None,
        },
        S::RetryingWithdraw => match event {
            E::TimeoutTimerTriggers => {
                sink(acts::DELETE_RETRY_WITHDRAW_TIMER); S::Lapsed
            }
            E::RetryTimerTriggers => {
                sink(acts::SEND_PATCH_STATUS_WITHDRAWN); S::Withdrawing
            }
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => S::RetryingWithdraw,
            _ => return None,
        },
        S::Waiting => match event {
            E::SignalReceived => {
                sink(acts::DELETE_ACTIVATE_TIMER); sink(acts::RESTART_TIMEOUT_TIMER);
                sink(acts::SEND_PATCH_STATUS_ABORTED); S::Aborting
            }
            E::TimeoutTimerTriggers => {
                sink(acts::DELETE_ACTIVATE_TIMER); sink(acts::NOTIFY_CLIENT_OF_TIMEOUT);
                sink(acts::CREATE_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_WITHDRAWN);
                S::Withdrawing
            }
            E::ActivateTimerTriggers => {
                sink(acts::SEND_PATCH_STATUS_ACTIVE); S::Activating
            }
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => S::Waiting,
            _ => return None,
        },
        S::Confirming => match event {
            E::SignalReceived => {
                sink(acts::ABANDON_RENEW_PATCH_REQUEST); sink(acts::DELETE_CONFIRM_TIMER);
                sink(acts::RESTART_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_ABORTED);
                S::Aborting
            }
            E::Response { status: 200 } if guards(G::LeaseLeavesTime) => {
                sink(acts::DELETE_CONFIRM_TIMER); sink(acts::DELETE_TIMEOUT_TIMER);
                sink(acts::CREATE_RENEW_TIMER); sink(acts::START_LEASE_TIMER);
                sink(acts::NOTIFY_CLIENT_LOCK_IS_ACQUIRED); S::Active
            }
            E::Response { status: 200 | 429 | 500..=599 } => {
                sink(acts::CREATE_RETRY_RENEW_TIMER); S::RetryingConfirm
            }
            E::Response { status: 400..=499 } if guards(G::HasExpired) => {
                sink(acts::DELETE_CONFIRM_TIMER); sink(acts::ASK_FOR_A_FRESH_KEY); S::StartingOver
            }
            E::Response { status: 100..=199 | 201..=428 | 430..=499 } => {
                sink(acts::DELETE_CONFIRM_TIMER); sink(acts::DELETE_TIMEOUT_TIMER);
                sink(acts::TERMINATE_CLIENT); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(acts::ABANDON_RENEW_PATCH_REQUEST); sink(acts::DELETE_CONFIRM_TIMER);
                sink(acts::NOTIFY_CLIENT_OF_TIMEOUT); sink(acts::CREATE_TIMEOUT_TIMER);
                sink(acts::SEND_PATCH_STATUS_WITHDRAWN); S::Withdrawing
            }
            E::ConfirmTimerTriggers => {
                sink(acts::ABANDON_RENEW_PATCH_REQUEST); sink(acts::NOTIFY_CLIENT_OF_SLOWNESS);
                sink(acts::RESTART_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_WITHDRAWN);
                S::Withdrawing
            }
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => S::Confirming,
            _ => return None,
        },
        S::RetryingConfirm => match event {
            E::SignalReceived => {
                sink(acts::DELETE_RETRY_RENEW_TIMER); sink(acts::DELETE_CONFIRM_TIMER);
                sink(acts::RESTART_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_ABORTED);
                S::Aborting
            }
            E::TimeoutTimerTriggers => {
                sink(acts::DELETE_RETRY_RENEW_TIMER); sink(acts::DELETE_CONFIRM_TIMER);
                sink(acts::NOTIFY_CLIENT_OF_TIMEOUT); sink(acts::CREATE_TIMEOUT_TIMER);
                sink(acts::SEND_PATCH_STATUS_WITHDRAWN); S::Withdrawing
            }
            E::ConfirmTimerTriggers => {
                sink(acts::DELETE_RETRY_RENEW_TIMER); sink(acts::NOTIFY_CLIENT_OF_SLOWNESS);
                sink(acts::RESTART_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_WITHDRAWN);
                S::Withdrawing
            }
            E::RetryTimerTriggers => { sink(acts::SEND_PATCH_TTL); S::Confirming }
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => S::RetryingConfirm,
            _ => return None,
        },
        S::StartingOver => match event {
            E::Start => {
                sink(acts::DRAW_IDEMPOTENCY_KEY); sink(acts::SEND_POST); S::Registering
            }
            E::SignalReceived => { sink(acts::DELETE_TIMEOUT_TIMER); S::Done }
            E::TimeoutTimerTriggers => { sink(acts::NOTIFY_CLIENT_OF_TIMEOUT); S::Done }
            E::ClientRequestsRelease | E::ClaimIsOver => S::StartingOver,
            _ => return None,
        },
        S::Recalling => match event {
            E::Response { status: 201 | 202 } => {
                sink(acts::RESTART_TIMEOUT_TIMER); sink(acts::SEND_PATCH_STATUS_WITHDRAWN);
                S::Withdrawing
            }
            E::Response { status: 404 | 429 | 500..=599 } if guards(G::MayBeRegistered) => {
                sink(acts::CREATE_RETRY_REGISTER_TIMER); S::RetryingRecall
            }
            E::Response { status: 400..=599 } => {
                sink(acts::DELETE_TIMEOUT_TIMER); S::Done
            }
            E::Response { status: 100..=399 } => {
                sink(acts::DELETE_TIMEOUT_TIMER); sink(acts::TERMINATE_CLIENT); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(acts::ABANDON_REGISTER_POST_REQUEST); S::Lapsed
            }
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => S::Recalling,
            _ => return None,
        },
        S::RetryingRecall => match event {
            E::TimeoutTimerTriggers => {
                sink(acts::DELETE_RETRY_REGISTER_TIMER); S::Lapsed
            }
            E::RetryTimerTriggers => { sink(acts::SEND_POST); S::Recalling }
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => S::RetryingRecall,
            _ => return None,
        },
        S::Done | S::Fail | S::Aborted | S::AbortedCapital | S::Released
            | S::Withdrawn | S::Lapsed => return None,
    })
}

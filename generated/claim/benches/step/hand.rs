//! The claim machine as a person would write it by hand: the other side of the benchmark.
//!
//! A match on the state and in it one on the event, which is faster than one match on both. A test
//! compares it with the table, cell by cell; a comparison with anything else is void.

#![expect(clippy::wildcard_enum_match_arm, reason = "by hand one writes `_` for the refused")]

use turnstile_claim_machines::claim::{ActionCall, Event as E, Guard as G, State as S};

use crate::acts;

/// The destination and the actions; `None` if the event is not handled.
#[inline]
#[rustfmt::skip]
pub(crate) fn step(
    state: S,
    event: E,
    guards: &impl Fn(G) -> bool,
) -> Option<(S, &'static [ActionCall<'static>])> {
    Some(match state {
        S::New => match event {
            E::Start => {
                (S::Registering, &[
                    acts::DRAW_IDEMPOTENCY_KEY, acts::SEND_POST, acts::CREATE_TIMEOUT_TIMER,
                ])
            }
            E::SignalReceived | E::ClientRequestsRelease | E::ClaimIsOver => (S::New, &[]),
            _ => return None,
        },
        S::Aborting => match event {
            E::Response { status: 204 } => (S::Aborted, &[acts::DELETE_TIMEOUT_TIMER]),
            E::Response { status: 429 | 500..=599 } => {
                (S::RetryingAbort, &[acts::CREATE_RETRY_ABORT_TIMER])
            }
            E::Response { status: 100..=203 | 205..=428 | 430..=499 } => {
                (S::Fail, &[acts::DELETE_TIMEOUT_TIMER, acts::TERMINATE_CLIENT])
            }
            E::TimeoutTimerTriggers => (S::Lapsed, &[acts::ABANDON_ABORT_PATCH_REQUEST]),
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => (S::Aborting, &[]),
            _ => return None,
        },
        S::Activating => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    acts::ABANDON_ACTIVATE_PATCH_REQUEST, acts::RESTART_TIMEOUT_TIMER,
                    acts::SEND_PATCH_STATUS_ABORTED,
                ])
            }
            E::Response { status: 200 } => {
                (S::Confirming, &[acts::CREATE_CONFIRM_TIMER, acts::SEND_PATCH_TTL])
            }
            E::Response { status: 429 | 500..=599 } => {
                (S::RetryingActivate, &[acts::CREATE_RETRY_ACTIVATE_TIMER])
            }
            E::Response { status: 409 } => (S::Waiting, &[acts::CREATE_ACTIVATE_TIMER]),
            E::Response { status: 400..=499 } if guards(G::HasExpired) => {
                (S::StartingOver, &[acts::ASK_FOR_A_FRESH_KEY])
            }
            E::Response { status: 100..=199 | 201..=408 | 410..=428 | 430..=499 } => {
                (S::Fail, &[acts::DELETE_TIMEOUT_TIMER, acts::TERMINATE_CLIENT])
            }
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[
                    acts::ABANDON_ACTIVATE_PATCH_REQUEST, acts::NOTIFY_CLIENT_OF_TIMEOUT,
                    acts::CREATE_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_WITHDRAWN,
                ])
            }
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => (S::Activating, &[]),
            _ => return None,
        },
        S::Registering => match event {
            E::SignalReceived => {
                (S::Recalling, &[acts::RESTART_TIMEOUT_TIMER])
            }
            E::Response { status: 404 | 429 | 500..=599 } => {
                (S::RetryingRegister, &[acts::CREATE_RETRY_REGISTER_TIMER])
            }
            E::Response { status: 201 } if guards(G::LeaseLeavesTime) => {
                (S::Active, &[
                    acts::DELETE_TIMEOUT_TIMER, acts::CREATE_RENEW_TIMER, acts::START_LEASE_TIMER,
                    acts::NOTIFY_CLIENT_LOCK_IS_ACQUIRED,
                ])
            }
            E::Response { status: 201 } => {
                (S::Confirming, &[acts::CREATE_CONFIRM_TIMER, acts::SEND_PATCH_TTL])
            }
            E::Response { status: 202 } => (S::Waiting, &[acts::CREATE_ACTIVATE_TIMER]),
            E::Response { status: 400..=499 } if guards(G::HasExpired) => {
                (S::StartingOver, &[acts::ASK_FOR_A_FRESH_KEY])
            }
            E::Response { status: 100..=200 | 203..=403 | 405..=428 | 430..=499 } => {
                (S::Fail, &[acts::DELETE_TIMEOUT_TIMER, acts::TERMINATE_CLIENT])
            }
            E::TimeoutTimerTriggers => {
                (S::Recalling, &[acts::NOTIFY_CLIENT_OF_TIMEOUT, acts::CREATE_TIMEOUT_TIMER])
            }
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => (S::Registering, &[]),
            _ => return None,
        },
        S::Releasing => match event {
            E::Response { status: 204 } => {
                (S::Released, &[acts::DELETE_TIMEOUT_TIMER, acts::NOTIFY_CLIENT_LOCK_IS_RELEASED])
            }
            E::Response { status: 429 | 500..=599 } => {
                (S::RetryingRelease, &[acts::CREATE_RETRY_RELEASE_TIMER])
            }
            E::Response { status: 100..=203 | 205..=428 | 430..=499 } => {
                (S::Fail, &[acts::DELETE_TIMEOUT_TIMER, acts::TERMINATE_CLIENT])
            }
            E::TimeoutTimerTriggers => {
                (S::Lapsed, &[acts::ABANDON_RELEASE_PATCH_REQUEST, acts::NOTIFY_CLIENT_OF_TIMEOUT])
            }
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => (S::Releasing, &[]),
            _ => return None,
        },
        S::Renewing => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    acts::ABANDON_RENEW_PATCH_REQUEST, acts::DELETE_LEASE_TIMER,
                    acts::CREATE_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_ABORTED,
                ])
            }
            E::ClientRequestsRelease => {
                (S::Releasing, &[
                    acts::ABANDON_RENEW_PATCH_REQUEST, acts::DELETE_LEASE_TIMER,
                    acts::CREATE_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_RELEASED,
                ])
            }
            E::Response { status: 200 } if guards(G::LeaseIsLive) => {
                (S::Active, &[acts::CREATE_RENEW_TIMER, acts::RESTART_LEASE_TIMER])
            }
            E::Response { status: 200 | 429 | 500..=599 } => {
                (S::RetryingRenew, &[acts::CREATE_RETRY_RENEW_TIMER])
            }
            E::Response { status: 100..=199 | 201..=428 | 430..=499 } => {
                (S::Fail, &[acts::DELETE_LEASE_TIMER, acts::TERMINATE_CLIENT])
            }
            E::LeaseTimerTriggers => {
                (S::Lapsed, &[acts::ABANDON_RENEW_PATCH_REQUEST, acts::NOTIFY_CLIENT_LOCK_IS_LOST])
            }
            E::ClaimIsOver => {
                (S::Lapsed, &[
                    acts::ABANDON_RENEW_PATCH_REQUEST, acts::DELETE_LEASE_TIMER,
                    acts::NOTIFY_CLIENT_LOCK_IS_LOST,
                ])
            }
            E::Start => (S::Renewing, &[]),
            _ => return None,
        },
        S::Withdrawing => match event {
            E::Response { status: 429 | 500..=599 } => {
                (S::RetryingWithdraw, &[acts::CREATE_RETRY_WITHDRAW_TIMER])
            }
            E::Response { status: 204 } => (S::Withdrawn, &[acts::DELETE_TIMEOUT_TIMER]),
            E::Response { status: 100..=203 | 205..=428 | 430..=499 } => {
                (S::Fail, &[acts::DELETE_TIMEOUT_TIMER, acts::TERMINATE_CLIENT])
            }
            E::TimeoutTimerTriggers => (S::Lapsed, &[acts::ABANDON_WITHDRAW_PATCH_REQUEST]),
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => (S::Withdrawing, &[]),
            _ => return None,
        },
        S::Active => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    acts::DELETE_RENEW_TIMER, acts::DELETE_LEASE_TIMER, acts::CREATE_TIMEOUT_TIMER,
                    acts::SEND_PATCH_STATUS_ABORTED,
                ])
            }
            E::ClientRequestsRelease => {
                (S::Releasing, &[
                    acts::DELETE_RENEW_TIMER, acts::DELETE_LEASE_TIMER, acts::CREATE_TIMEOUT_TIMER,
                    acts::SEND_PATCH_STATUS_RELEASED,
                ])
            }
            E::RenewTimerTriggers => (S::Renewing, &[acts::SEND_PATCH_TTL]),
            E::LeaseTimerTriggers => {
                (S::Lapsed, &[acts::DELETE_RENEW_TIMER, acts::NOTIFY_CLIENT_LOCK_IS_LOST])
            }
            E::ClaimIsOver => {
                (S::Lapsed, &[
                    acts::DELETE_RENEW_TIMER, acts::DELETE_LEASE_TIMER,
                    acts::NOTIFY_CLIENT_LOCK_IS_LOST,
                ])
            }
            E::Start => (S::Active, &[]),
            _ => return None,
        },
        S::RetryingAbort => match event {
            E::TimeoutTimerTriggers => (S::Lapsed, &[acts::DELETE_RETRY_ABORT_TIMER]),
            E::RetryTimerTriggers => (S::Aborting, &[acts::SEND_PATCH_STATUS_ABORTED]),
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => (S::RetryingAbort, &[]),
            _ => return None,
        },
        S::RetryingActivate => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    acts::DELETE_RETRY_ACTIVATE_TIMER, acts::RESTART_TIMEOUT_TIMER,
                    acts::SEND_PATCH_STATUS_ABORTED,
                ])
            }
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[
                    acts::DELETE_RETRY_ACTIVATE_TIMER, acts::NOTIFY_CLIENT_OF_TIMEOUT,
                    acts::CREATE_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_WITHDRAWN,
                ])
            }
            E::RetryTimerTriggers => (S::Activating, &[acts::SEND_PATCH_STATUS_ACTIVE]),
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => (S::RetryingActivate, &[]),
            _ => return None,
        },
        S::RetryingRegister => match event {
            E::SignalReceived if guards(G::MayBeRegistered) => {
                (S::Recalling, &[
                    acts::DELETE_RETRY_REGISTER_TIMER, acts::RESTART_TIMEOUT_TIMER,
                    acts::SEND_POST,
                ])
            }
            E::SignalReceived => {
                (S::Done, &[acts::DELETE_RETRY_REGISTER_TIMER, acts::DELETE_TIMEOUT_TIMER])
            }
            E::TimeoutTimerTriggers if guards(G::MayBeRegistered) => {
                (S::Recalling, &[
                    acts::DELETE_RETRY_REGISTER_TIMER, acts::NOTIFY_CLIENT_OF_TIMEOUT,
                    acts::CREATE_TIMEOUT_TIMER, acts::SEND_POST,
                ])
            }
            E::TimeoutTimerTriggers => {
                (S::Done, &[acts::DELETE_RETRY_REGISTER_TIMER, acts::NOTIFY_CLIENT_OF_TIMEOUT])
            }
            E::RetryTimerTriggers => (S::Registering, &[acts::SEND_POST]),
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => (S::RetryingRegister, &[]),
            _ => return None,
        },
        S::RetryingRelease => match event {
            E::TimeoutTimerTriggers => {
                (S::Lapsed, &[acts::DELETE_RETRY_RELEASE_TIMER, acts::NOTIFY_CLIENT_OF_TIMEOUT])
            }
            E::RetryTimerTriggers => (S::Releasing, &[acts::SEND_PATCH_STATUS_RELEASED]),
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => (S::RetryingRelease, &[]),
            _ => return None,
        },
        S::RetryingRenew => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    acts::DELETE_RETRY_RENEW_TIMER, acts::DELETE_LEASE_TIMER,
                    acts::CREATE_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_ABORTED,
                ])
            }
            E::ClientRequestsRelease => {
                (S::Releasing, &[
                    acts::DELETE_RETRY_RENEW_TIMER, acts::DELETE_LEASE_TIMER,
                    acts::CREATE_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_RELEASED,
                ])
            }
            E::RetryTimerTriggers => (S::Renewing, &[acts::SEND_PATCH_TTL]),
            E::LeaseTimerTriggers => {
                (S::Lapsed, &[acts::DELETE_RETRY_RENEW_TIMER, acts::NOTIFY_CLIENT_LOCK_IS_LOST])
            }
            E::ClaimIsOver => {
                (S::Lapsed, &[
                    acts::DELETE_RETRY_RENEW_TIMER, acts::DELETE_LEASE_TIMER,
                    acts::NOTIFY_CLIENT_LOCK_IS_LOST,
                ])
            }
            E::Start => (S::RetryingRenew, &[]),
            _ => return None,
        },
        S::RetryingWithdraw => match event {
            E::TimeoutTimerTriggers => (S::Lapsed, &[acts::DELETE_RETRY_WITHDRAW_TIMER]),
            E::RetryTimerTriggers => (S::Withdrawing, &[acts::SEND_PATCH_STATUS_WITHDRAWN]),
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => (S::RetryingWithdraw, &[]),
            _ => return None,
        },
        S::Waiting => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    acts::DELETE_ACTIVATE_TIMER, acts::RESTART_TIMEOUT_TIMER,
                    acts::SEND_PATCH_STATUS_ABORTED,
                ])
            }
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[
                    acts::DELETE_ACTIVATE_TIMER, acts::NOTIFY_CLIENT_OF_TIMEOUT,
                    acts::CREATE_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_WITHDRAWN,
                ])
            }
            E::ActivateTimerTriggers => (S::Activating, &[acts::SEND_PATCH_STATUS_ACTIVE]),
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => (S::Waiting, &[]),
            _ => return None,
        },
        S::Confirming => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    acts::ABANDON_RENEW_PATCH_REQUEST, acts::DELETE_CONFIRM_TIMER,
                    acts::RESTART_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_ABORTED,
                ])
            }
            E::Response { status: 200 } if guards(G::LeaseLeavesTime) => {
                (S::Active, &[
                    acts::DELETE_CONFIRM_TIMER, acts::DELETE_TIMEOUT_TIMER,
                    acts::CREATE_RENEW_TIMER, acts::START_LEASE_TIMER,
                    acts::NOTIFY_CLIENT_LOCK_IS_ACQUIRED,
                ])
            }
            E::Response { status: 200 | 429 | 500..=599 } => {
                (S::RetryingConfirm, &[acts::CREATE_RETRY_RENEW_TIMER])
            }
            E::Response { status: 400..=499 } if guards(G::HasExpired) => {
                (S::StartingOver, &[acts::DELETE_CONFIRM_TIMER, acts::ASK_FOR_A_FRESH_KEY])
            }
            E::Response { status: 100..=199 | 201..=428 | 430..=499 } => {
                (S::Fail, &[
                    acts::DELETE_CONFIRM_TIMER, acts::DELETE_TIMEOUT_TIMER, acts::TERMINATE_CLIENT,
                ])
            }
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[
                    acts::ABANDON_RENEW_PATCH_REQUEST, acts::DELETE_CONFIRM_TIMER,
                    acts::NOTIFY_CLIENT_OF_TIMEOUT, acts::CREATE_TIMEOUT_TIMER,
                    acts::SEND_PATCH_STATUS_WITHDRAWN,
                ])
            }
            E::ConfirmTimerTriggers => {
                (S::Withdrawing, &[
                    acts::ABANDON_RENEW_PATCH_REQUEST, acts::NOTIFY_CLIENT_OF_SLOWNESS,
                    acts::RESTART_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_WITHDRAWN,
                ])
            }
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => (S::Confirming, &[]),
            _ => return None,
        },
        S::RetryingConfirm => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    acts::DELETE_RETRY_RENEW_TIMER, acts::DELETE_CONFIRM_TIMER,
                    acts::RESTART_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_ABORTED,
                ])
            }
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[
                    acts::DELETE_RETRY_RENEW_TIMER, acts::DELETE_CONFIRM_TIMER,
                    acts::NOTIFY_CLIENT_OF_TIMEOUT, acts::CREATE_TIMEOUT_TIMER,
                    acts::SEND_PATCH_STATUS_WITHDRAWN,
                ])
            }
            E::ConfirmTimerTriggers => {
                (S::Withdrawing, &[
                    acts::DELETE_RETRY_RENEW_TIMER, acts::NOTIFY_CLIENT_OF_SLOWNESS,
                    acts::RESTART_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_WITHDRAWN,
                ])
            }
            E::RetryTimerTriggers => (S::Confirming, &[acts::SEND_PATCH_TTL]),
            E::Start | E::ClientRequestsRelease | E::ClaimIsOver => (S::RetryingConfirm, &[]),
            _ => return None,
        },
        S::StartingOver => match event {
            E::Start => (S::Registering, &[acts::DRAW_IDEMPOTENCY_KEY, acts::SEND_POST]),
            E::SignalReceived => (S::Done, &[acts::DELETE_TIMEOUT_TIMER]),
            E::TimeoutTimerTriggers => (S::Done, &[acts::NOTIFY_CLIENT_OF_TIMEOUT]),
            E::ClientRequestsRelease | E::ClaimIsOver => (S::StartingOver, &[]),
            _ => return None,
        },
        S::Recalling => match event {
            E::Response { status: 201 | 202 } => {
                (S::Withdrawing, &[
                    acts::RESTART_TIMEOUT_TIMER, acts::SEND_PATCH_STATUS_WITHDRAWN,
                ])
            }
            E::Response { status: 404 | 429 | 500..=599 } if guards(G::MayBeRegistered) => {
                (S::RetryingRecall, &[acts::CREATE_RETRY_REGISTER_TIMER])
            }
            E::Response { status: 400..=599 } => (S::Done, &[acts::DELETE_TIMEOUT_TIMER]),
            E::Response { status: 100..=399 } => {
                (S::Fail, &[acts::DELETE_TIMEOUT_TIMER, acts::TERMINATE_CLIENT])
            }
            E::TimeoutTimerTriggers => (S::Lapsed, &[acts::ABANDON_REGISTER_POST_REQUEST]),
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => (S::Recalling, &[]),
            _ => return None,
        },
        S::RetryingRecall => match event {
            E::TimeoutTimerTriggers => (S::Lapsed, &[acts::DELETE_RETRY_REGISTER_TIMER]),
            E::RetryTimerTriggers => (S::Recalling, &[acts::SEND_POST]),
            E::Start | E::SignalReceived | E::ClientRequestsRelease
                | E::ClaimIsOver => (S::RetryingRecall, &[]),
            _ => return None,
        },
        S::Done | S::Fail | S::Aborted | S::AbortedCapital | S::Released
            | S::Withdrawn | S::Lapsed => return None,
    })
}

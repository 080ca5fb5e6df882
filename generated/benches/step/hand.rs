//! The claim machine as a person would write it by hand: the other side of the benchmark.
//!
//! A match on the state and in it one on the event, which is faster than one match on both. A test
//! compares it with the table, cell by cell; a comparison with anything else is void.

#![expect(clippy::wildcard_enum_match_arm, reason = "by hand one writes `_` for the refused")]

use turnstile_machines::claim::{Action as A, Event as E, Guard as G, State as S};

/// The state that is entered and what is done, or nothing where the event is refused.
#[rustfmt::skip]
pub(crate) fn step(state: S, event: E, guards: &impl Fn(G) -> bool) -> Option<(S, &'static [A])> {
    Some(match state {
        S::New => match event {
            E::Start => {
                (S::Registering, &[A::DrawIdempotencyKey, A::SendPost, A::CreateTimeoutTimer])
            }
            E::SignalReceived | E::ClientRequestsRelease => (S::New, &[]),
            _ => return None,
        },
        S::Aborting => match event {
            E::SignalReceived => (S::Done, &[A::AbandonRequest, A::DeleteTimeoutTimer]),
            E::Response { status: 204 } => (S::Aborted, &[A::DeleteTimeoutTimer]),
            E::Response { status: 500..=599 } => (S::RetryingAbort, &[A::CreateRetryTimer]),
            E::Response { status: 100..=203 | 205..=499 } => {
                (S::Fail, &[A::DeleteTimeoutTimer, A::TerminateClient])
            }
            E::TimeoutTimerTriggers => (S::Done, &[A::AbandonRequest]),
            E::Start | E::ClientRequestsRelease => (S::Aborting, &[]),
            _ => return None,
        },
        S::Activating => match event {
            E::SignalReceived => (S::Aborting, &[A::AbandonRequest, A::SendPatchStatusAborted]),
            E::Response { status: 200 } => (S::Confirming, &[A::SendPatchTtl]),
            E::Response { status: 500..=599 } => (S::RetryingActivate, &[A::CreateRetryTimer]),
            E::Response { status: 409 } => (S::Waiting, &[A::CreateActivateTimer]),
            E::Response { status: 100..=199 | 201..=408 | 410..=499 } => {
                (S::Fail, &[A::DeleteTimeoutTimer, A::TerminateClient])
            }
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[
                    A::AbandonRequest, A::NotifyClientOfTimeout, A::CreateTimeoutTimer,
                    A::SendPatchStatusWithdrawn,
                ])
            }
            E::Start | E::ClientRequestsRelease => (S::Activating, &[]),
            _ => return None,
        },
        S::Registering => match event {
            E::SignalReceived => (S::Done, &[A::AbandonRequest, A::DeleteTimeoutTimer]),
            E::Response { status: 404 | 500..=599 } => {
                (S::RetryingRegister, &[A::CreateRetryTimer])
            }
            E::Response { status: 201 } if guards(G::LeaseIsLive) => {
                (S::Active, &[
                    A::DeleteTimeoutTimer, A::CreateRenewTimer, A::StartLeaseTimer,
                    A::NotifyClientLockIsAcquired,
                ])
            }
            E::Response { status: 201 } => (S::Confirming, &[A::SendPatchTtl]),
            E::Response { status: 202 } => (S::Waiting, &[A::CreateActivateTimer]),
            E::Response { status: 100..=200 | 203..=403 | 405..=499 } => {
                (S::Fail, &[A::DeleteTimeoutTimer, A::TerminateClient])
            }
            E::TimeoutTimerTriggers => (S::Done, &[A::AbandonRequest, A::NotifyClientOfTimeout]),
            E::Start | E::ClientRequestsRelease => (S::Registering, &[]),
            _ => return None,
        },
        S::Releasing => match event {
            E::SignalReceived => (S::Done, &[A::AbandonRequest, A::DeleteTimeoutTimer]),
            E::Response { status: 204 } => {
                (S::Released, &[A::DeleteTimeoutTimer, A::NotifyClientLockIsReleased])
            }
            E::Response { status: 500..=599 } => (S::RetryingRelease, &[A::CreateRetryTimer]),
            E::Response { status: 100..=203 | 205..=499 } => {
                (S::Fail, &[A::DeleteTimeoutTimer, A::TerminateClient])
            }
            E::TimeoutTimerTriggers => (S::Done, &[A::AbandonRequest, A::NotifyClientOfTimeout]),
            E::Start | E::ClientRequestsRelease => (S::Releasing, &[]),
            _ => return None,
        },
        S::Renewing => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    A::AbandonRequest, A::DeleteLeaseTimer, A::CreateTimeoutTimer,
                    A::SendPatchStatusAborted,
                ])
            }
            E::ClientRequestsRelease => {
                (S::Releasing, &[
                    A::AbandonRequest, A::DeleteLeaseTimer, A::CreateTimeoutTimer,
                    A::SendPatchStatusReleased,
                ])
            }
            E::Response { status: 200 } if guards(G::LeaseIsLive) => {
                (S::Active, &[A::CreateRenewTimer, A::RestartLeaseTimer])
            }
            E::Response { status: 200 } => (S::RetryingRenew, &[A::CreateRetryTimer]),
            E::Response { status: 500..=599 } => (S::RetryingRenew, &[A::CreateRetryTimer]),
            E::Response { status: 100..=199 | 201..=499 } => {
                (S::Fail, &[A::DeleteLeaseTimer, A::TerminateClient])
            }
            E::LeaseTimerTriggers => (S::Fail, &[A::AbandonRequest, A::NotifyClientLockIsLost]),
            E::Start => (S::Renewing, &[]),
            _ => return None,
        },
        S::Withdrawing => match event {
            E::SignalReceived => (S::Done, &[A::AbandonRequest, A::DeleteTimeoutTimer]),
            E::Response { status: 500..=599 } => (S::RetryingWithdraw, &[A::CreateRetryTimer]),
            E::Response { status: 204 } => (S::Withdrawn, &[A::DeleteTimeoutTimer]),
            E::Response { status: 100..=203 | 205..=499 } => {
                (S::Fail, &[A::DeleteTimeoutTimer, A::TerminateClient])
            }
            E::TimeoutTimerTriggers => (S::Done, &[A::AbandonRequest]),
            E::Start | E::ClientRequestsRelease => (S::Withdrawing, &[]),
            _ => return None,
        },
        S::Active => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    A::DeleteRenewTimer, A::DeleteLeaseTimer, A::CreateTimeoutTimer,
                    A::SendPatchStatusAborted,
                ])
            }
            E::ClientRequestsRelease => {
                (S::Releasing, &[
                    A::DeleteRenewTimer, A::DeleteLeaseTimer, A::CreateTimeoutTimer,
                    A::SendPatchStatusReleased,
                ])
            }
            E::RenewTimerTriggers => (S::Renewing, &[A::SendPatchTtl]),
            E::LeaseTimerTriggers => (S::Fail, &[A::DeleteRenewTimer, A::NotifyClientLockIsLost]),
            E::Start => (S::Active, &[]),
            _ => return None,
        },
        S::RetryingAbort => match event {
            E::SignalReceived => (S::Done, &[A::DeleteRetryTimer, A::DeleteTimeoutTimer]),
            E::TimeoutTimerTriggers => (S::Done, &[A::DeleteRetryTimer]),
            E::RetryTimerTriggers => (S::Aborting, &[A::SendPatchStatusAborted]),
            E::Start | E::ClientRequestsRelease => (S::RetryingAbort, &[]),
            _ => return None,
        },
        S::RetryingActivate => match event {
            E::SignalReceived => (S::Aborting, &[A::SendPatchStatusAborted, A::DeleteRetryTimer]),
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[
                    A::DeleteRetryTimer, A::NotifyClientOfTimeout, A::CreateTimeoutTimer,
                    A::SendPatchStatusWithdrawn,
                ])
            }
            E::RetryTimerTriggers => (S::Activating, &[A::SendPatchStatusActive]),
            E::Start | E::ClientRequestsRelease => (S::RetryingActivate, &[]),
            _ => return None,
        },
        S::RetryingRegister => match event {
            E::SignalReceived => (S::Done, &[A::DeleteRetryTimer, A::DeleteTimeoutTimer]),
            E::TimeoutTimerTriggers => (S::Done, &[A::DeleteRetryTimer, A::NotifyClientOfTimeout]),
            E::RetryTimerTriggers => (S::Registering, &[A::SendPost]),
            E::Start | E::ClientRequestsRelease => (S::RetryingRegister, &[]),
            _ => return None,
        },
        S::RetryingRelease => match event {
            E::SignalReceived => (S::Done, &[A::DeleteRetryTimer, A::DeleteTimeoutTimer]),
            E::TimeoutTimerTriggers => (S::Done, &[A::DeleteRetryTimer, A::NotifyClientOfTimeout]),
            E::RetryTimerTriggers => (S::Releasing, &[A::SendPatchStatusReleased]),
            E::Start | E::ClientRequestsRelease => (S::RetryingRelease, &[]),
            _ => return None,
        },
        S::RetryingRenew => match event {
            E::SignalReceived => {
                (S::Aborting, &[
                    A::DeleteRetryTimer, A::DeleteLeaseTimer, A::CreateTimeoutTimer,
                    A::SendPatchStatusAborted,
                ])
            }
            E::ClientRequestsRelease => {
                (S::Releasing, &[
                    A::DeleteRetryTimer, A::DeleteLeaseTimer, A::CreateTimeoutTimer,
                    A::SendPatchStatusReleased,
                ])
            }
            E::RetryTimerTriggers => (S::Renewing, &[A::SendPatchTtl]),
            E::LeaseTimerTriggers => (S::Fail, &[A::DeleteRetryTimer, A::NotifyClientLockIsLost]),
            E::Start => (S::RetryingRenew, &[]),
            _ => return None,
        },
        S::RetryingWithdraw => match event {
            E::SignalReceived => (S::Done, &[A::DeleteRetryTimer, A::DeleteTimeoutTimer]),
            E::TimeoutTimerTriggers => (S::Done, &[A::DeleteRetryTimer]),
            E::RetryTimerTriggers => (S::Withdrawing, &[A::SendPatchStatusWithdrawn]),
            E::Start | E::ClientRequestsRelease => (S::RetryingWithdraw, &[]),
            _ => return None,
        },
        S::Waiting => match event {
            E::SignalReceived => {
                (S::Aborting, &[A::SendPatchStatusAborted, A::DeleteActivateTimer])
            }
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[
                    A::DeleteActivateTimer, A::NotifyClientOfTimeout, A::CreateTimeoutTimer,
                    A::SendPatchStatusWithdrawn,
                ])
            }
            E::ActivateTimerTriggers => (S::Activating, &[A::SendPatchStatusActive]),
            E::Start | E::ClientRequestsRelease => (S::Waiting, &[]),
            _ => return None,
        },
        S::Confirming => match event {
            E::SignalReceived => (S::Aborting, &[A::AbandonRequest, A::SendPatchStatusAborted]),
            E::Response { status: 200 } if guards(G::LeaseIsLive) => {
                (S::Active, &[
                    A::DeleteTimeoutTimer, A::CreateRenewTimer, A::StartLeaseTimer,
                    A::NotifyClientLockIsAcquired,
                ])
            }
            E::Response { status: 200 } => (S::RetryingConfirm, &[A::CreateRetryTimer]),
            E::Response { status: 500..=599 } => (S::RetryingConfirm, &[A::CreateRetryTimer]),
            E::Response { status: 100..=199 | 201..=499 } => {
                (S::Fail, &[A::DeleteTimeoutTimer, A::TerminateClient])
            }
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[
                    A::AbandonRequest, A::NotifyClientOfTimeout, A::CreateTimeoutTimer,
                    A::SendPatchStatusWithdrawn,
                ])
            }
            E::Start | E::ClientRequestsRelease => (S::Confirming, &[]),
            _ => return None,
        },
        S::RetryingConfirm => match event {
            E::SignalReceived => (S::Aborting, &[A::DeleteRetryTimer, A::SendPatchStatusAborted]),
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[
                    A::DeleteRetryTimer, A::NotifyClientOfTimeout, A::CreateTimeoutTimer,
                    A::SendPatchStatusWithdrawn,
                ])
            }
            E::RetryTimerTriggers => (S::Confirming, &[A::SendPatchTtl]),
            E::Start | E::ClientRequestsRelease => (S::RetryingConfirm, &[]),
            _ => return None,
        },
        S::Done | S::Fail | S::Aborted | S::AbortedCapital | S::Released
            | S::Withdrawn => return None,
    })
}

//! The claim machine by hand once more, with a sink that receives each action.
//!
//! As for the other one, a test compares it with the table, cell by cell.

#![expect(clippy::wildcard_enum_match_arm, reason = "by hand one writes `_` for the refused")]

use turnstile_machines::claim::{Action as A, Event as E, Guard as G, State as S};

/// The state that is entered, or nothing where the event is refused.
#[rustfmt::skip]
pub(crate) fn step_into(
    state: S,
    event: E,
    guards: &impl Fn(G) -> bool,
    mut sink: impl FnMut(A),
) -> Option<S> {
    Some(match state {
        S::New => match event {
            E::Start => {
                sink(A::DrawIdempotencyKey); sink(A::SendPost); sink(A::CreateTimeoutTimer);
                S::Registering
            }
            E::SignalReceived | E::ClientRequestsRelease => S::New,
            _ => return None,
        },
        S::Aborting => match event {
            E::SignalReceived => { sink(A::AbandonRequest);sink(A::DeleteTimeoutTimer); S::Done }
            E::Response { status: 204 } => { sink(A::DeleteTimeoutTimer); S::Aborted }
            E::Response { status: 500..=599 } => { sink(A::CreateRetryTimer); S::RetryingAbort }
            E::Response { status: 100..=203 | 205..=499 } => {
                sink(A::DeleteTimeoutTimer); sink(A::TerminateClient); S::Fail
            }
            E::TimeoutTimerTriggers => { sink(A::AbandonRequest); S::Done }
            E::Start | E::ClientRequestsRelease => S::Aborting,
            _ => return None,
        },
        S::Activating => match event {
            E::SignalReceived => {
                sink(A::AbandonRequest); sink(A::SendPatchStatusAborted); S::Aborting
            }
            E::Response { status: 200 } => { sink(A::SendPatchTtl); S::Confirming }
            E::Response { status: 500..=599 } => { sink(A::CreateRetryTimer); S::RetryingActivate }
            E::Response { status: 409 } => { sink(A::CreateActivateTimer); S::Waiting }
            E::Response { status: 100..=199 | 201..=408 | 410..=499 } => {
                sink(A::DeleteTimeoutTimer); sink(A::TerminateClient); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(A::AbandonRequest); sink(A::NotifyClientOfTimeout);
                sink(A::CreateTimeoutTimer); sink(A::SendPatchStatusWithdrawn); S::Withdrawing
            }
            E::Start | E::ClientRequestsRelease => S::Activating,
            _ => return None,
        },
        S::Registering => match event {
            E::SignalReceived => { sink(A::AbandonRequest);sink(A::DeleteTimeoutTimer); S::Done }
            E::Response { status: 404 | 500..=599 } => {
                sink(A::CreateRetryTimer); S::RetryingRegister
            }
            E::Response { status: 201 } if guards(G::LeaseIsLive) => {
                sink(A::DeleteTimeoutTimer); sink(A::CreateRenewTimer); sink(A::StartLeaseTimer);
                sink(A::NotifyClientLockIsAcquired); S::Active
            }
            E::Response { status: 201 } => { sink(A::SendPatchTtl); S::Confirming }
            E::Response { status: 202 } => { sink(A::CreateActivateTimer); S::Waiting }
            E::Response { status: 100..=200 | 203..=403 | 405..=499 } => {
                sink(A::DeleteTimeoutTimer); sink(A::TerminateClient); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(A::AbandonRequest); sink(A::NotifyClientOfTimeout); S::Done
            }
            E::Start | E::ClientRequestsRelease => S::Registering,
            _ => return None,
        },
        S::Releasing => match event {
            E::SignalReceived => { sink(A::AbandonRequest);sink(A::DeleteTimeoutTimer); S::Done }
            E::Response { status: 204 } => {
                sink(A::DeleteTimeoutTimer); sink(A::NotifyClientLockIsReleased); S::Released
            }
            E::Response { status: 500..=599 } => { sink(A::CreateRetryTimer); S::RetryingRelease }
            E::Response { status: 100..=203 | 205..=499 } => {
                sink(A::DeleteTimeoutTimer); sink(A::TerminateClient); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(A::AbandonRequest); sink(A::NotifyClientOfTimeout); S::Done
            }
            E::Start | E::ClientRequestsRelease => S::Releasing,
            _ => return None,
        },
        S::Renewing => match event {
            E::SignalReceived => {
                sink(A::AbandonRequest); sink(A::DeleteLeaseTimer); sink(A::CreateTimeoutTimer);
                sink(A::SendPatchStatusAborted); S::Aborting
            }
            E::ClientRequestsRelease => {
                sink(A::AbandonRequest); sink(A::DeleteLeaseTimer); sink(A::CreateTimeoutTimer);
                sink(A::SendPatchStatusReleased); S::Releasing
            }
            E::Response { status: 200 } if guards(G::LeaseIsLive) => {
                sink(A::CreateRenewTimer); sink(A::RestartLeaseTimer); S::Active
            }
            E::Response { status: 200 } => { sink(A::CreateRetryTimer); S::RetryingRenew }
            E::Response { status: 500..=599 } => { sink(A::CreateRetryTimer); S::RetryingRenew }
            E::Response { status: 100..=199 | 201..=499 } => {
                sink(A::DeleteLeaseTimer); sink(A::TerminateClient); S::Fail
            }
            E::LeaseTimerTriggers => {
                sink(A::AbandonRequest); sink(A::NotifyClientLockIsLost); S::Fail
            }
            E::Start => S::Renewing,
            _ => return None,
        },
        S::Withdrawing => match event {
            E::SignalReceived => { sink(A::AbandonRequest);sink(A::DeleteTimeoutTimer); S::Done }
            E::Response { status: 500..=599 } => { sink(A::CreateRetryTimer); S::RetryingWithdraw }
            E::Response { status: 204 } => { sink(A::DeleteTimeoutTimer); S::Withdrawn }
            E::Response { status: 100..=203 | 205..=499 } => {
                sink(A::DeleteTimeoutTimer); sink(A::TerminateClient); S::Fail
            }
            E::TimeoutTimerTriggers => { sink(A::AbandonRequest); S::Done }
            E::Start | E::ClientRequestsRelease => S::Withdrawing,
            _ => return None,
        },
        S::Active => match event {
            E::SignalReceived => {
                sink(A::DeleteRenewTimer); sink(A::DeleteLeaseTimer); sink(A::CreateTimeoutTimer);
                sink(A::SendPatchStatusAborted); S::Aborting
            }
            E::ClientRequestsRelease => {
                sink(A::DeleteRenewTimer); sink(A::DeleteLeaseTimer); sink(A::CreateTimeoutTimer);
                sink(A::SendPatchStatusReleased); S::Releasing
            }
            E::RenewTimerTriggers => { sink(A::SendPatchTtl); S::Renewing }
            E::LeaseTimerTriggers => {
                sink(A::DeleteRenewTimer); sink(A::NotifyClientLockIsLost); S::Fail
            }
            E::Start => S::Active,
            _ => return None,
        },
        S::RetryingAbort => match event {
            E::SignalReceived => { sink(A::DeleteRetryTimer);sink(A::DeleteTimeoutTimer); S::Done }
            E::TimeoutTimerTriggers => { sink(A::DeleteRetryTimer); S::Done }
            E::RetryTimerTriggers => { sink(A::SendPatchStatusAborted); S::Aborting }
            E::Start | E::ClientRequestsRelease => S::RetryingAbort,
            _ => return None,
        },
        S::RetryingActivate => match event {
            E::SignalReceived => {
                sink(A::SendPatchStatusAborted); sink(A::DeleteRetryTimer); S::Aborting
            }
            E::TimeoutTimerTriggers => {
                sink(A::DeleteRetryTimer); sink(A::NotifyClientOfTimeout);
                sink(A::CreateTimeoutTimer); sink(A::SendPatchStatusWithdrawn); S::Withdrawing
            }
            E::RetryTimerTriggers => { sink(A::SendPatchStatusActive); S::Activating }
            E::Start | E::ClientRequestsRelease => S::RetryingActivate,
            _ => return None,
        },
        S::RetryingRegister => match event {
            E::SignalReceived => { sink(A::DeleteRetryTimer);sink(A::DeleteTimeoutTimer); S::Done }
            E::TimeoutTimerTriggers => {
                sink(A::DeleteRetryTimer); sink(A::NotifyClientOfTimeout); S::Done
            }
            E::RetryTimerTriggers => { sink(A::SendPost); S::Registering }
            E::Start | E::ClientRequestsRelease => S::RetryingRegister,
            _ => return None,
        },
        S::RetryingRelease => match event {
            E::SignalReceived => { sink(A::DeleteRetryTimer);sink(A::DeleteTimeoutTimer); S::Done }
            E::TimeoutTimerTriggers => {
                sink(A::DeleteRetryTimer); sink(A::NotifyClientOfTimeout); S::Done
            }
            E::RetryTimerTriggers => { sink(A::SendPatchStatusReleased); S::Releasing }
            E::Start | E::ClientRequestsRelease => S::RetryingRelease,
            _ => return None,
        },
        S::RetryingRenew => match event {
            E::SignalReceived => {
                sink(A::DeleteRetryTimer); sink(A::DeleteLeaseTimer); sink(A::CreateTimeoutTimer);
                sink(A::SendPatchStatusAborted); S::Aborting
            }
            E::ClientRequestsRelease => {
                sink(A::DeleteRetryTimer); sink(A::DeleteLeaseTimer); sink(A::CreateTimeoutTimer);
                sink(A::SendPatchStatusReleased); S::Releasing
            }
            E::RetryTimerTriggers => { sink(A::SendPatchTtl); S::Renewing }
            E::LeaseTimerTriggers => {
                sink(A::DeleteRetryTimer); sink(A::NotifyClientLockIsLost); S::Fail
            }
            E::Start => S::RetryingRenew,
            _ => return None,
        },
        S::RetryingWithdraw => match event {
            E::SignalReceived => { sink(A::DeleteRetryTimer);sink(A::DeleteTimeoutTimer); S::Done }
            E::TimeoutTimerTriggers => { sink(A::DeleteRetryTimer); S::Done }
            E::RetryTimerTriggers => { sink(A::SendPatchStatusWithdrawn); S::Withdrawing }
            E::Start | E::ClientRequestsRelease => S::RetryingWithdraw,
            _ => return None,
        },
        S::Waiting => match event {
            E::SignalReceived => {
                sink(A::SendPatchStatusAborted); sink(A::DeleteActivateTimer); S::Aborting
            }
            E::TimeoutTimerTriggers => {
                sink(A::DeleteActivateTimer); sink(A::NotifyClientOfTimeout);
                sink(A::CreateTimeoutTimer); sink(A::SendPatchStatusWithdrawn); S::Withdrawing
            }
            E::ActivateTimerTriggers => { sink(A::SendPatchStatusActive); S::Activating }
            E::Start | E::ClientRequestsRelease => S::Waiting,
            _ => return None,
        },
        S::Confirming => match event {
            E::SignalReceived => {
                sink(A::AbandonRequest); sink(A::SendPatchStatusAborted); S::Aborting
            }
            E::Response { status: 200 } if guards(G::LeaseIsLive) => {
                sink(A::DeleteTimeoutTimer); sink(A::CreateRenewTimer); sink(A::StartLeaseTimer);
                sink(A::NotifyClientLockIsAcquired); S::Active
            }
            E::Response { status: 200 } => { sink(A::CreateRetryTimer); S::RetryingConfirm }
            E::Response { status: 500..=599 } => { sink(A::CreateRetryTimer); S::RetryingConfirm }
            E::Response { status: 100..=199 | 201..=499 } => {
                sink(A::DeleteTimeoutTimer); sink(A::TerminateClient); S::Fail
            }
            E::TimeoutTimerTriggers => {
                sink(A::AbandonRequest); sink(A::NotifyClientOfTimeout);
                sink(A::CreateTimeoutTimer); sink(A::SendPatchStatusWithdrawn); S::Withdrawing
            }
            E::Start | E::ClientRequestsRelease => S::Confirming,
            _ => return None,
        },
        S::RetryingConfirm => match event {
            E::SignalReceived => {
                sink(A::DeleteRetryTimer); sink(A::SendPatchStatusAborted); S::Aborting
            }
            E::TimeoutTimerTriggers => {
                sink(A::DeleteRetryTimer); sink(A::NotifyClientOfTimeout);
                sink(A::CreateTimeoutTimer); sink(A::SendPatchStatusWithdrawn); S::Withdrawing
            }
            E::RetryTimerTriggers => { sink(A::SendPatchTtl); S::Confirming }
            E::Start | E::ClientRequestsRelease => S::RetryingConfirm,
            _ => return None,
        },
        S::Done | S::Fail | S::Aborted | S::AbortedCapital | S::Released
            | S::Withdrawn => return None,
    })
}

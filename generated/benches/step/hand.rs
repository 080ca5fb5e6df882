//! The claim machine as a person would write it by hand: the other side of the benchmark.
//!
//! A match on the state and in it one on the event, which is faster than one match on both. A test
//! compares it with the table, cell by cell; a comparison with anything else is void.

#![expect(clippy::wildcard_enum_match_arm, reason = "by hand one writes `_` for the refused")]

use turnstile_machines::claim::{Action as A, Event as E, State as S};

/// The state that is entered and what is done, or nothing where the event is refused.
pub(crate) fn step(state: S, event: E) -> Option<(S, &'static [A])> {
    Some(match state {
        S::New => match event {
            E::Start => (S::Registering, &[A::SendPost, A::CreateTimeoutTimer]),
            _ => return None,
        },
        S::Aborting => match event {
            E::SignalReceived => (S::Done, &[]),
            E::Response { status: 204 } => (S::Aborted, &[]),
            E::Response { status: 400..=499 } => (S::Fail, &[A::TerminateClient]),
            E::Response { status: 500..=599 } => (S::RetryingAbort, &[A::CreateRetryTimer]),
            E::TimeoutTimerTriggers => (S::Done, &[]),
            _ => return None,
        },
        S::Activating => match event {
            E::SignalReceived => (S::AbortedCapital, &[A::SendPatchStatusAborted]),
            E::Response { status: 200 } => (
                S::Active,
                &[A::CreateRenewTimer, A::DeleteTimeoutTimer, A::NotifyClientLockIsAcquired],
            ),
            E::Response { status: 400..=499 } => (S::Fail, &[A::TerminateClient]),
            E::Response { status: 500..=599 } => (S::RetryingActivate, &[A::CreateRetryTimer]),
            E::TimeoutTimerTriggers => (S::Withdrawing, &[A::SendPatchStatusWithdrawn]),
            _ => return None,
        },
        S::Registering => match event {
            E::SignalReceived => (S::Done, &[A::DeleteTimeoutTimer]),
            E::Response { status: 201 } => (S::Waiting, &[A::CreateRenewTimer]),
            E::Response { status: 202 } => (S::Waiting, &[A::CreateActivateTimer]),
            E::Response { status: 400..=403 | 405..=499 } => (S::Fail, &[A::TerminateClient]),
            E::Response { status: 404 | 500..=599 } => {
                (S::RetryingRegister, &[A::CreateRetryTimer])
            }
            E::TimeoutTimerTriggers => (S::Done, &[A::NotifyClientOfTimeout]),
            _ => return None,
        },
        S::Releasing => match event {
            E::SignalReceived => (S::Done, &[]),
            E::Response { status: 204 } => (S::Released, &[A::NotifyClientLockIsReleased]),
            E::Response { status: 400..=499 } => (S::Fail, &[A::TerminateClient]),
            E::Response { status: 500..=599 } => (S::RetryingRelease, &[A::CreateRetryTimer]),
            E::TimeoutTimerTriggers => (S::Done, &[]),
            _ => return None,
        },
        S::Renewing => match event {
            E::SignalReceived => (S::Aborting, &[A::SendPatchStatusAborted]),
            E::ClientRequestsRelease => (S::Releasing, &[A::SendPatchStatusReleased]),
            E::Response { status: 200 } => (S::Active, &[A::CreateRenewTimer]),
            E::Response { status: 400..=499 } => (S::Fail, &[A::TerminateClient]),
            E::Response { status: 500..=599 } => (S::RetryingRenew, &[A::CreateRetryTimer]),
            _ => return None,
        },
        S::Withdrawing => match event {
            E::SignalReceived => (S::Done, &[]),
            E::Response { status: 204 } => (S::Withdrawn, &[]),
            E::Response { status: 400..=499 } => (S::Fail, &[A::TerminateClient]),
            E::Response { status: 500..=599 } => (S::RetryingWithdraw, &[A::CreateRetryTimer]),
            E::TimeoutTimerTriggers => (S::Done, &[]),
            _ => return None,
        },
        S::Active => match event {
            E::SignalReceived => (S::Aborting, &[A::SendPatchStatusAborted, A::DeleteRenewTimer]),
            E::ClientRequestsRelease => {
                (S::Releasing, &[A::SendPatchStatusReleased, A::DeleteRenewTimer])
            }
            E::RenewTimerTriggers => (S::Renewing, &[A::SendPatchTtl]),
            _ => return None,
        },
        S::RetryingAbort => match event {
            E::SignalReceived => (S::Done, &[]),
            E::TimeoutTimerTriggers => (S::Done, &[]),
            E::RetryTimerTriggers => (S::Aborting, &[A::SendPatchStatusAborted]),
            _ => return None,
        },
        S::RetryingActivate => match event {
            E::SignalReceived => (S::Aborting, &[A::SendPatchStatusAborted, A::DeleteRetryTimer]),
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[A::SendPatchStatusWithdrawn, A::DeleteRetryTimer])
            }
            E::RetryTimerTriggers => (S::Activating, &[A::SendPatchStatusActive]),
            _ => return None,
        },
        S::RetryingRegister => match event {
            E::SignalReceived => (S::Done, &[A::DeleteTimeoutTimer]),
            E::TimeoutTimerTriggers => (S::Done, &[A::NotifyClientOfTimeout]),
            E::RetryTimerTriggers => (S::Registering, &[A::SendPost]),
            _ => return None,
        },
        S::RetryingRelease => match event {
            E::SignalReceived => (S::Done, &[]),
            E::TimeoutTimerTriggers => (S::Done, &[]),
            E::RetryTimerTriggers => (S::Releasing, &[A::SendPatchStatusReleased]),
            _ => return None,
        },
        S::RetryingRenew => match event {
            E::SignalReceived => (S::Aborting, &[A::SendPatchStatusAborted, A::DeleteRetryTimer]),
            E::ClientRequestsRelease => {
                (S::Releasing, &[A::SendPatchStatusReleased, A::DeleteRetryTimer])
            }
            E::RetryTimerTriggers => (S::Renewing, &[A::SendPatchTtl]),
            _ => return None,
        },
        S::RetryingWithdraw => match event {
            E::SignalReceived => (S::Done, &[]),
            E::TimeoutTimerTriggers => (S::Done, &[]),
            E::RetryTimerTriggers => (S::Withdrawing, &[A::SendPatchStatusWithdrawn]),
            _ => return None,
        },
        S::Waiting => match event {
            E::SignalReceived => {
                (S::Aborting, &[A::SendPatchStatusAborted, A::DeleteActivateTimer])
            }
            E::TimeoutTimerTriggers => {
                (S::Withdrawing, &[A::SendPatchStatusWithdrawn, A::DeleteActivateTimer])
            }
            E::ActivateTimerTriggers => (S::Activating, &[A::SendPatchStatusActive]),
            _ => return None,
        },
        S::Done | S::Fail | S::Aborted | S::AbortedCapital | S::Released | S::Withdrawn => {
            return None;
        }
    })
}

/// The same with a sink that receives each action.
pub(crate) fn step_into(state: S, event: E, mut sink: impl FnMut(A)) -> Option<S> {
    Some(match state {
        S::New => match event {
            E::Start => {
                sink(A::SendPost);
                sink(A::CreateTimeoutTimer);
                S::Registering
            }
            _ => return None,
        },
        S::Aborting => match event {
            E::SignalReceived => S::Done,
            E::Response { status: 204 } => S::Aborted,
            E::Response { status: 400..=499 } => {
                sink(A::TerminateClient);
                S::Fail
            }
            E::Response { status: 500..=599 } => {
                sink(A::CreateRetryTimer);
                S::RetryingAbort
            }
            E::TimeoutTimerTriggers => S::Done,
            _ => return None,
        },
        S::Activating => match event {
            E::SignalReceived => {
                sink(A::SendPatchStatusAborted);
                S::AbortedCapital
            }
            E::Response { status: 200 } => {
                sink(A::CreateRenewTimer);
                sink(A::DeleteTimeoutTimer);
                sink(A::NotifyClientLockIsAcquired);
                S::Active
            }
            E::Response { status: 400..=499 } => {
                sink(A::TerminateClient);
                S::Fail
            }
            E::Response { status: 500..=599 } => {
                sink(A::CreateRetryTimer);
                S::RetryingActivate
            }
            E::TimeoutTimerTriggers => {
                sink(A::SendPatchStatusWithdrawn);
                S::Withdrawing
            }
            _ => return None,
        },
        S::Registering => match event {
            E::SignalReceived => {
                sink(A::DeleteTimeoutTimer);
                S::Done
            }
            E::Response { status: 201 } => {
                sink(A::CreateRenewTimer);
                S::Waiting
            }
            E::Response { status: 202 } => {
                sink(A::CreateActivateTimer);
                S::Waiting
            }
            E::Response { status: 400..=403 | 405..=499 } => {
                sink(A::TerminateClient);
                S::Fail
            }
            E::Response { status: 404 | 500..=599 } => {
                sink(A::CreateRetryTimer);
                S::RetryingRegister
            }
            E::TimeoutTimerTriggers => {
                sink(A::NotifyClientOfTimeout);
                S::Done
            }
            _ => return None,
        },
        S::Releasing => match event {
            E::SignalReceived => S::Done,
            E::Response { status: 204 } => {
                sink(A::NotifyClientLockIsReleased);
                S::Released
            }
            E::Response { status: 400..=499 } => {
                sink(A::TerminateClient);
                S::Fail
            }
            E::Response { status: 500..=599 } => {
                sink(A::CreateRetryTimer);
                S::RetryingRelease
            }
            E::TimeoutTimerTriggers => S::Done,
            _ => return None,
        },
        S::Renewing => match event {
            E::SignalReceived => {
                sink(A::SendPatchStatusAborted);
                S::Aborting
            }
            E::ClientRequestsRelease => {
                sink(A::SendPatchStatusReleased);
                S::Releasing
            }
            E::Response { status: 200 } => {
                sink(A::CreateRenewTimer);
                S::Active
            }
            E::Response { status: 400..=499 } => {
                sink(A::TerminateClient);
                S::Fail
            }
            E::Response { status: 500..=599 } => {
                sink(A::CreateRetryTimer);
                S::RetryingRenew
            }
            _ => return None,
        },
        S::Withdrawing => match event {
            E::SignalReceived => S::Done,
            E::Response { status: 204 } => S::Withdrawn,
            E::Response { status: 400..=499 } => {
                sink(A::TerminateClient);
                S::Fail
            }
            E::Response { status: 500..=599 } => {
                sink(A::CreateRetryTimer);
                S::RetryingWithdraw
            }
            E::TimeoutTimerTriggers => S::Done,
            _ => return None,
        },
        S::Active => match event {
            E::SignalReceived => {
                sink(A::SendPatchStatusAborted);
                sink(A::DeleteRenewTimer);
                S::Aborting
            }
            E::ClientRequestsRelease => {
                sink(A::SendPatchStatusReleased);
                sink(A::DeleteRenewTimer);
                S::Releasing
            }
            E::RenewTimerTriggers => {
                sink(A::SendPatchTtl);
                S::Renewing
            }
            _ => return None,
        },
        S::RetryingAbort => match event {
            E::SignalReceived => S::Done,
            E::TimeoutTimerTriggers => S::Done,
            E::RetryTimerTriggers => {
                sink(A::SendPatchStatusAborted);
                S::Aborting
            }
            _ => return None,
        },
        S::RetryingActivate => match event {
            E::SignalReceived => {
                sink(A::SendPatchStatusAborted);
                sink(A::DeleteRetryTimer);
                S::Aborting
            }
            E::TimeoutTimerTriggers => {
                sink(A::SendPatchStatusWithdrawn);
                sink(A::DeleteRetryTimer);
                S::Withdrawing
            }
            E::RetryTimerTriggers => {
                sink(A::SendPatchStatusActive);
                S::Activating
            }
            _ => return None,
        },
        S::RetryingRegister => match event {
            E::SignalReceived => {
                sink(A::DeleteTimeoutTimer);
                S::Done
            }
            E::TimeoutTimerTriggers => {
                sink(A::NotifyClientOfTimeout);
                S::Done
            }
            E::RetryTimerTriggers => {
                sink(A::SendPost);
                S::Registering
            }
            _ => return None,
        },
        S::RetryingRelease => match event {
            E::SignalReceived => S::Done,
            E::TimeoutTimerTriggers => S::Done,
            E::RetryTimerTriggers => {
                sink(A::SendPatchStatusReleased);
                S::Releasing
            }
            _ => return None,
        },
        S::RetryingRenew => match event {
            E::SignalReceived => {
                sink(A::SendPatchStatusAborted);
                sink(A::DeleteRetryTimer);
                S::Aborting
            }
            E::ClientRequestsRelease => {
                sink(A::SendPatchStatusReleased);
                sink(A::DeleteRetryTimer);
                S::Releasing
            }
            E::RetryTimerTriggers => {
                sink(A::SendPatchTtl);
                S::Renewing
            }
            _ => return None,
        },
        S::RetryingWithdraw => match event {
            E::SignalReceived => S::Done,
            E::TimeoutTimerTriggers => S::Done,
            E::RetryTimerTriggers => {
                sink(A::SendPatchStatusWithdrawn);
                S::Withdrawing
            }
            _ => return None,
        },
        S::Waiting => match event {
            E::SignalReceived => {
                sink(A::SendPatchStatusAborted);
                sink(A::DeleteActivateTimer);
                S::Aborting
            }
            E::TimeoutTimerTriggers => {
                sink(A::SendPatchStatusWithdrawn);
                sink(A::DeleteActivateTimer);
                S::Withdrawing
            }
            E::ActivateTimerTriggers => {
                sink(A::SendPatchStatusActive);
                S::Activating
            }
            _ => return None,
        },
        S::Done | S::Fail | S::Aborted | S::AbortedCapital | S::Released | S::Withdrawn => {
            return None;
        }
    })
}

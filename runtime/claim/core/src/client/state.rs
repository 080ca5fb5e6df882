//! The state, commands, notices and timers of the client of one claim.

use core::fmt;

use turnstile_claim_machines::claim;
use turnstile_step::Symbolic;

use super::outstanding::OutstandingRequests;
use crate::number::{ClaimId, IdempotencyKey};
use turnstile_ids::number::Token;

/// The state of one claim's client.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    /// The machine's state.
    #[symbolic(skip)]
    pub at: claim::State,
    /// The outstanding requests.
    pub calls: OutstandingRequests,
    /// The claim's id at the server, once the POST was answered.
    pub claim: Option<ClaimId>,
    /// The claim's token, once a response brought one.
    pub token: Option<Token>,
    /// The idempotency key of every POST of this claim, until its id is known.
    pub key: Option<IdempotencyKey>,
    /// Whether a POST may have reached the server although no response says so.
    pub may_be_registered: bool,
    /// Whether the local user has been notified that it holds the lock.
    pub(super) is_held: bool,
}

impl State {
    pub(super) const fn at(at: claim::State) -> Self {
        Self {
            at,
            calls: OutstandingRequests::NONE,
            claim: None,
            token: None,
            key: None,
            may_be_registered: false,
            is_held: false,
        }
    }

    /// Whether the local user has been notified that it holds the lock, has not been notified of
    /// its loss since, and has not released it.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        self.is_held
    }
}

/// A command of the local user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Acquire the lock; after [`Notice::KeyNeeded`], continue.
    Claim {
        /// Drawn at random by the host, never reused.
        key: IdempotencyKey,
    },
    /// Release the lock.
    Release,
    /// The program received a signal and is to end.
    Signal,
    /// Send the store an operation with the token, if the lock is held.
    Act,
}

/// A notification to the local user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// The lock is held.
    Acquired {
        /// The fencing token for operations that the lock protects.
        token: Option<Token>,
    },
    /// The claim expired while it waited; it continues once the host gives it a fresh key. The user
    /// is not notified.
    KeyNeeded,
    /// The lock was not granted in time.
    TimedOut,
    /// The server granted the lock, but its responses take so long that the lease could not be
    /// renewed in time. The claim is being withdrawn.
    TooSlow,
    /// The lock is released.
    Released,
    /// The server rejected the claim, which has ended.
    Failed {
        /// The status of the response, if a response was the cause.
        status: Option<u16>,
    },
    /// The lease may have expired: another client may hold the lock. The claim has ended.
    Lost,
}

/// A timer of the claim: a resource of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Timer(
    #[symbolic(skip)]
    #[cfg_attr(feature = "serde", serde(with = "turnstile_ids::serde_names"))]
    pub claim::Resource,
);

impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

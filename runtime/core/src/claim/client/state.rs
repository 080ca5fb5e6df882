//! What the client of one claim remembers: its place in the table, and what it was told.

use core::fmt;

use turnstile_machines::claim;
use turnstile_step::Symbolic;

use super::calls::Calls;
use crate::number::{ClaimId, IdempotencyKey, Token};

/// The state of one claim's client.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    /// Where the machine stands.
    #[symbolic(skip)]
    pub at: claim::State,
    /// What is sent and not answered.
    pub calls: Calls,
    /// The server's id of the claim, once a POST was answered.
    pub claim: Option<ClaimId>,
    /// The claim's token, once an answer brought one.
    pub token: Option<Token>,
    /// What every POST of this claim carries, until the server's id is known.
    pub key: Option<IdempotencyKey>,
    /// A POST was sent of which it is not known whether the server has handled it.
    pub(super) may_be_registered: bool,
    /// What the local user believes.
    pub(super) is_held: bool,
}

impl State {
    pub(super) const fn at(at: claim::State) -> Self {
        Self {
            at,
            calls: Calls::NONE,
            claim: None,
            token: None,
            key: None,
            may_be_registered: false,
            is_held: false,
        }
    }

    /// Whether the local user was told that it holds the lock, was not told since that it does
    /// not, and has not given it back.
    #[must_use]
    pub const fn is_held(&self) -> bool {
        self.is_held
    }
}

/// What the local user may ask of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Get the lock; or go on getting it, after [`Notice::KeyNeeded`].
    Claim {
        /// Unique for ever: the driver draws it at random.
        key: IdempotencyKey,
    },
    /// Give it back.
    Release,
    /// The program is to end.
    Signal,
    /// Do what the lock protects, if it is held: the store is sent the token.
    Act,
}

/// What the local user is told of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// The lock is held.
    Acquired {
        /// What to show to whatever the lock protects.
        token: Option<Token>,
    },
    /// The claim has expired while it waited: it goes on once it has a fresh key. The driver gives
    /// one, and no user hears of it.
    KeyNeeded,
    /// The lock was not to be had in time.
    TimedOut,
    /// The lock is given back.
    Released,
    /// The server refuses; the claim is over.
    Failed {
        /// With this status, if it was an answer that told.
        status: Option<u16>,
    },
    /// The lock may be another's from now on; the claim never comes back.
    Lost,
}

/// A timer of the claim: one of the machine's resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Timer(
    #[symbolic(skip)]
    #[cfg_attr(feature = "serde", serde(with = "crate::named"))]
    pub claim::Resource,
);

impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

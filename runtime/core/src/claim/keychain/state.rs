//! What a keychain remembers: its claims by resource, and whose each outstanding call is.

use alloc::collections::BTreeMap;
use core::fmt;

use turnstile_machines::claim::Resource;
use turnstile_step::Symbolic;

use crate::claim::client;
use crate::claim::message::ResourceName;
use crate::number::{CallId, ClaimId, IdempotencyKey};

/// The state of a keychain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    #[symbolic(values)]
    pub(super) claims: BTreeMap<ResourceName, Entry>,
    /// Whose each outstanding call is, and by which number; nobody's once its claim has ended.
    #[symbolic(skip)]
    pub(super) calls: BTreeMap<CallId, Option<(ResourceName, CallId)>>,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(super) struct Entry {
    /// What it was claimed with: its name among all claims that ever were.
    pub(super) key: IdempotencyKey,
    /// Whether its user is done with it, or was told that it is over.
    pub(super) is_leaving: bool,
    pub(super) client: client::State,
}

impl State {
    /// The claim of a resource, if it is claimed.
    #[must_use]
    pub fn claim(&self, resource: ResourceName) -> Option<&client::State> {
        self.claims.get(&resource).map(|entry| &entry.client)
    }

    /// The resource of a claim that the server knows by this id.
    #[must_use]
    pub fn resource_of(&self, claim: ClaimId) -> Option<ResourceName> {
        let mut claims = self.claims.iter();
        let is_it = |(_, entry): &(&ResourceName, &Entry)| entry.client.claim == Some(claim);
        claims.find(is_it).map(|(resource, _)| *resource)
    }

    /// Every resource that is claimed.
    pub fn claimed(&self) -> impl Iterator<Item = ResourceName> {
        self.claims.keys().copied()
    }

    /// Which claim's an outstanding call is; none where it has ended.
    #[must_use]
    pub fn whose(&self, call: CallId) -> Option<ResourceName> {
        self.calls.get(&call).copied().flatten().map(|(resource, _)| resource)
    }

    /// Forgets a claim; what it still has outstanding is nobody's.
    pub(super) fn end(&mut self, resource: ResourceName) {
        self.claims.remove(&resource);
        for whose in self.calls.values_mut() {
            if whose.is_some_and(|(of, _)| of == resource) {
                *whose = None;
            }
        }
    }
}

/// A timer of one of the claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Timer {
    /// Which claim's.
    pub resource: ResourceName,
    /// Which of its timers.
    #[symbolic(skip)]
    #[cfg_attr(feature = "serde", serde(with = "crate::named"))]
    pub timer: Resource,
}

/// What a program may ask of its keychain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Get a lock.
    Claim {
        /// Which.
        resource: ResourceName,
        /// Unique for ever: the driver draws it at random.
        key: IdempotencyKey,
    },
    /// A fresh key for a claim that needs one: [`client::Notice::KeyNeeded`].
    GoOn {
        /// Whose.
        resource: ResourceName,
        /// As that of [`Command::Claim`].
        key: IdempotencyKey,
    },
    /// Give a lock back, or wait for it no longer, as if the time to wait were over.
    Release {
        /// Which.
        resource: ResourceName,
    },
    /// The program is at the other end of the pipe no more: give back everything.
    Close,
    /// Do what a lock protects, if it is held.
    Act {
        /// Which.
        resource: ResourceName,
    },
}

/// What a program is told by its keychain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// What its claim has to say.
    Told {
        /// Which claim.
        resource: ResourceName,
        /// What.
        notice: client::Notice,
    },
    /// The resource is claimed by this program already, and is claimed once at a time.
    AlreadyClaimed {
        /// Which.
        resource: ResourceName,
        /// The claim that is refused.
        key: IdempotencyKey,
        /// The claim that there is.
        first: IdempotencyKey,
    },
    /// The keychain is full.
    TooMany {
        /// Which resource.
        resource: ResourceName,
        /// The claim that is refused.
        key: IdempotencyKey,
    },
}

impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of resource {}", self.timer, self.resource.0)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Claim { resource, key } => {
                write!(f, "to claim resource {} with key {key}", resource.0)
            }
            Self::GoOn { resource, key } => {
                write!(f, "to go on with resource {} by key {key}", resource.0)
            }
            Self::Release { resource } => write!(f, "to release resource {}", resource.0),
            Self::Close => f.write_str("to close"),
            Self::Act { resource } => write!(f, "to act on resource {}", resource.0),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told { resource, notice } => write!(f, "resource {} {notice}", resource.0),
            Self::AlreadyClaimed { resource, key, first } => {
                write!(f, "claim {key} of resource {} refused, claim {first} is there", resource.0)
            }
            Self::TooMany { resource, key } => {
                write!(f, "claim {key} of resource {} refused, there are too many", resource.0)
            }
        }
    }
}

//! The state, commands, notices and timers of a keychain.

use alloc::collections::BTreeMap;
use core::fmt;

use turnstile_claim_machines::claim::Resource;
use turnstile_step::Symbolic;

use crate::client;
use crate::message::ResourceName;
use crate::number::{ClaimId, IdempotencyKey};
use turnstile_ids::number::CallId;

/// The state of a keychain.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct State {
    #[symbolic(values)]
    pub(super) claims: BTreeMap<ResourceName, ManagedClaim>,
    /// The resource and the claim's own id of each outstanding request; `None` once the claim
    /// ended.
    #[symbolic(skip)]
    pub(super) calls: BTreeMap<CallId, Option<(ResourceName, CallId)>>,
}

/// One claim.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(super) struct ManagedClaim {
    /// The idempotency key of its first POST, which identifies the claim.
    pub(super) key: IdempotencyKey,
    /// Whether its user released it, or was notified of its end.
    pub(super) is_leaving: bool,
    pub(super) client: client::State,
}

impl State {
    /// The claim of a resource, if it is claimed.
    #[must_use]
    pub fn claim(&self, resource: ResourceName) -> Option<&client::State> {
        self.claims.get(&resource).map(|managed| &managed.client)
    }

    /// The resource of the claim with this id at the server.
    #[must_use]
    pub fn resource_of(&self, claim: ClaimId) -> Option<ResourceName> {
        let mut claims = self.claims.iter();
        let is_it =
            |(_, managed): &(&ResourceName, &ManagedClaim)| managed.client.claim == Some(claim);
        claims.find(is_it).map(|(resource, _)| *resource)
    }

    /// Every claimed resource.
    pub fn claimed(&self) -> impl Iterator<Item = ResourceName> {
        self.claims.keys().copied()
    }

    /// The resource of an outstanding request; `None` if its claim has ended.
    #[must_use]
    pub fn resource_of_call(&self, call: CallId) -> Option<ResourceName> {
        self.calls.get(&call).copied().flatten().map(|(resource, _)| resource)
    }

    /// Removes a claim; responses to its outstanding requests will be dropped.
    pub(super) fn end(&mut self, resource: ResourceName) {
        self.claims.remove(&resource);
        for owner in self.calls.values_mut() {
            if owner.is_some_and(|(of, _)| of == resource) {
                *owner = None;
            }
        }
    }
}

/// A timer of one of the claims.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Timer {
    /// The resource of the claim.
    pub resource: ResourceName,
    /// The timer of the claim's machine.
    #[symbolic(skip)]
    #[cfg_attr(feature = "serde", serde(with = "turnstile_ids::serde_names"))]
    pub timer: Resource,
}

/// A command of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Acquire a lock.
    Claim {
        /// The resource.
        resource: ResourceName,
        /// Drawn at random by the host, never reused.
        key: IdempotencyKey,
    },
    /// Continue with a fresh key, after [`client::Notice::KeyNeeded`].
    GoOn {
        /// The resource.
        resource: ResourceName,
        /// As that of [`Command::Claim`].
        key: IdempotencyKey,
    },
    /// Release a lock, or stop waiting for it, as if its timeout had fired.
    Release {
        /// The resource.
        resource: ResourceName,
    },
    /// The program closed its connection: release every lock.
    Close,
    /// Send the store an operation with the token, if the lock is held.
    Act {
        /// The resource.
        resource: ResourceName,
    },
}

/// A notification to the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// A notification of one claim.
    Told {
        /// The resource of the claim.
        resource: ResourceName,
        /// The notification.
        notice: client::Notice,
    },
    /// Rejected: the program already has a claim of this resource.
    AlreadyClaimed {
        /// The resource.
        resource: ResourceName,
        /// The key of the rejected claim.
        key: IdempotencyKey,
        /// The key of the existing claim.
        first: IdempotencyKey,
    },
    /// Rejected: the keychain has [`CLAIMS_MAX`](super::CLAIMS_MAX) claims.
    TooMany {
        /// The resource.
        resource: ResourceName,
        /// The key of the rejected claim.
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

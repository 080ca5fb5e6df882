//! The errors of a member.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// A member and its address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// The id of the member.
    pub id: u64,
    /// Its address, as it was given with the member.
    pub address: String,
}

/// Why a call to a member failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Serialize, Deserialize)]
pub enum MemberError {
    /// This member is not the leader. The operation is not executed.
    #[error("not the leader{}", hint(leader.as_ref()))]
    NotLeader {
        /// The leader, if this member knows it.
        leader: Option<Peer>,
    },
    /// The queue was full until the timeout, or it is at the leader, to which the operation was
    /// forwarded. The operation is not executed.
    #[error("too many operations are waiting, or too many bytes of them")]
    QueueFull,
    /// The operation has more bytes than the limit. It is not executed.
    #[error("the operation has {len} bytes: at most {most} are accepted")]
    TooLarge {
        /// The size of the operation.
        len: usize,
        /// The limit.
        most: usize,
    },
    /// The timeout passed, and the leader does not reach a majority of the members. The outcome is
    /// unknown: the operation may still be executed.
    #[error("no majority of the members can be reached: the outcome is unknown")]
    NoQuorum,
    /// The timeout passed. The outcome is unknown: the operation may still be executed.
    #[error("timed out: the outcome is unknown")]
    TimedOut,
    /// The leader has changed, or does not answer, after the operation was handed to it. The
    /// outcome is unknown: the operation may still be executed.
    #[error("{why}: the outcome is unknown")]
    Lost {
        /// Why.
        why: String,
    },
    /// The change of the members is not possible.
    #[error("the membership cannot be changed: {why}")]
    Membership {
        /// Why.
        why: String,
    },
    /// The member has stopped, or stops. The outcome of an operation is unknown.
    #[error("the member has stopped: {why}")]
    Stopped {
        /// Why.
        why: String,
    },
    /// The store of the leader rejects writes. The operation is not executed.
    #[error("the store of the leader rejects writes")]
    StoreFails,
}

impl MemberError {
    /// Whether the operation was certainly not executed, so that it may be proposed again.
    #[must_use]
    pub const fn is_not_executed(&self) -> bool {
        match self {
            Self::NotLeader { .. }
            | Self::QueueFull
            | Self::TooLarge { .. }
            | Self::StoreFails
            | Self::Membership { .. } => true,
            Self::NoQuorum | Self::TimedOut | Self::Lost { .. } | Self::Stopped { .. } => false,
        }
    }

    pub(crate) fn no_member(id: u64) -> Self {
        Self::Membership { why: format!("there is no member {id}") }
    }

    /// Whether it says that the member which is to be removed is none.
    #[must_use]
    pub fn is_no_member(&self, id: u64) -> bool {
        *self == Self::no_member(id)
    }

    pub(crate) fn stopped() -> Self {
        Self::Stopped { why: "it was told to".into() }
    }
}

fn hint(leader: Option<&Peer>) -> String {
    leader.map_or_else(String::new, |Peer { id, address }| format!(": that is {id} at {address}"))
}

/// The members by id, with their addresses.
pub type Members = BTreeMap<u64, String>;

//! The messages between members about locks. A message has no number but that of its round, and as
//! written in the document not even that.

use alloc::vec::Vec;
use core::fmt;

use turnstile_step::Symbolic;

use turnstile_view_handler_core::MemberId;
use turnstile_view_handler_core::number::ViewId;

/// A lock's name: the document's X.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LockName(pub u64);

/// A reconciliation round: the view whose coordinator collects the locks of its members. `None`
/// where messages are not numbered.
pub type Round = Option<ViewId>;

/// The number of a grant in its round, from 1. It is compared only with others of the same
/// coordinator, so it is no symbolic number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GrantNumber(pub u64);

impl GrantNumber {
    pub(super) const fn increment(&mut self) {
        self.0 = self.0.strict_add(1);
    }
}

/// A fencing token: greater than that of every grant before it in the same group. Parts of a group
/// that has fallen apart have tokens of their own, which differ; those of the group in which they
/// meet again are greater than all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FencingToken {
    /// The round of the coordinator that has granted the lock.
    pub round: ViewId,
    /// That coordinator.
    pub coordinator: MemberId,
    /// The number of the grant in the round.
    pub number: GrantNumber,
}

/// A request of a client to the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum LockRequest {
    /// Acquire the lock.
    Lock(LockName),
    /// Release the lock.
    Unlock(LockName),
}

/// A message and the round that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Message {
    /// The content.
    #[cfg_attr(feature = "serde", serde(rename = "says"))]
    pub body: MessageBody,
    /// Its sender's round.
    pub round: Round,
}

/// The content of a message.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum MessageBody {
    /// LOCK(X) or UNLOCK(X).
    #[cfg_attr(feature = "serde", serde(rename = "asks"))]
    Request(LockRequest),
    /// LOCK-RSP(X).
    LockRsp {
        /// X.
        lock: LockName,
        /// Whether it is granted.
        is_successful: bool,
        /// The number of the grant in the round.
        number: Option<GrantNumber>,
    },
    /// UNLOCK-RSP(X).
    UnlockRsp(LockName),
    /// DUPLICATE-LOCK(X).
    DuplicateLock(LockName),
    /// DUPLICATE-LOCK-RSP(X): the losing holder of X was notified.
    DuplicateLockRsp(LockName),
    /// LOCK-INFO-REQ.
    LockInfoReq,
    /// LOCK-INFO-RSP.
    LockInfoRsp(LockInfo),
}

/// The locks and the pending requests of a client.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LockInfo {
    /// Its client locks, by name.
    pub locks: Vec<LockName>,
    /// Its pending requests: by lock, an UNLOCK before the LOCK that came after it.
    pub requests: Vec<LockRequest>,
}

impl LockRequest {
    /// The lock.
    #[must_use]
    pub const fn lock(self) -> LockName {
        match self {
            Self::Lock(lock) | Self::Unlock(lock) => lock,
        }
    }
}

impl fmt::Display for FencingToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.round, self.coordinator.0, self.number.0)
    }
}

impl fmt::Display for LockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lock {}", self.0)
    }
}

impl fmt::Display for LockRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lock(lock) => write!(f, "LOCK({})", lock.0),
            Self::Unlock(lock) => write!(f, "UNLOCK({})", lock.0),
        }
    }
}

impl fmt::Display for LockInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LOCK-INFO-RSP")?;
        let mut before = ": ";
        for lock in &self.locks {
            write!(f, "{before}{lock}")?;
            before = ", ";
        }
        for request in &self.requests {
            write!(f, "{before}{request}")?;
            before = ", ";
        }
        Ok(())
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.body {
            MessageBody::Request(request) => write!(f, "{request}")?,
            MessageBody::LockRsp { lock, is_successful, number } => {
                let is = if *is_successful { "successful" } else { "failed" };
                write!(f, "{is} LOCK-RSP({})", lock.0)?;
                if let Some(number) = number {
                    write!(f, " number {}", number.0)?;
                }
            }
            MessageBody::UnlockRsp(lock) => write!(f, "UNLOCK-RSP({})", lock.0)?,
            MessageBody::DuplicateLock(lock) => write!(f, "DUPLICATE-LOCK({})", lock.0)?,
            MessageBody::DuplicateLockRsp(lock) => write!(f, "DUPLICATE-LOCK-RSP({})", lock.0)?,
            MessageBody::LockInfoReq => f.write_str("LOCK-INFO-REQ")?,
            MessageBody::LockInfoRsp(info) => write!(f, "{info}")?,
        }
        match self.round {
            Some(round) => write!(f, " in round {round}"),
            None => Ok(()),
        }
    }
}

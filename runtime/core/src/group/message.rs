//! The messages between members about locks. A message has no number but that of its round, and as
//! written in the document not even that.

use alloc::vec::Vec;
use core::fmt;

use turnstile_step::Symbolic;

use crate::number::ViewId;

/// A lock's name: the document's X.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LockName(pub u64);

/// A reconciliation round: the view whose coordinator collects the locks of its members. `None`
/// where messages are not numbered.
pub type Round = Option<ViewId>;

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
            MessageBody::LockRsp { lock, is_successful: true } => {
                write!(f, "successful LOCK-RSP({})", lock.0)?;
            }
            MessageBody::LockRsp { lock, is_successful: false } => {
                write!(f, "failed LOCK-RSP({})", lock.0)?;
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

//! What members say to each other about locks. A message names no number but that of the round
//! that it belongs to, and as the document has it not even that.

use alloc::vec::Vec;
use core::fmt;

use turnstile_step::Symbolic;

use crate::number::ViewId;

/// A lock's name: the document's X.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LockName(pub u16);

/// The view whose coordinator collected what its members hold; none where messages are not
/// numbered.
pub type Round = Option<ViewId>;

/// What a client asks of the coordinator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Request {
    /// The lock.
    Lock(LockName),
    /// To be rid of it.
    Unlock(LockName),
}

/// A message and the round that it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Message {
    /// What it says.
    pub says: Says,
    /// Its sender's round.
    pub round: Round,
}

/// What a message says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Says {
    /// LOCK(X) or UNLOCK(X).
    Asks(Request),
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
    /// The loser of X was told.
    DuplicateLockRsp(LockName),
    /// LOCK-INFO-REQ.
    LockInfoReq,
    /// LOCK-INFO-RSP.
    LockInfoRsp(Info),
}

/// What a client holds, and what it has asked for and not been answered.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Info {
    /// Its client locks, by name.
    pub locks: Vec<LockName>,
    /// Its pending requests: by lock, an UNLOCK before the LOCK that came after it.
    pub requests: Vec<Request>,
}

impl Request {
    /// The lock that it is about.
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

impl fmt::Display for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lock(lock) => write!(f, "LOCK({})", lock.0),
            Self::Unlock(lock) => write!(f, "UNLOCK({})", lock.0),
        }
    }
}

impl fmt::Display for Info {
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
        match &self.says {
            Says::Asks(request) => write!(f, "{request}")?,
            Says::LockRsp { lock, is_successful: true } => {
                write!(f, "successful LOCK-RSP({})", lock.0)?;
            }
            Says::LockRsp { lock, is_successful: false } => {
                write!(f, "failed LOCK-RSP({})", lock.0)?;
            }
            Says::UnlockRsp(lock) => write!(f, "UNLOCK-RSP({})", lock.0)?,
            Says::DuplicateLock(lock) => write!(f, "DUPLICATE-LOCK({})", lock.0)?,
            Says::DuplicateLockRsp(lock) => write!(f, "DUPLICATE-LOCK-RSP({})", lock.0)?,
            Says::LockInfoReq => f.write_str("LOCK-INFO-REQ")?,
            Says::LockInfoRsp(info) => write!(f, "{info}")?,
        }
        match self.round {
            Some(round) => write!(f, " in round {round}"),
            None => Ok(()),
        }
    }
}

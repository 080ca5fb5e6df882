//! Who holds what, and the commands that change it: the words of the replicated lock service.

use alloc::vec::Vec;
use core::fmt;

use turnstile_machines::lock_status::State;
use turnstile_step::Symbolic;

/// The address of a member's channel: a member that comes back has another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Address(pub u64);

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "address {}", self.0)
    }
}

/// The lockId: the identity of a lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LockName(pub u64);

impl fmt::Display for LockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lock {}", self.0)
    }
}

/// What a member is to a lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Status {
    /// Neither of the others.
    #[default]
    None,
    /// It is in the waiting queue.
    Waiting,
    /// It is the holder.
    Holding,
}

impl From<State> for Status {
    fn from(state: State) -> Self {
        match state {
            State::None => Self::None,
            State::Waiting => Self::Waiting,
            State::Holding | State::HoldingAndWaiting => Self::Holding,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Waiting => "waiting",
            Self::Holding => "holding",
        })
    }
}

/// A command of a mutex, so that its result can be told from another's. Counted by its member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Call(pub u64);

/// What a user may have the log do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Request {
    /// [`Operation::Lock`].
    Lock(LockName),
    /// [`Operation::TryLock`].
    TryLock(LockName),
    /// [`Operation::Unlock`].
    Unlock(LockName),
    /// [`Operation::UnlockAll`].
    UnlockAll,
}

impl From<Request> for Operation {
    fn from(request: Request) -> Self {
        match request {
            Request::Lock(lock) => Self::Lock(lock),
            Request::TryLock(lock) => Self::TryLock(lock),
            Request::Unlock(lock) => Self::Unlock(lock),
            Request::UnlockAll => Self::UnlockAll,
        }
    }
}

/// What a command of the log does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Operation {
    /// Hold the lock if possible, otherwise join the waiting queue.
    Lock(LockName),
    /// Hold the lock if possible.
    TryLock(LockName),
    /// Leave the holder status or the waiting queue.
    Unlock(LockName),
    /// Leave all holding and waiting status.
    UnlockAll,
    /// Remove whoever is not in the list. Internal: it is no [`Request`].
    Reset(Vec<Address>),
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lock(lock) => write!(f, "LOCK {lock}"),
            Self::TryLock(lock) => write!(f, "TRY_LOCK {lock}"),
            Self::Unlock(lock) => write!(f, "UNLOCK {lock}"),
            Self::UnlockAll => f.write_str("UNLOCK_ALL"),
            Self::Reset(members) => {
                f.write_str("RESET to")?;
                if members.is_empty() {
                    return f.write_str(" nobody");
                }
                let mut comma = " ";
                for member in members {
                    write!(f, "{comma}{}", member.0)?;
                    comma = ", ";
                }
                Ok(())
            }
        }
    }
}

/// A command of the log: who gave it, and what it does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Entry {
    /// The member that gave it.
    pub by: Address,
    /// The mutex's command that waits for its result, if one does.
    pub call: Option<Call>,
    /// What it does.
    pub operation: Operation,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.call {
            Some(call) => write!(f, "{} of {}, call {}", self.operation, self.by, call.0),
            None => write!(f, "{} of {}", self.operation, self.by),
        }
    }
}

/// What a member waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timer {
    /// A command of the mutex may take as long.
    Timeout(LockName),
    /// An UNLOCK that nobody waits for is executed again after that.
    Retry(LockName),
}

impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timeout(lock) => write!(f, "timeout of {lock}"),
            Self::Retry(lock) => write!(f, "retry timer of {lock}"),
        }
    }
}

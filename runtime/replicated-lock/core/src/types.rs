//! The types of the replicated lock service: addresses, locks, and the commands of the log.

use alloc::vec::Vec;
use core::fmt;

use turnstile_replicated_lock_machines::lock_status::State;
use turnstile_step::Symbolic;

/// The address of a member's channel. A restarted member has another one.
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

/// The status of a member for one lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum LockStatus {
    /// Neither waiting nor holding.
    #[default]
    None,
    /// It is in the waiting queue.
    Waiting,
    /// It is the holder.
    Holding,
}

impl From<State> for LockStatus {
    fn from(state: State) -> Self {
        match state {
            State::None => Self::None,
            State::Waiting => Self::Waiting,
            State::Holding | State::HoldingAndWaiting => Self::Holding,
        }
    }
}

impl fmt::Display for LockStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Waiting => "waiting",
            Self::Holding => "holding",
        })
    }
}

/// The id of a command of a mutex, or of the UNLOCK_ALL of a member that rejoins. Its member counts
/// it up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CommandId(pub u64);

/// A request of a user to the lock service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ServiceRequest {
    /// [`LogOperation::Lock`].
    Lock(LockName),
    /// [`LogOperation::TryLock`].
    TryLock(LockName),
    /// [`LogOperation::Unlock`].
    Unlock(LockName),
    /// [`LogOperation::UnlockAll`].
    UnlockAll,
}

impl From<ServiceRequest> for LogOperation {
    fn from(request: ServiceRequest) -> Self {
        match request {
            ServiceRequest::Lock(lock) => Self::Lock(lock),
            ServiceRequest::TryLock(lock) => Self::TryLock(lock),
            ServiceRequest::Unlock(lock) => Self::Unlock(lock),
            ServiceRequest::UnlockAll => Self::UnlockAll,
        }
    }
}

/// The operation of a log entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum LogOperation {
    /// Hold the lock if possible, otherwise join the waiting queue.
    Lock(LockName),
    /// Hold the lock if possible.
    TryLock(LockName),
    /// Leave the holder status or the waiting queue.
    Unlock(LockName),
    /// Leave all holding and waiting status.
    UnlockAll,
    /// Remove every member that is not in the list. Internal: not a [`ServiceRequest`].
    Reset(Vec<Address>),
}

impl fmt::Display for LogOperation {
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

/// A command of the log.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LogEntry {
    /// The member that issued it.
    pub by: Address,
    /// The id by which its member recognizes it, or its result, if it has to.
    pub call: Option<CommandId>,
    /// The operation.
    pub operation: LogOperation,
}

impl fmt::Display for LogEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.call {
            Some(call) => write!(f, "{} of {}, call {}", self.operation, self.by, call.0),
            None => write!(f, "{} of {}", self.operation, self.by),
        }
    }
}

/// The timers of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timer {
    /// The timeout of a mutex's command.
    Timeout(LockName),
    /// The delay before an UNLOCK without a waiting thread is retried.
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

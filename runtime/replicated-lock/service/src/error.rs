//! The errors of locks.

/// Why a lock is not held, or not known to be unlocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// The member was in no majority until the time-out. Nothing was executed.
    #[error("the member is connected to no majority")]
    NoMajority,
    /// The member was removed from its group, and will not lock again.
    #[error("the member was removed from its group")]
    Removed,
    /// The command failed, it timed out, or the member is in a minority: the RaftException of the
    /// document. If the member holds the lock nevertheless, it unlocks it by itself.
    #[error("the command failed or timed out; the lock is released")]
    Failed,
    /// The lock was lost before it was unlocked.
    #[error("the lock was lost")]
    Lost,
    /// The service has stopped.
    #[error("the lock service has stopped")]
    Stopped,
}

//! Why a lock is not granted.

/// Why a lock is not granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// Another lock is in the way, or requested earlier, and the request does not wait.
    #[error("another lock is in the way")]
    WouldBlock,
    /// The owner has lost locks of the file. It gets no other before it has released them.
    #[error("a lock of this owner was lost: others may have had the file since")]
    Lost,
    /// The file server does not grant the lock of the file.
    #[error("the file server refuses the lock of the file")]
    Refused,
    /// The request was withdrawn.
    #[error("the request was withdrawn")]
    Withdrawn,
    /// The manager has stopped.
    #[error("the manager has stopped")]
    Stopped,
}

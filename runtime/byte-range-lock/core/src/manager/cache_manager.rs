//! A cache manager: the tables that it runs, its timers, commands and notices.

use turnstile_byte_range_lock_machines::{byte_range_lock, server_lock};
use turnstile_machine::Rules;
use turnstile_step::Symbolic;

use crate::locks::{ClientKey, LockType};
use crate::message::FileId;
use crate::number::LockId;
use crate::range::ByteRange;

/// The core of a cache manager.
///
/// The step that takes a command also notifies its outcome. A lock request: [`Outcome::Granted`],
/// [`Outcome::Waits`] or, if its client has a LOST lock, [`Outcome::Refused`]. A waiting lock is
/// later [`Outcome::Granted`], [`Outcome::TimedOut`] or [`Outcome::Lost`], unless it is abandoned.
/// A client that loses a lock loses all its locks; each may be granted again or wait again, and the
/// client gets no new lock before it has released them. A read or write: [`Outcome::Allowed`] or
/// [`Outcome::Refused`]. A release: [`Outcome::Refused`] if the lock is another client's, otherwise
/// no notice.
///
/// A granted or lost lock is released, a waiting one is abandoned; the other way round, nothing
/// happens. So a client that abandons a lock while it is granted holds it, and has been notified.
///
/// The host counts a lease from the send of the call whose reply arms it.
#[derive(Clone, Debug)]
pub struct CacheManager<L = byte_range_lock::Machine, S = server_lock::Machine> {
    /// The table of each lock.
    pub locks: L,
    /// The table of each server lock.
    pub servers: S,
}

impl CacheManager {
    /// A cache manager by the compiled tables.
    #[must_use]
    pub const fn new() -> Self {
        Self { locks: byte_range_lock::Machine, servers: server_lock::Machine }
    }
}

impl<L, S: Rules<server_lock::Machine>> CacheManager<L, S> {
    /// Whether the table has a guard on the strongest lock that the file server may have granted.
    pub(super) fn tracks_granted(&self) -> bool {
        self.servers.asks(server_lock::Guard::LockWriteMayBeKept)
    }
}

impl Default for CacheManager {
    fn default() -> Self {
        Self::new()
    }
}

/// The timers of a cache manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timer {
    /// The check of a file's server lock.
    Check(FileId),
    /// The lease of a file's server lock.
    Lease(FileId),
    /// The timeout of a waiting lock.
    Wait(FileId, LockId),
}

/// A command: an operation of a client on a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Command {
    /// The file.
    pub file: FileId,
    /// The client.
    pub key: ClientKey,
    /// The operation.
    #[cfg_attr(feature = "serde", serde(rename = "wish"))]
    pub operation: Operation,
}

/// An operation of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Operation {
    /// Lock a range. The notices about the lock have its number.
    Lock(LockType, ByteRange),
    /// Release a granted or lost lock.
    Unlock(LockId),
    /// Abandon a waiting lock.
    Abandon(LockId),
    /// Read these bytes now.
    Read(ByteRange),
    /// Write these bytes now.
    Write(ByteRange),
}

/// A notification to a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Notice {
    /// The file.
    pub file: FileId,
    /// The client.
    pub key: ClientKey,
    /// The outcome.
    #[cfg_attr(feature = "serde", serde(rename = "what"))]
    pub outcome: Outcome,
}

/// The outcome of an operation, or a later change of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Outcome {
    /// The lock is granted.
    Granted(LockId),
    /// The lock waits.
    Waits(LockId),
    /// The wait for the lock timed out.
    TimedOut(LockId),
    /// The lock is lost, and with it every lock of the client.
    Lost(LockId),
    /// The operation is refused.
    Refused,
    /// The read or write is allowed.
    Allowed,
}

//! The messages between a member and its Raft cluster, and the member's commands and notices.

use alloc::vec::Vec;
use core::fmt;

use turnstile_step::Symbolic;

use super::locks::Locks;
use super::types::{Address, CommandId, LockName, LockStatus, LogEntry, ServiceRequest};
use turnstile_ids::number::Token;

/// The cluster: it keeps the log, elects leaders and detects failures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "data::Peer", into = "data::Peer"))]
pub struct Cluster;

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cluster")
    }
}

/// How a view changes the connectivity of the member's subgroup.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Connectivity {
    /// A minority, possibly of one member.
    Minority,
    /// A majority; members left.
    Left,
    /// A majority; members joined.
    Joined,
}

/// Why a leader was elected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum ElectionReason {
    /// A majority was just reached.
    MajorityIsJustReached,
    /// The former leader left; the majority remained.
    TheLeaderLeft,
    /// Another member became coordinator and started an election before it knew the leader.
    TheCoordinatorChanged,
}

/// A message from the cluster to a member, or [`Message::Execute`] from a member to the cluster.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Message {
    /// The set of connected members changed.
    View {
        /// The change.
        is: Connectivity,
        /// The connected members.
        members: Vec<Address>,
    },
    /// The member was elected leader.
    Elected(ElectionReason),
    /// Another member was elected leader.
    AnotherIsElected,
    /// The next committed entry of the log, to be applied.
    Apply {
        /// Its index.
        index: Token,
        /// The entry.
        entry: LogEntry,
    },
    /// The state after all commands up to an index.
    Snapshot {
        /// The index; `None` if the log is empty.
        index: Option<Token>,
        /// The state.
        locks: Locks,
    },
    /// The result of a command.
    Result {
        /// The lock.
        lock: LockName,
        /// The command.
        call: CommandId,
        /// Its index in the log.
        index: Token,
        /// The member's status after the command.
        status: LockStatus,
        /// The fencing token, if it held the lock and there was one.
        token: Option<Token>,
    },
    /// A command failed; it may nevertheless be committed.
    Failed {
        /// The lock.
        lock: LockName,
        /// The command.
        call: CommandId,
    },
    /// Append an entry to the log.
    Execute(LogEntry),
}

/// A command of the local user.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// lock() of the mutex: [`MutexEvent::Returns`] once the member holds the lock, or
    /// [`MutexEvent::Throws`]. While a thread has the mutex or waits for it, the command has no
    /// effect and no notice: the threads of one member must take turns by a local lock.
    Lock(LockName),
    /// tryLock() of the mutex: also [`MutexEvent::NotLocked`].
    TryLock(LockName),
    /// unlock() of the mutex, by the thread that has it: [`MutexEvent::Returns`] or
    /// [`MutexEvent::Throws`]; it is unlocked either way. No effect if no thread has it.
    Unlock(LockName),
    /// Call the lock service directly, without the mutex; the listener is notified.
    Serve(ServiceRequest),
}

/// A notification to the local user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// To the listener: the member's status changed.
    Changed {
        /// The lock.
        lock: LockName,
        /// The new status.
        status: LockStatus,
        /// The fencing token, if it holds the lock and there is one.
        token: Option<Token>,
    },
    /// To the thread that uses a mutex.
    Mutex {
        /// The lock.
        lock: LockName,
        /// The event.
        #[cfg_attr(feature = "serde", serde(rename = "says"))]
        event: MutexEvent,
    },
}

/// An event of a mutex, for the thread that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum MutexEvent {
    /// lock(), tryLock() or unlock() returns.
    Returns,
    /// tryLock() returns without the lock.
    NotLocked,
    /// A RaftException is thrown: the command failed or timed out, or the member resigned. If the
    /// lock is held nevertheless, it is unlocked.
    Throws,
    /// The handler of an unexpected status is called: the lock was unlocked by no thread.
    UnexpectedUnlocking,
    /// The handler of an unexpected status is called: the lock was locked or requested by no
    /// thread.
    UnexpectedLocking,
}

/// The serde form of the peer: its name, as a unit struct would be null.
#[cfg(feature = "serde")]
mod data {
    #[derive(serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub(super) enum Peer {
        Cluster,
    }

    impl From<Peer> for super::Cluster {
        fn from(_: Peer) -> Self {
            Self
        }
    }

    impl From<super::Cluster> for Peer {
        fn from(_: super::Cluster) -> Self {
            Self::Cluster
        }
    }
}

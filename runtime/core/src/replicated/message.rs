//! What a member hears from Raft and from its channel, what it gives them, and what it is told and
//! tells.

use alloc::vec::Vec;
use core::fmt;

use turnstile_step::Symbolic;

use super::locks::Locks;
use super::types::{Address, Call, Entry, LockName, Request, Status};
use crate::number::Token;

/// Whoever keeps the log and knows who is connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "data::Peer", into = "data::Peer"))]
pub struct Cluster;

impl fmt::Display for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cluster")
    }
}

/// What a view says of the subgroup that has the member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Connected {
    /// It is a minority: of one, perhaps.
    Minority,
    /// It is a majority; somebody is missing who was there before.
    Left,
    /// It is a majority; somebody is there who was missing before.
    Joined,
}

/// Why a leader is elected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Because {
    /// There was no majority before.
    MajorityIsJustReached,
    /// The leader before left, and the majority did not.
    TheLeaderLeft,
    /// Another member coordinates, and called an election before it knew of the leader.
    TheCoordinatorChanged,
}

/// What a member hears, and [`Message::Execute`], which it says.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Message {
    /// Who is connected has changed.
    View {
        /// How.
        is: Connected,
        /// Who is.
        members: Vec<Address>,
    },
    /// The member is the leader.
    Elected(Because),
    /// The member is the leader no longer.
    AnotherIsElected,
    /// The next command of the log is to be applied.
    Apply {
        /// Its index.
        index: Token,
        /// The command.
        entry: Entry,
    },
    /// What all commands up to an index came to.
    Snapshot {
        /// The index; none where the log is empty.
        index: Option<Token>,
        /// The state.
        locks: Locks,
    },
    /// The result of a command.
    Result {
        /// Of which lock.
        lock: LockName,
        /// Which command.
        call: Call,
        /// Its index in the log.
        index: Token,
        /// What the member was to the lock after it.
        status: Status,
        /// The fencing token, if it held the lock and there was one.
        token: Option<Token>,
    },
    /// A command failed; it may be in the log all the same.
    Failed {
        /// Of which lock.
        lock: LockName,
        /// Which command.
        call: Call,
    },
    /// Put this into the log.
    Execute(Entry),
}

/// What a member is told from above.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// lock() of the mutex: [`Says::Returns`] once the member holds the lock, or [`Says::Throws`].
    /// While a thread has the mutex or waits for it nothing happens, and nothing is told: threads
    /// of one member take turns at a lock of their own.
    Lock(LockName),
    /// tryLock() of the mutex: also [`Says::NotLocked`].
    TryLock(LockName),
    /// unlock() of the mutex, by the thread that has it: [`Says::Returns`], or [`Says::Throws`];
    /// unlocked it is either way. When no thread has it, nothing happens.
    Unlock(LockName),
    /// The lock service is called past the mutex; what comes of it the listener is told.
    Serve(Request),
}

/// What a member tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// The listener: the member's status is another one.
    Changed {
        /// Of which lock.
        lock: LockName,
        /// What it is now.
        status: Status,
        /// The fencing token, if it holds the lock and there is one.
        token: Option<Token>,
    },
    /// The thread, by its mutex.
    Mutex {
        /// Of which lock.
        lock: LockName,
        /// What.
        says: Says,
    },
}

/// What a mutex says to the thread that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Says {
    /// lock(), tryLock() or unlock() returns.
    Returns,
    /// tryLock() returns without the lock.
    NotLocked,
    /// A RaftException is thrown: the command failed or took too long, or the member has resigned.
    /// Should the lock be held all the same, it is unlocked.
    Throws,
    /// The handler of an unexpected status: it was unlocked, and no thread did that.
    UnexpectedUnlocking,
    /// The handler of an unexpected status: it was locked or is waited for, and no thread did that.
    UnexpectedLocking,
}

/// The one peer as data: its name, where the type alone would be null.
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

//! What a member knows of the cluster and its locks.

use turnstile_replicated_lock_core::types::{Address, LockName};

/// The status of a member at one time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The status of its log. While its store rejects writes, it follows no log.
    pub raft: turnstile_raft::Status,
    /// Its address: another one after each start.
    pub address: Address,
    /// The number of its session.
    pub epoch: u64,
    /// Whether it takes commands: it is in the majority, and follows the log.
    pub is_ready: bool,
    /// The state of the machine `lock-member`: resigned, follower or leader.
    pub member: String,
    /// The present members, by the last view.
    pub present: Vec<LockMember>,
    /// The locks with a holder or a waiter, as far as this member has applied the log.
    pub locks: Vec<LockState>,
    /// Events that no row of a table handles, the first few: always empty, unless there is a bug.
    pub unhandled: Vec<String>,
}

/// A member, as the holder of a lock, a waiter, or one of the present.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockMember {
    /// The address.
    pub address: Address,
    /// The id of the member, while it has a session.
    pub id: Option<u64>,
}

/// A lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockState {
    /// The lock.
    pub lock: LockName,
    /// Its id, if it is known.
    pub id: Option<String>,
    /// The holder.
    pub holder: Option<LockMember>,
    /// The fencing token.
    pub token: Option<u64>,
    /// The waiters, in their order.
    pub waiters: Vec<LockMember>,
}

//! What a member remembers: as a client its locks and requests, as a coordinator the lock table,
//! the queue and the responses.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt;

use turnstile_machines::{group_lock_client as client, group_lock_coordinator as coordinator};
use turnstile_step::{IdClass, Symbolic};

use super::message::{Info, LockName, Request, Round};
use crate::number::ViewId;
use crate::view::{MemberId, View};

/// The state of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The view that was delivered last.
    pub view: Option<View>,
    /// The coordinator that is remembered.
    pub coord: Option<MemberId>,
    /// The round whose LOCK-INFO-REQ was answered last.
    pub round: Round,
    /// The locks that were asked for and not given up, with what became of them.
    pub(super) locks: BTreeMap<LockName, Lock>,
    /// Who sent a LOCK-INFO-REQ of a view that has not been delivered, and the view's number.
    pub(super) early: BTreeMap<MemberId, ViewId>,
    /// What it does as a coordinator.
    pub(super) server: Server,
}

/// A lock at the member that uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lock {
    /// Where its machine stands.
    pub at: client::State,
    /// Whether it is in client-locks.
    pub is_client_lock: bool,
}

/// A member as coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Server {
    /// Where its machine stands.
    pub at: coordinator::State,
    /// lock-table: who has which lock.
    pub table: BTreeMap<LockName, MemberId>,
    /// req-queue: who asks for what.
    pub queue: Vec<(MemberId, Request)>,
    /// Whether lock-handler runs.
    pub is_handling: bool,
    /// The round that it numbered.
    pub round: Round,
    /// The members that were asked, and what they responded.
    pub(super) responses: BTreeMap<MemberId, Option<Info>>,
    /// Requests that come after those of the responses.
    pub(super) aside: Vec<(MemberId, Request)>,
    /// Losers that have not yet said that they were told.
    pub(super) losers: BTreeSet<(MemberId, LockName)>,
}

impl Server {
    /// Whether requests are in its req-queue, or set aside until they may be.
    #[must_use]
    pub fn is_asked(&self) -> bool {
        !self.queue.is_empty() || !self.aside.is_empty()
    }

    /// How much there is to be handled: what one step may take grows with it.
    pub(super) fn size(&self) -> usize {
        let responses = self.responses.values().flatten();
        let responses = responses.map(|info| info.locks.len() + info.requests.len());
        let waiting = self.queue.len() + self.aside.len() + self.losers.len();
        self.table.len() + waiting + responses.sum::<usize>()
    }

    /// The requests of its req-queue, and those set aside to come behind them, in order.
    pub fn requests(&self) -> impl Iterator<Item = (MemberId, Request)> {
        self.queue.iter().chain(&self.aside).copied()
    }

    /// Who was told that a lock is another's, and has not answered.
    pub fn losers(&self) -> impl Iterator<Item = (MemberId, LockName)> {
        self.losers.iter().copied()
    }
}

impl State {
    pub(super) fn at(at: coordinator::State) -> Self {
        let server = Server {
            at,
            table: BTreeMap::new(),
            queue: Vec::new(),
            is_handling: false,
            round: None,
            responses: BTreeMap::new(),
            aside: Vec::new(),
            losers: BTreeSet::new(),
        };
        Self {
            view: None,
            coord: None,
            round: None,
            locks: BTreeMap::new(),
            early: BTreeMap::new(),
            server,
        }
    }

    /// A lock that this member uses.
    #[must_use]
    pub fn lock(&self, lock: LockName) -> Option<&Lock> {
        self.locks.get(&lock)
    }

    /// This member as coordinator.
    #[must_use]
    pub const fn server(&self) -> &Server {
        &self.server
    }

    /// Every lock that this member uses, by name.
    pub fn locks(&self) -> impl Iterator<Item = (LockName, &Lock)> {
        self.locks.iter().map(|(name, lock)| (*name, lock))
    }
}

/// The timers of a member. How long they run is the driver's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timer {
    /// How long a caller of lock() waits.
    Lock(LockName),
    /// How long the coordinator waits for responses, again and again: who has not responded then
    /// is worth a suspicion.
    Reconciliation,
}

/// What a member is told from above and from below.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Get the lock. One of [`Notice::Locked`], [`Notice::Rejected`] and [`Notice::TimedOut`] is
    /// its return; nobody waits in a queue. While the member holds the lock, the return is
    /// [`Notice::Rejected`]. While it waits for it, nothing happens, and nothing is told: callers
    /// of one member take turns.
    Lock(LockName),
    /// Give it back, at once: there is no answer. Whoever does not hold the lock may say so, too;
    /// while the member waits for it, nothing happens.
    Unlock(LockName),
    /// The membership has a new view, which has this member.
    View(View),
}

/// What the local user is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// lock() returns: the lock is held.
    Locked(LockName),
    /// lock() returns: another one holds it.
    Rejected(LockName),
    /// lock() returns: no answer came in time. Should it be granted yet, it is given back.
    TimedOut(LockName),
    /// Groups have merged, and the lock is another's: whoever holds it here holds it no longer. It
    /// may come when the lock has just been given back.
    Duplicate(LockName),
}

impl Notice {
    /// The lock that it is about.
    #[must_use]
    pub const fn lock(self) -> LockName {
        match self {
            Self::Locked(lock)
            | Self::Rejected(lock)
            | Self::TimedOut(lock)
            | Self::Duplicate(lock) => lock,
        }
    }
}

impl Symbolic for State {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.view.visit_ids(each);
        self.round.visit_ids(each);
        self.early.visit_ids(each);
        self.server.round.visit_ids(each);
    }
}

impl fmt::Display for Timer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lock(lock) => write!(f, "timeout of {lock}"),
            Self::Reconciliation => f.write_str("reconciliation timeout"),
        }
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lock(lock) => write!(f, "to lock {}", lock.0),
            Self::Unlock(lock) => write!(f, "to unlock {}", lock.0),
            Self::View(view) => write!(f, "of {view}"),
        }
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Locked(lock) => write!(f, "that {lock} is held"),
            Self::Rejected(lock) => write!(f, "that {lock} is another's"),
            Self::TimedOut(lock) => write!(f, "that no answer came for {lock}"),
            Self::Duplicate(lock) => write!(f, "that {lock} is lost to another"),
        }
    }
}

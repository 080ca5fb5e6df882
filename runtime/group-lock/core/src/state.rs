//! The state, timers, commands and notices of a member: as a client its locks and requests, as a
//! coordinator the lock table, the queue and the responses.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;
use core::fmt;

use turnstile_group_lock_machines::{
    group_lock_client as client, group_lock_coordinator as coordinator,
};
use turnstile_step::{IdClass, Symbolic};

use super::message::{FencingToken, GrantNumber, LockInfo, LockName, LockRequest, Round};
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{MemberId, View};

/// The state of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The last delivered view.
    pub view: Option<View>,
    /// The known coordinator.
    pub coord: Option<MemberId>,
    /// The round of the last answered LOCK-INFO-REQ.
    pub round: Round,
    /// The locks that are requested or held, by name.
    pub(super) locks: BTreeMap<LockName, LockState>,
    /// Senders of a LOCK-INFO-REQ of a view that is not delivered yet, with the view's number.
    pub(super) early: BTreeMap<MemberId, ViewId>,
    /// Its state as coordinator.
    pub(super) coordinator: CoordinatorState,
}

/// A lock at a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LockState {
    /// The machine's state.
    pub at: client::State,
    /// Whether it is in client-locks.
    pub is_client_lock: bool,
}

/// The state of a member as coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CoordinatorState {
    /// The machine's state.
    pub at: coordinator::State,
    /// lock-table: the holder of each lock.
    pub table: BTreeMap<LockName, MemberId>,
    /// req-queue: requests with their clients.
    pub queue: Vec<(MemberId, LockRequest)>,
    /// Whether lock-handler runs.
    pub is_handling: bool,
    /// The round that it started.
    pub round: Round,
    /// The number of the last grant in that round; zero before the first one.
    pub granted: GrantNumber,
    /// The queried members, with their responses.
    pub(super) responses: BTreeMap<MemberId, Option<LockInfo>>,
    /// Requests deferred until after those of the responses.
    pub(super) deferred: Vec<(MemberId, LockRequest)>,
    /// Losing holders that have not acknowledged DUPLICATE-LOCK.
    pub(super) losers: BTreeSet<(MemberId, LockName)>,
}

impl CoordinatorState {
    /// The amount of pending data, which bounds the work of one step.
    pub(super) fn size(&self) -> usize {
        let responses = self.responses.values().flatten();
        let responses = responses.map(|info| info.locks.len() + info.requests.len());
        let waiting = self.queue.len() + self.deferred.len() + self.losers.len();
        self.table.len() + waiting + responses.sum::<usize>()
    }

    /// The queued requests, then the deferred ones, in order.
    pub fn requests(&self) -> impl Iterator<Item = (MemberId, LockRequest)> {
        self.queue.iter().chain(&self.deferred).copied()
    }

    /// The members of the round, by address; none once it is over.
    pub fn queried(&self) -> impl Iterator<Item = MemberId> {
        self.responses.keys().copied()
    }

    /// Losing holders that have not acknowledged DUPLICATE-LOCK.
    pub fn losers(&self) -> impl Iterator<Item = (MemberId, LockName)> {
        self.losers.iter().copied()
    }
}

impl State {
    pub(super) fn at(at: coordinator::State) -> Self {
        let coordinator = CoordinatorState {
            at,
            table: BTreeMap::new(),
            queue: Vec::new(),
            is_handling: false,
            round: None,
            granted: GrantNumber::default(),
            responses: BTreeMap::new(),
            deferred: Vec::new(),
            losers: BTreeSet::new(),
        };
        Self {
            view: None,
            coord: None,
            round: None,
            locks: BTreeMap::new(),
            early: BTreeMap::new(),
            coordinator,
        }
    }

    /// A lock that this member uses.
    #[must_use]
    pub fn lock(&self, lock: LockName) -> Option<&LockState> {
        self.locks.get(&lock)
    }

    /// Senders of a LOCK-INFO-REQ of a view that is not delivered yet, with the view's number.
    pub fn early(&self) -> impl Iterator<Item = (MemberId, ViewId)> {
        self.early.iter().map(|(member, view)| (*member, *view))
    }

    /// This member as coordinator.
    #[must_use]
    pub const fn coordinator(&self) -> &CoordinatorState {
        &self.coordinator
    }

    /// Every lock that this member uses, by name.
    pub fn locks(&self) -> impl Iterator<Item = (LockName, &LockState)> {
        self.locks.iter().map(|(name, lock)| (*name, lock))
    }
}

/// The timers of a member. The host chooses their durations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Timer {
    /// The timeout of a caller of lock().
    Lock(LockName),
    /// The timeout of the coordinator's wait for responses; it restarts. A member that has not
    /// responded by then may have failed.
    Reconciliation,
}

/// A command of the local user or of the membership layer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Command {
    /// Acquire the lock. The outcome is [`Notice::Locked`], [`Notice::Rejected`] or
    /// [`Notice::TimedOut`]; requests do not queue. While the member holds the lock, the outcome is
    /// [`Notice::Rejected`]. While it waits for the lock, the command has no effect and no notice:
    /// the callers of one member must take turns.
    Lock(LockName),
    /// Release the lock, without a notice. It is no error if the lock is not held; while the member
    /// waits for the lock, the command has no effect.
    Unlock(LockName),
    /// The membership layer delivers a new view, which contains this member.
    View(View),
}

/// A notification to the local user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Notice {
    /// lock() returns: the lock is held. Its fencing token, if grants are numbered.
    Locked(LockName, Option<FencingToken>),
    /// lock() returns: another member holds the lock.
    Rejected(LockName),
    /// lock() returns: no response in time. A later grant is released.
    TimedOut(LockName),
    /// Groups have merged and another member keeps the lock: this member no longer holds it. The
    /// notice may come just after the lock was released.
    Duplicate(LockName),
}

impl Notice {
    /// The lock.
    #[must_use]
    pub const fn lock(self) -> LockName {
        match self {
            Self::Locked(lock, _)
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
        self.coordinator.round.visit_ids(each);
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
            Self::Locked(lock, None) => write!(f, "that {lock} is held"),
            Self::Locked(lock, Some(token)) => write!(f, "that {lock} is held by token {token}"),
            Self::Rejected(lock) => write!(f, "that {lock} is held by another member"),
            Self::TimedOut(lock) => write!(f, "that {lock} timed out"),
            Self::Duplicate(lock) => write!(f, "that {lock} is lost to another member"),
        }
    }
}

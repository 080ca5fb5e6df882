//! The state of a member: the replica, the last notifications of its listener, and its mutexes.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use turnstile_replicated_lock_machines::{lock_member as member, lock_mutex as mutex};
use turnstile_step::Symbolic;

use super::locks::Locks;
use super::types::{Address, CommandId, LockName, LockStatus};
use turnstile_ids::number::Token;

/// The state of a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct State {
    /// The machine's state.
    #[symbolic(skip)]
    pub at: member::State,
    /// The replicated state after the applied commands.
    pub replica: Locks,
    /// The index of the last applied command.
    pub applied: Option<Token>,
    /// Whether applied changes are notified.
    pub hears: bool,
    /// The connected members, by the last view.
    pub present: Vec<Address>,
    /// The last status and token notified to the listener, for each lock whose status is not none.
    #[symbolic(values)]
    pub told: BTreeMap<LockName, (LockStatus, Option<Token>)>,
    #[symbolic(values)]
    pub(super) mutexes: BTreeMap<LockName, Mutex>,
    pub(super) calls: CommandId,
    /// The last UNLOCK_ALL that it executed because it rejoined.
    pub unlock_all: Option<CommandId>,
}

/// A mutex: an exclusive lock across processes, as seen by one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Mutex {
    /// The machine's state.
    #[symbolic(skip)]
    pub at: mutex::State,
    /// The last executed command, until its result arrives.
    pub call: Option<CommandId>,
    /// Whether the member has applied that command, if the table has a guard on it.
    pub lag: Lag,
    /// The fencing token of the thread that has it.
    pub token: Option<Token>,
}

/// Whether a member has applied the command that its mutex executed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Lag {
    /// It has applied it.
    None,
    /// It has not: the command has this index.
    Until(Token),
    /// Unknown.
    Unknown,
}

impl Mutex {
    pub(super) const fn unused(at: mutex::State) -> Self {
        Self { at, call: None, lag: Lag::None, token: None }
    }
}

impl State {
    pub(super) const fn at(at: member::State) -> Self {
        Self {
            at,
            replica: Locks::new(),
            applied: None,
            hears: true,
            present: Vec::new(),
            told: BTreeMap::new(),
            mutexes: BTreeMap::new(),
            calls: CommandId(0),
            unlock_all: None,
        }
    }

    /// A mutex that was used.
    #[must_use]
    pub fn mutex(&self, lock: LockName) -> Option<&Mutex> {
        self.mutexes.get(&lock)
    }

    /// Every mutex that was used, by its lock.
    pub fn mutexes(&self) -> impl Iterator<Item = (LockName, &Mutex)> {
        self.mutexes.iter().map(|(lock, mutex)| (*lock, mutex))
    }

    /// Clears the lag of each mutex whose command has been applied: `call`, or one up to the
    /// last applied entry. A mutex that is then as `unused` is removed.
    pub(super) fn catch_up(&mut self, call: Option<CommandId>, unused: Mutex) {
        let applied = self.applied;
        self.mutexes.retain(|_, mutex| {
            let is_before = matches!(mutex.lag, Lag::Until(index) if Some(index) <= applied);
            if is_before || call.is_some() && mutex.call == call {
                mutex.lag = Lag::None;
            }
            *mutex != unused
        });
    }
}

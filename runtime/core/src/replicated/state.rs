//! What a member remembers: the replica, what its listener was told, and its mutexes.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use turnstile_machines::{lock_member as member, lock_mutex as mutex};
use turnstile_step::Symbolic;

use super::locks::Locks;
use super::types::{Address, Call, LockName, Status};
use crate::number::Token;

/// The state of a member.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct State {
    /// Where its machine stands.
    #[symbolic(skip)]
    pub at: member::State,
    /// What the log has come to, as far as it was applied.
    pub replica: Locks,
    /// The index of the last command that was applied, if one was.
    pub applied: Option<Token>,
    /// Whether what is applied is told.
    pub hears: bool,
    /// Who is connected, by the last view.
    pub present: Vec<Address>,
    /// What the listener was told last, of each lock that it was not told to have none of.
    #[symbolic(values)]
    pub told: BTreeMap<LockName, (Status, Option<Token>)>,
    #[symbolic(values)]
    pub(super) mutexes: BTreeMap<LockName, Mutex>,
    pub(super) calls: Call,
}

/// An exclusive lock across processes, at one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Mutex {
    /// Where its machine stands.
    #[symbolic(skip)]
    pub at: mutex::State,
    /// The command that was executed last, if its result has not come.
    pub call: Option<Call>,
    /// How far the member lags behind it, where the table asks.
    pub lag: Lag,
    /// The fencing token of the thread that has it.
    pub token: Option<Token>,
}

/// Whether a member has applied the command that its mutex executed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Lag {
    /// It has, or the command has failed.
    None,
    /// It will have when it has applied the command of this index.
    Until(Token),
    /// That is not known.
    Unknown,
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
            calls: Call(0),
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

    /// What was applied is no longer ahead of any mutex.
    pub(super) fn catch_up(&mut self) {
        for mutex in self.mutexes.values_mut() {
            if matches!(mutex.lag, Lag::Until(index) if Some(index) <= self.applied) {
                mutex.lag = Lag::None;
            }
        }
    }
}

//! The replicated state and the one function that changes it: [`Service::apply`].
//!
//! It depends on nothing but the state, the log index and the command, so every member that applies
//! the same log has the same state. It knows no leader, no connection and no listener.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_machines::lock_status::{self as machine, Action, Event, Guard, Machine};
use turnstile_step::{RowOutcome, Symbolic, take};

use super::types::{Address, Entry, LockName, Operation, Status};
use crate::number::Token;

/// The machine's name.
pub(super) const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

/// The most holders that one event makes, beside those that wait.
const NEXT_MIN: usize = 8;

/// All locks that somebody holds or waits for.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Locks(#[symbolic(values)] BTreeMap<LockName, Lock>);

/// One lock.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Lock {
    /// The holder.
    pub holder: Option<Address>,
    /// The fencing token of its grant: the log index.
    pub token: Option<Token>,
    /// The waiting queue, the first one first.
    pub waiters: Vec<Address>,
    /// Where each member's machine is, unless it is where it began.
    #[symbolic(skip)]
    #[cfg_attr(feature = "serde", serde(with = "crate::named::each"))]
    pub status: Vec<(Address, machine::State)>,
}

/// Somebody's status after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct Change {
    /// Which lock.
    pub lock: LockName,
    /// Whose.
    pub member: Address,
    /// What it is now.
    pub status: Status,
    /// The fencing token, if it holds the lock and there is one.
    pub token: Option<Token>,
}

impl Locks {
    /// Nobody holds anything.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// A lock that somebody holds or waits for.
    #[must_use]
    pub fn lock(&self, name: LockName) -> Option<&Lock> {
        self.0.get(&name)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (LockName, &Lock)> {
        self.0.iter().map(|(name, lock)| (*name, lock))
    }

    pub(super) fn each_mut(&mut self) -> impl Iterator<Item = &mut Lock> {
        self.0.values_mut()
    }

    /// What a member is to a lock.
    #[must_use]
    pub fn status(&self, name: LockName, member: Address) -> Status {
        self.lock(name).map_or(Status::None, |lock| {
            let found = lock.status.iter().find(|(who, _)| *who == member);
            found.map_or(Status::None, |(_, at)| Status::from(*at))
        })
    }

    /// The fencing token of a member that holds a lock.
    #[must_use]
    pub fn token(&self, name: LockName, member: Address) -> Option<Token> {
        self.lock(name).filter(|lock| lock.holder == Some(member)).and_then(|lock| lock.token)
    }

    /// Everybody who holds a lock or waits for one, each once, in order.
    #[must_use]
    pub fn everybody(&self) -> Vec<Address> {
        let mut all: Vec<Address> = self.0.values().flat_map(Lock::everybody).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn of(&self, member: Address) -> Vec<LockName> {
        let theirs = self.iter().filter(|(_, lock)| lock.everybody().any(|who| who == member));
        theirs.map(|(name, _)| name).collect()
    }
}

impl FromIterator<(LockName, Lock)> for Locks {
    fn from_iter<I: IntoIterator<Item = (LockName, Lock)>>(locks: I) -> Self {
        Self(locks.into_iter().collect())
    }
}

impl Lock {
    /// The holder and the waiters.
    pub fn everybody(&self) -> impl Iterator<Item = Address> {
        self.holder.into_iter().chain(self.waiters.iter().copied())
    }

    fn settle(&mut self, member: Address, to: machine::State, initial: machine::State) {
        self.status.retain(|(who, _)| *who != member);
        if to != initial {
            let place = self.status.partition_point(|(who, _)| *who < member);
            self.status.insert(place, (member, to));
        }
    }
}

/// The lock service's state machine, by some table.
#[derive(Clone, Copy, Debug, Default)]
pub struct Service<R: Rules<Machine> = Machine> {
    /// The table.
    pub rules: R,
}

/// A command on its way.
struct Applying<'a, R: Rules<Machine>> {
    rules: &'a R,
    locks: &'a mut Locks,
    index: Token,
    list: &'a [Address],
    changes: Vec<Change>,
    rows: &'a mut Vec<RowOutcome>,
    /// Who is told to be the next holder, once the row that says so is done.
    then: VecDeque<(LockName, Address)>,
}

impl<R: Rules<Machine>> Service<R> {
    /// Applies the command at this index of the log, and says whose status changed, in order.
    pub fn apply(
        &self,
        locks: &mut Locks,
        index: Token,
        entry: &Entry,
        rows: &mut Vec<RowOutcome>,
    ) -> Vec<Change> {
        let list: &[Address] = match &entry.operation {
            Operation::Reset(list) => list,
            Operation::Lock(_)
            | Operation::TryLock(_)
            | Operation::Unlock(_)
            | Operation::UnlockAll => &[],
        };
        let mut applying = Applying {
            rules: &self.rules,
            locks,
            index,
            list,
            changes: Vec::new(),
            rows,
            then: VecDeque::new(),
        };
        applying.obey(entry);
        let changes = applying.changes;
        locks.0.retain(|_, lock| lock.everybody().next().is_some() || !lock.status.is_empty());
        changes
    }
}

impl<R: Rules<Machine>> Applying<'_, R> {
    fn obey(&mut self, entry: &Entry) {
        match &entry.operation {
            Operation::Lock(lock) => self.take(*lock, entry.by, Event::Lock),
            Operation::TryLock(lock) => self.take(*lock, entry.by, Event::TryLock),
            Operation::Unlock(lock) => self.take(*lock, entry.by, Event::Unlock),
            Operation::UnlockAll => {
                for lock in self.locks.of(entry.by) {
                    self.take(lock, entry.by, Event::UnlockAll);
                }
            }
            Operation::Reset(_) => {
                let all = self
                    .locks
                    .iter()
                    .flat_map(|(name, lock)| lock.everybody().map(move |member| (name, member)));
                let all: Vec<(LockName, Address)> = all.collect();
                for (lock, member) in all {
                    self.take(lock, member, Event::Reset);
                }
            }
        }
    }

    /// One event for one machine, and then for those that it tells to be the next holder.
    fn take(&mut self, name: LockName, member: Address, event: Event) {
        self.step(name, member, event);
        let waiting = self.locks.lock(name).map_or(0, |lock| lock.waiters.len());
        for _ in 0..waiting + NEXT_MIN {
            let Some((name, member)) = self.then.pop_front() else { return };
            self.step(name, member, Event::NextHolder);
        }
        // A table may have each holder make the next one.
        self.then.clear();
        let (action, because) = ("make the next holder", "it follows from itself without end");
        self.rows.push(RowOutcome::ActionFailed { machine: MACHINE, action, because });
    }

    fn step(&mut self, name: LockName, member: Address, event: Event) {
        let rules = self.rules;
        let initial = rules.initial();
        let lock = self.locks.0.entry(name).or_default();
        let found = lock.status.iter().find(|(who, _)| *who == member);
        let at = found.map_or(initial, |(_, at)| *at);
        let guards = |guard: Guard| match guard {
            Guard::Possible => lock.holder.is_none(),
            Guard::InTheList => self.list.contains(&member),
        };
        let (taken, step) = take(rules, at, event, &guards);
        self.rows.push(taken);
        let Some(step) = step else { return };
        lock.settle(member, step.to, initial);
        for entry in step.actions {
            self.carry(name, member, entry.action);
        }
    }

    fn carry(&mut self, name: LockName, member: Address, action: Action) {
        let lock = self.locks.0.entry(name).or_default();
        match action {
            Action::HoldTheLock => (lock.holder, lock.token) = (Some(member), None),
            Action::JoinTheWaitingQueue => lock.waiters.push(member),
            Action::LeaveTheHolderStatus => (lock.holder, lock.token) = (None, None),
            Action::LeaveTheWaitingQueue => lock.waiters.retain(|who| *who != member),
            Action::MakeTheFirstWaiterTheNextHolder => {
                self.then.extend(lock.waiters.first().map(|first| (name, *first)));
            }
            Action::MakeTheFirstWaiterInTheListTheNextHolder => {
                let first = lock.waiters.iter().find(|who| self.list.contains(who));
                self.then.extend(first.map(|first| (name, *first)));
            }
            Action::MintAFencingToken => lock.token = Some(self.index),
            Action::NotifyTheListener => {
                let status = self.locks.status(name, member);
                let token = self.locks.token(name, member);
                self.changes.push(Change { lock: name, member, status, token });
            }
        }
    }
}

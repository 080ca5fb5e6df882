//! The replicated state and the one function that changes it: [`Service::apply`].
//!
//! It depends only on the state, the log index and the command, so every member that applies the
//! same log has the same state. It knows no leader, no connection and no listener.

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;

use turnstile_machine::Rules;
use turnstile_replicated_lock_machines::lock_status::{
    self as machine, Action, Event, Guard, Machine,
};
use turnstile_step::{RowOutcome, Symbolic, step_machine};

use super::types::{Address, LockName, LockStatus, LogEntry, LogOperation};
use turnstile_ids::number::Token;

/// The machine's name.
pub(super) const MACHINE: &str = <Machine as turnstile_machine::Machine>::TABLE.machine;

/// The most holders that one event makes, in addition to the number of waiters.
const NEXT_MIN: usize = 8;

/// All locks with a holder or a waiter.
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
    /// The waiting queue, first in, first out.
    pub waiters: Vec<Address>,
    /// The state of each member's machine, unless it is the initial one.
    #[symbolic(skip)]
    #[cfg_attr(feature = "serde", serde(with = "turnstile_ids::serde_names::each"))]
    pub status: Vec<(Address, machine::State)>,
}

/// A member's status after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub struct StatusChange {
    /// The lock.
    pub lock: LockName,
    /// The member.
    pub member: Address,
    /// The new status.
    pub status: LockStatus,
    /// The fencing token, if it holds the lock and there is one.
    pub token: Option<Token>,
}

impl Locks {
    /// No locks.
    #[must_use]
    pub const fn new() -> Self {
        Self(BTreeMap::new())
    }

    /// A lock with a holder or a waiter.
    #[must_use]
    pub fn lock(&self, name: LockName) -> Option<&Lock> {
        self.0.get(&name)
    }

    /// All locks, by name.
    pub fn iter(&self) -> impl Iterator<Item = (LockName, &Lock)> {
        self.0.iter().map(|(name, lock)| (*name, lock))
    }

    pub(super) fn each_mut(&mut self) -> impl Iterator<Item = &mut Lock> {
        self.0.values_mut()
    }

    /// A member's status for a lock.
    #[must_use]
    pub fn status(&self, name: LockName, member: Address) -> LockStatus {
        self.lock(name).map_or(LockStatus::None, |lock| {
            let found = lock.status.iter().find(|(who, _)| *who == member);
            found.map_or(LockStatus::None, |(_, at)| LockStatus::from(*at))
        })
    }

    /// The fencing token of a member that holds a lock.
    #[must_use]
    pub fn token(&self, name: LockName, member: Address) -> Option<Token> {
        self.lock(name).filter(|lock| lock.holder == Some(member)).and_then(|lock| lock.token)
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

    fn set_state(&mut self, member: Address, to: machine::State, initial: machine::State) {
        self.status.retain(|(who, _)| *who != member);
        if to != initial {
            let place = self.status.partition_point(|(who, _)| *who < member);
            self.status.insert(place, (member, to));
        }
    }
}

/// The replicated state machine of the lock service, by a table.
#[derive(Clone, Copy, Debug, Default)]
pub struct Service<R: Rules<Machine> = Machine> {
    /// The table.
    pub rules: R,
}

/// The command that is being applied.
struct ApplyContext<'a, R: Rules<Machine>> {
    rules: &'a R,
    locks: &'a mut Locks,
    index: Token,
    list: &'a [Address],
    changes: Vec<StatusChange>,
    rows: &'a mut Vec<RowOutcome>,
    /// Members that become the next holder after the current row.
    then: VecDeque<(LockName, Address)>,
}

impl<R: Rules<Machine>> Service<R> {
    /// Applies the command at this index of the log. Returns the changes of status, in order.
    pub fn apply(
        &self,
        locks: &mut Locks,
        index: Token,
        entry: &LogEntry,
        rows: &mut Vec<RowOutcome>,
    ) -> Vec<StatusChange> {
        let list: &[Address] = match &entry.operation {
            LogOperation::Reset(list) => list,
            LogOperation::Lock(_)
            | LogOperation::TryLock(_)
            | LogOperation::Unlock(_)
            | LogOperation::UnlockAll => &[],
        };
        let mut applying = ApplyContext {
            rules: &self.rules,
            locks,
            index,
            list,
            changes: Vec::new(),
            rows,
            then: VecDeque::new(),
        };
        applying.on_command(entry);
        let changes = applying.changes;
        locks.0.retain(|_, lock| *lock != Lock::default());
        changes
    }
}

impl<R: Rules<Machine>> ApplyContext<'_, R> {
    fn on_command(&mut self, entry: &LogEntry) {
        match &entry.operation {
            LogOperation::Lock(lock) => self.step_machine(*lock, entry.by, Event::Lock),
            LogOperation::TryLock(lock) => self.step_machine(*lock, entry.by, Event::TryLock),
            LogOperation::Unlock(lock) => self.step_machine(*lock, entry.by, Event::Unlock),
            LogOperation::UnlockAll => {
                for lock in self.locks.of(entry.by) {
                    self.step_machine(lock, entry.by, Event::UnlockAll);
                }
            }
            LogOperation::Reset(_) => {
                let all = self
                    .locks
                    .iter()
                    .flat_map(|(name, lock)| lock.everybody().map(move |member| (name, member)));
                let all: Vec<(LockName, Address)> = all.collect();
                for (lock, member) in all {
                    self.step_machine(lock, member, Event::Reset);
                }
            }
        }
    }

    /// Steps one machine, then the machines of the next holders.
    fn step_machine(&mut self, name: LockName, member: Address, event: Event) {
        self.step(name, member, event);
        let waiting = self.locks.lock(name).map_or(0, |lock| lock.waiters.len());
        for _ in 0..waiting + NEXT_MIN {
            let Some((name, member)) = self.then.pop_front() else { return };
            self.step(name, member, Event::NextHolder);
        }
        // By some tables each holder makes the next one, forever.
        self.then.clear();
        let (action, reason) = ("make the next holder", "it would repeat forever");
        self.rows.push(RowOutcome::ActionFailed { machine: MACHINE, action, reason });
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
        let Some(step) = step_machine(rules, at, event, &guards).report(self.rows) else { return };
        lock.set_state(member, step.to, initial);
        for entry in step.actions {
            self.apply_action(name, member, entry.action);
        }
    }

    fn apply_action(&mut self, name: LockName, member: Address, action: Action) {
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
                self.changes.push(StatusChange { lock: name, member, status, token });
            }
        }
    }
}

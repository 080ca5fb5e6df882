//! Postconditions of the log's commands, independent of the rows: the rules of the table about the
//! queue and about RESET, evaluated over the locks before and after a command.

use turnstile_machine::Rules;
use turnstile_replicated_lock_core::types::{Address, LockStatus, LogEntry, LogOperation};
use turnstile_replicated_lock_core::{Lock, Locks};
use turnstile_replicated_lock_machines::lock_status::{Machine, WholeRule};
use turnstile_world::Breaches;

use super::facts::LockChange;
use super::rule;

/// Checks a command; `stayed` tells whether a member was always in the majority.
pub fn check(
    rules: &impl Rules<Machine>,
    [before, after]: [&Locks; 2],
    entry: &LogEntry,
    stayed: &dyn Fn(Address) -> bool,
    breaches: &mut Breaches,
) {
    let none = Lock::default();
    let keeps = match &entry.operation {
        LogOperation::Unlock(lock) => after.status(*lock, entry.by) != LockStatus::None,
        LogOperation::UnlockAll => {
            after.iter().any(|(_, lock)| lock.everybody().any(|who| who == entry.by))
        }
        LogOperation::Lock(_) | LogOperation::TryLock(_) | LogOperation::Reset(_) => false,
    };
    breaches.require(rule::UNLOCK, !keeps);
    let refuses = match &entry.operation {
        LogOperation::Lock(lock) | LogOperation::TryLock(lock) => {
            let holder = |locks: &Locks| locks.lock(*lock).and_then(|lock| lock.holder);
            holder(before).is_none() && holder(after) != Some(entry.by)
        }
        LogOperation::Unlock(_) | LogOperation::UnlockAll | LogOperation::Reset(_) => false,
    };
    breaches.require(rule::FREE_LOCK, !refuses);
    let list = match &entry.operation {
        LogOperation::Reset(list) => Some(list),
        LogOperation::Lock(_)
        | LogOperation::TryLock(_)
        | LogOperation::Unlock(_)
        | LogOperation::UnlockAll => None,
    };
    for (name, _) in before.iter().chain(after.iter()) {
        let was = before.lock(name).unwrap_or(&none);
        let is = after.lock(name).unwrap_or(&none);
        let step = LockChange { was, is, list: list.map_or(&[], Vec::as_slice), stayed };
        breaches.require(rule::ORDER, rules.whole_rule(WholeRule::FirstInFirstOut, &step));
        if list.is_some() {
            breaches.require(rule::RESET, rules.whole_rule(WholeRule::OnlyListedMembers, &step));
            breaches
                .require(rule::MAJORITY, rules.whole_rule(WholeRule::MajorityKeepsLocks, &step));
        }
    }
}

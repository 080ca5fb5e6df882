//! Postconditions of the log's commands, independent of the rows: the rules of the table about the
//! queue and about RESET, evaluated over the locks before and after a command.

use turnstile_machine::Rules;
use turnstile_replicated_lock_core::types::{Address, LockStatus, LogEntry, LogOperation};
use turnstile_replicated_lock_core::{Lock, Locks};
use turnstile_replicated_lock_machines::lock_status::{Machine, WholeRule as Rule};
use turnstile_step::Symbolic;

use super::facts::LockChange;

/// The postconditions that commands have violated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub struct CommandViolations {
    /// A waiter was overtaken in the queue.
    pub order: bool,
    /// A RESET kept a member that is not in its list.
    pub reset: bool,
    /// A RESET took a lock or a place from a member that was always in the majority.
    pub stayed: bool,
    /// An UNLOCK or an UNLOCK_ALL left its member with the lock or a place.
    pub kept: bool,
    /// A LOCK or a TRY_LOCK of a lock without a holder left its member without it.
    pub refused: bool,
}

impl CommandViolations {
    /// Checks a command; `stayed` tells whether a member was always in the majority.
    pub fn note(
        &mut self,
        rules: &impl Rules<Machine>,
        [before, after]: [&Locks; 2],
        entry: &LogEntry,
        stayed: &dyn Fn(Address) -> bool,
    ) {
        let none = Lock::default();
        self.kept |= match &entry.operation {
            LogOperation::Unlock(lock) => after.status(*lock, entry.by) != LockStatus::None,
            LogOperation::UnlockAll => {
                after.iter().any(|(_, lock)| lock.everybody().any(|who| who == entry.by))
            }
            LogOperation::Lock(_) | LogOperation::TryLock(_) | LogOperation::Reset(_) => false,
        };
        self.refused |= match &entry.operation {
            LogOperation::Lock(lock) | LogOperation::TryLock(lock) => {
                let holder = |locks: &Locks| locks.lock(*lock).and_then(|lock| lock.holder);
                holder(before).is_none() && holder(after) != Some(entry.by)
            }
            LogOperation::Unlock(_) | LogOperation::UnlockAll | LogOperation::Reset(_) => false,
        };
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
            self.order |= !rules.whole_rule(Rule::FirstInFirstOut, &step);
            if list.is_some() {
                self.reset |= !rules.whole_rule(Rule::OnlyListedMembers, &step);
                self.stayed |= !rules.whole_rule(Rule::MajorityKeepsLocks, &step);
            }
        }
    }
}

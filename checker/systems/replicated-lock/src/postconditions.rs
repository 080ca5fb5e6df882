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
pub(crate) struct CommandViolations {
    /// A waiter was overtaken in the queue.
    pub(crate) order: bool,
    /// A RESET kept a member that is not in its list.
    pub(crate) reset: bool,
    /// A RESET took a lock or a place from a member that was always in the majority.
    pub(crate) stayed: bool,
    /// An UNLOCK or an UNLOCK_ALL left its member with the lock or a place.
    pub(crate) kept: bool,
    /// A LOCK or a TRY_LOCK of a lock without a holder left its member without it.
    pub(crate) refused: bool,
}

impl CommandViolations {
    /// Checks a command; `stayed` tells whether a member was always in the majority.
    pub(super) fn note(
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

#[cfg(test)]
mod tests {
    use turnstile_replicated_lock_core::types::LockName;
    use turnstile_replicated_lock_machines::lock_status::Machine;

    use super::*;

    fn locks(holder: u64, waiters: &[u64]) -> Locks {
        let waiters = waiters.iter().map(|who| Address(*who)).collect();
        let lock = Lock { holder: Some(Address(holder)), waiters, ..Lock::default() };
        [(LockName(0), lock)].into_iter().collect()
    }

    /// The postconditions that a command violates; member 1 was always in the majority.
    #[track_caller]
    fn check(before: &Locks, operation: LogOperation, after: &Locks, expected: [bool; 3]) {
        let entry = LogEntry { by: Address(1), call: None, operation };
        let mut broken = CommandViolations::default();
        broken.note(&Machine, [before, after], &entry, &|who| who == Address(1));
        assert_eq!([broken.order, broken.reset, broken.stayed], expected);
    }

    #[test]
    fn the_first_waiter_is_the_next_holder() {
        let unlock = LogOperation::Unlock(LockName(0));
        check(&locks(1, &[2, 3]), unlock.clone(), &locks(2, &[3]), [false; 3]);
        check(&locks(1, &[2, 3]), unlock.clone(), &locks(3, &[2]), [true, false, false]);
        check(&locks(1, &[2, 3]), unlock.clone(), &locks(4, &[2, 3]), [true, false, false]);
        check(&locks(1, &[2, 3]), unlock, &locks(3, &[]), [false; 3]);
    }

    #[test]
    fn a_free_lock_is_granted() {
        let free = Locks::default();
        for operation in [LogOperation::Lock(LockName(0)), LogOperation::TryLock(LockName(0))] {
            for (before, after, is_refused) in
                [(&free, locks(1, &[]), false), (&free, free.clone(), true)]
            {
                let operation = operation.clone();
                let entry = LogEntry { by: Address(1), call: None, operation };
                let mut broken = CommandViolations::default();
                broken.note(&Machine, [before, &after], &entry, &|_| false);
                assert_eq!(broken.refused, is_refused, "{entry}");
            }
        }
    }

    #[test]
    fn who_comes_later_waits_longer() {
        let lock = LogOperation::Lock(LockName(0));
        check(&locks(1, &[2]), lock.clone(), &locks(1, &[2, 3]), [false; 3]);
        check(&locks(1, &[2]), lock.clone(), &locks(1, &[3, 2]), [true, false, false]);
        check(&locks(1, &[2, 3]), lock, &locks(1, &[3, 2]), [true, false, false]);
    }

    #[test]
    fn a_reset_takes_from_those_that_left_and_from_no_other() {
        let reset = || LogOperation::Reset(vec![Address(1), Address(2)]);
        check(&locks(3, &[1, 2]), reset(), &locks(1, &[2]), [false; 3]);
        check(&locks(1, &[3, 2]), reset(), &locks(1, &[3, 2]), [false, true, false]);
        check(&locks(1, &[2]), reset(), &locks(2, &[]), [false, false, true]);
        check(&locks(2, &[1]), LogOperation::Unlock(LockName(0)), &locks(2, &[]), [false; 3]);
    }
}

//! What a command of the log must not do, whatever rows it runs by: the rules of the table about
//! the queue and about RESET, each asked of the locks before and after a command.

use turnstile_core::replicated::types::{Address, Entry, Operation, Status};
use turnstile_core::replicated::{Lock, Locks};
use turnstile_machine::Rules;
use turnstile_machines::lock_status::{Machine, WholeRule as Rule};
use turnstile_step::Symbolic;

use super::facts::Step;

/// What commands have done that they must not do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Broken {
    /// Somebody was passed in the queue.
    pub(crate) order: bool,
    /// A RESET left somebody who is not in its list.
    pub(crate) reset: bool,
    /// A RESET took something from a member that was there all the time.
    pub(crate) stayed: bool,
    /// An UNLOCK or an UNLOCK_ALL left its member with what it gives up.
    pub(crate) kept: bool,
}

impl Broken {
    /// Notes what a command did; `stayed` says who was in the majority since the beginning.
    pub(super) fn note(
        &mut self,
        rules: &impl Rules<Machine>,
        [before, after]: [&Locks; 2],
        entry: &Entry,
        stayed: &dyn Fn(Address) -> bool,
    ) {
        let none = Lock::default();
        self.kept |= match &entry.operation {
            Operation::Unlock(lock) => after.status(*lock, entry.by) != Status::None,
            Operation::UnlockAll => after.everybody().contains(&entry.by),
            Operation::Lock(_) | Operation::TryLock(_) | Operation::Reset(_) => false,
        };
        let list = match &entry.operation {
            Operation::Reset(list) => Some(list),
            Operation::Lock(_)
            | Operation::TryLock(_)
            | Operation::Unlock(_)
            | Operation::UnlockAll => None,
        };
        for (name, _) in before.iter().chain(after.iter()) {
            let was = before.lock(name).unwrap_or(&none);
            let is = after.lock(name).unwrap_or(&none);
            let step = Step { was, is, list: list.map_or(&[], Vec::as_slice), stayed };
            self.order |= !rules.whole_rule(Rule::FirstInFirstOut, &step);
            if list.is_some() {
                self.reset |= !rules.whole_rule(Rule::OnlyTheList, &step);
                self.stayed |= !rules.whole_rule(Rule::WhoStayedHasIt, &step);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use turnstile_core::replicated::types::LockName;
    use turnstile_machines::lock_status::Machine;

    use super::*;

    fn locks(holder: u64, waiters: &[u64]) -> Locks {
        let waiters = waiters.iter().map(|who| Address(*who)).collect();
        let lock = Lock { holder: Some(Address(holder)), waiters, ..Lock::default() };
        [(LockName(0), lock)].into_iter().collect()
    }

    /// What a command did that it must not; member 1 was there all the time.
    #[track_caller]
    fn check(before: &Locks, operation: Operation, after: &Locks, expected: [bool; 3]) {
        let entry = Entry { by: Address(1), call: None, operation };
        let mut broken = Broken::default();
        broken.note(&Machine, [before, after], &entry, &|who| who == Address(1));
        assert_eq!([broken.order, broken.reset, broken.stayed], expected);
    }

    #[test]
    fn the_first_waiter_is_the_next_holder() {
        let unlock = Operation::Unlock(LockName(0));
        check(&locks(1, &[2, 3]), unlock.clone(), &locks(2, &[3]), [false; 3]);
        check(&locks(1, &[2, 3]), unlock.clone(), &locks(3, &[2]), [true, false, false]);
        check(&locks(1, &[2, 3]), unlock.clone(), &locks(4, &[2, 3]), [true, false, false]);
        check(&locks(1, &[2, 3]), unlock, &locks(3, &[]), [false; 3]);
    }

    #[test]
    fn who_comes_later_waits_longer() {
        let lock = Operation::Lock(LockName(0));
        check(&locks(1, &[2]), lock.clone(), &locks(1, &[2, 3]), [false; 3]);
        check(&locks(1, &[2]), lock.clone(), &locks(1, &[3, 2]), [true, false, false]);
        check(&locks(1, &[2, 3]), lock, &locks(1, &[3, 2]), [true, false, false]);
    }

    #[test]
    fn a_reset_takes_from_those_that_left_and_from_no_other() {
        let reset = || Operation::Reset(vec![Address(1), Address(2)]);
        check(&locks(3, &[1, 2]), reset(), &locks(1, &[2]), [false; 3]);
        check(&locks(1, &[3, 2]), reset(), &locks(1, &[3, 2]), [false, true, false]);
        check(&locks(1, &[2]), reset(), &locks(2, &[]), [false, false, true]);
        check(&locks(2, &[1]), Operation::Unlock(LockName(0)), &locks(2, &[]), [false; 3]);
    }
}

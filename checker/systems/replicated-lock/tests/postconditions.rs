//! Commands of a log that violate what the table says of them.

use turnstile_replicated_lock_core::types::{Address, LockName, LogEntry, LogOperation};
use turnstile_replicated_lock_core::{Lock, Locks};
use turnstile_replicated_lock_machines::lock_status::Machine;
use turnstile_system_replicated_lock::postconditions;
use turnstile_system_replicated_lock::rule;
use turnstile_world::Breaches;

fn locks(holder: u64, waiters: &[u64]) -> Locks {
    let waiters = waiters.iter().map(|who| Address(*who)).collect();
    let lock = Lock { holder: Some(Address(holder)), waiters, ..Lock::default() };
    [(LockName(0), lock)].into_iter().collect()
}

/// The postconditions that a command violates; member 1 was always in the majority.
#[track_caller]
fn check(before: &Locks, operation: LogOperation, after: &Locks, expected: [bool; 3]) {
    let entry = LogEntry { by: Address(1), call: None, operation };
    let mut broken = Breaches::default();
    let stayed = |who| who == Address(1);
    postconditions::check(&Machine, [before, after], &entry, &stayed, &mut broken);
    let rules = [rule::ORDER, rule::RESET, rule::MAJORITY];
    assert_eq!(rules.map(|rule| broken.contains(rule)), expected);
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
            let mut broken = Breaches::default();
            postconditions::check(&Machine, [before, &after], &entry, &|_| false, &mut broken);
            assert_eq!(broken.contains(rule::FREE_LOCK), is_refused, "{entry}");
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

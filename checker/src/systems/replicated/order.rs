//! What a command of the log must not do, whatever table it runs by: the sentences of the document
//! about the queue and about RESET, each asked of the locks before and after a command.

use turnstile_core::replicated::types::{Address, Entry, Operation};
use turnstile_core::replicated::{Lock, Locks};

/// What commands have done that they must not do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Broken {
    /// Somebody was passed in the queue.
    pub order: bool,
    /// A RESET left somebody who is not in its list.
    pub reset: bool,
    /// A RESET took something from a member that was there all the time.
    pub stayed: bool,
}

impl Broken {
    /// Notes what a command did; `stayed` says who was in the majority since the beginning.
    pub(super) fn note(
        &mut self,
        before: &Locks,
        after: &Locks,
        entry: &Entry,
        stayed: impl Fn(Address) -> bool,
    ) {
        let none = Lock::default();
        let names = before.iter().chain(after.iter()).map(|(name, _)| name);
        for name in names {
            let was = before.lock(name).unwrap_or(&none);
            let is = after.lock(name).unwrap_or(&none);
            self.order |= !is_in_order(was, is);
        }
        let Operation::Reset(list) = &entry.operation else { return };
        self.reset |= after.everybody().iter().any(|member| !list.contains(member));
        for (name, was) in before.iter() {
            let is = after.lock(name).unwrap_or(&none);
            let is_there = |member: Address| is.everybody().any(|other| other == member);
            self.stayed |= was.everybody().any(|member| stayed(member) && !is_there(member));
        }
    }
}

/// Whether those that waited before wait in the same order, before all newcomers; and whoever is
/// the holder now was the holder, or the first of them, or nobody of them is left.
fn is_in_order(was: &Lock, is: &Lock) -> bool {
    let promoted = is.holder.filter(|_| is.holder != was.holder);
    let line: Vec<Address> = promoted.into_iter().chain(is.waiters.iter().copied()).collect();
    let stayed: Vec<Address> =
        was.waiters.iter().copied().filter(|member| line.contains(member)).collect();
    line.starts_with(&stayed)
}

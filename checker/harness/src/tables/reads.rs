//! What a computation reads of the tables that it runs, noted on its thread: so a mutant is judged
//! by running again only what reads the part that it changes.

use std::cell::RefCell;
use std::collections::BTreeSet;

use turnstile_search::fingerprint::hash_texts;

/// A part of a table that can be changed by itself, as a hash of its kind and names. Two parts with
/// the same hash count as one: then more is run again than is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Read(u64);

impl Read {
    /// The rows of a machine's state and event.
    pub(crate) fn cell(machine: &str, state: &str, event: &str) -> Self {
        Self::of(0, [machine, state, event, ""])
    }

    /// A row of a machine that an event matches in a state: what takes it, and what it does.
    pub(crate) fn row(machine: &str, state: &str, event: &str, row: &str) -> Self {
        Self::of(3, [machine, state, event, row])
    }

    /// The formula of a guard, rule or invariant of a machine.
    pub(crate) fn formula(machine: &str, name: &str) -> Self {
        Self::of(1, [machine, name, "", ""])
    }

    /// Whether any row of a machine has a guard in its condition.
    pub(crate) fn is_asked(machine: &str, guard: &str) -> Self {
        Self::of(2, [machine, guard, "", ""])
    }

    fn of(kind: u8, names: [&str; 4]) -> Self {
        Self(hash_texts(kind, &names))
    }
}

thread_local! {
    static NOTED: RefCell<Option<BTreeSet<Read>>> = const { RefCell::new(None) };
}

/// Notes that something is read, if the thread notes what it reads.
pub(crate) fn note(read: impl FnOnce() -> Read) {
    NOTED.with_borrow_mut(|noted| {
        if let Some(noted) = noted {
            noted.insert(read());
        }
    });
}

/// The result of a computation on this thread, and what it reads of the tables; what a computation
/// inside of it notes by itself is not among it.
pub(crate) fn noting<R>(compute: impl FnOnce() -> R) -> (R, BTreeSet<Read>) {
    let outer = NOTED.replace(Some(BTreeSet::new()));
    let result = compute();
    (result, NOTED.replace(outer).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use crate::tables::reads::{Read, note, noting};

    #[test]
    fn what_is_read_is_noted_once_and_only_when_asked() {
        let read = || note(|| Read::cell("motor", "UP", "STOP"));
        read();
        let ((), noted) = noting(|| {
            read();
            read();
            note(|| Read::formula("motor", "UP"));
        });
        assert_eq!(noted, [Read::cell("motor", "UP", "STOP"), Read::formula("motor", "UP")].into());
        let ((), none) = noting(|| ());
        assert!(none.is_empty());
    }
}

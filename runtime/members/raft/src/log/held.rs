//! A purge that waits for the snapshot that covers it, and the writes that wait for the purge.

use std::fmt;

use turnstile_host::store::Batch;

use super::mark::Mark;
use super::record;
use crate::writer::Write;

pub(super) struct HeldPurge {
    upto: Mark,
    /// The entries to remove.
    removed: Vec<u64>,
    /// Whether the purge lies beyond the log: then entries must not be durable before it.
    leaves_gap: bool,
    later: Vec<Write>,
}

impl HeldPurge {
    pub(super) const fn new(upto: Mark, removed: Vec<u64>, leaves_gap: bool) -> Self {
        Self { upto, removed, leaves_gap, later: Vec::new() }
    }

    pub(super) const fn index(&self) -> u64 {
        self.upto.index
    }

    /// Both purges in one: `next` is the later one.
    pub(super) fn then(mut self, next: Self) -> Self {
        self.upto = next.upto;
        self.removed.extend(next.removed);
        self.leaves_gap |= next.leaves_gap;
        self
    }

    /// Whether it takes writes.
    pub(super) const fn holds(&self) -> bool {
        self.leaves_gap
    }

    /// Takes a write that must not be durable before the purge; gives back any other.
    pub(super) fn hold(&mut self, write: Write) -> Option<Write> {
        if !self.holds() {
            return Some(write);
        }
        self.later.push(write);
        None
    }

    /// Adds the purge to a batch, and returns the writes that waited for it.
    pub(super) fn release(self, batch: &mut Batch) -> Vec<Write> {
        // Entries that are written later have their removals there.
        batch.put_with(&record::PURGED, |out| record::put_mark(out, &self.upto));
        for index in self.removed {
            batch.remove(&record::entry(index));
        }
        self.later
    }
}

impl fmt::Debug for HeldPurge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldPurge").field("upto", &self.upto).finish_non_exhaustive()
    }
}

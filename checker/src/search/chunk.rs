//! A few hundred rows on their way through a level: expanded, their successors inserted, the new
//! ones gathered.
//!
//! The three steps may be done by different threads. Each depends on the chunk, the level and, for
//! the second, the order of insertion alone; so the result does not depend on who did it.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::search::frontier::{Frontier, Segment, Span};
use crate::search::seen::Held;
use crate::search::space::{Expander, Found};

/// A chunk and room for what becomes of it.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    span: Span,
    found: Found,
    /// For each row of the span, where its successors end.
    ends: Vec<u32>,
    /// For each successor, whether it was new.
    fresh: Vec<AtomicBool>,
    /// The new rows.
    pub(super) rows: Segment,
    /// For each new row, which successor of its parent it is.
    pub(super) ordinals: Vec<u32>,
    /// For each row of the span, how many new rows it led to.
    pub(super) children: Vec<u32>,
    /// New rows with something noteworthy about them, by their place among the new ones.
    pub(super) noted: Vec<(usize, u64)>,
}

impl Chunk {
    /// Successors found.
    #[must_use]
    pub(super) fn successors(&self) -> usize {
        self.found.len()
    }

    /// Begins anew with these rows.
    pub(super) fn begin(&mut self, span: Span) {
        self.span = span;
        self.found.clear();
        self.ends.clear();
    }

    /// Finds the successors of each row.
    pub(super) fn expand(&mut self, frontier: &Frontier, expander: &mut impl Expander) {
        for row in frontier.of(self.span) {
            expander.expand(row, &mut self.found);
            self.ends.push(u32::try_from(self.found.len()).expect("a chunk's successors fit"));
        }
        self.fresh.clear();
        self.fresh.resize_with(self.found.len(), AtomicBool::default);
    }

    /// Inserts the successors that belong to the shards held.
    pub(super) fn insert(&self, held: &mut Held<'_>) {
        held.insert(self.found.fingerprints(), |place| {
            self.fresh[place].store(true, Ordering::Relaxed);
        });
    }

    /// Makes rows of the new successors and looks at each.
    pub(super) fn gather(&mut self, frontier: &Frontier, expander: &mut impl Expander) {
        self.rows.clear();
        self.ordinals.clear();
        self.children.clear();
        self.noted.clear();
        let mut begin = 0;
        for (row, &end) in frontier.of(self.span).zip(&self.ends) {
            let before = self.ordinals.len();
            for successor in begin..end {
                let place = successor as usize;
                if !self.fresh[place].load(Ordering::Relaxed) {
                    continue;
                }
                let at = self.rows.len();
                self.rows.extend_from_slice(row);
                self.found.apply(place, &mut self.rows[at..]);
                let noted = expander.inspect(&self.rows[at..]);
                if noted != 0 {
                    self.noted.push((self.ordinals.len(), noted));
                }
                self.ordinals.push(successor - begin);
            }
            let count = self.ordinals.len() - before;
            self.children.push(u32::try_from(count).expect("fewer than successors"));
            begin = end;
        }
    }
}

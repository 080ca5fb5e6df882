//! A few hundred rows on their way through a level: expanded, their successors inserted, the new
//! ones gathered.
//!
//! The second step is done by every thread, for the shards it owns; the first and the third by one
//! and the same. Each depends on the chunk, the level and the order of insertion alone; so the
//! result does not depend on who did it.

use std::sync::{Mutex, PoisonError};

use crate::frontier::{Frontier, Segment, Span};
use crate::record::Record;
use crate::seen::{Seen, owner_of};
use crate::space::{Expander, Found, Recent};

/// A chunk and room for what becomes of it.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    span: Span,
    found: Found,
    /// For each row of the span, where its successors end among those found.
    ends: Vec<u32>,
    /// By owner, with several: the successors that belong to its shards.
    owned: Vec<Vec<u32>>,
    /// The new successors, in order.
    fresh: Vec<u32>,
    /// With several owners, what each says.
    parts: Vec<Mutex<Vec<u32>>>,
    /// By successor, its label, if the search writes down the graph.
    labels: Vec<u16>,
    /// Rows being made.
    making: Segment,
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
    /// For so many owners of shards.
    pub(super) fn new(owners: usize) -> Self {
        Self {
            owned: vec![Vec::new(); owners],
            parts: (0..owners).map(|_| Mutex::default()).collect(),
            ..Self::default()
        }
    }

    /// Successors found.
    #[must_use]
    pub(super) fn successors(&self) -> usize {
        self.found.count()
    }

    /// Begins anew with these rows.
    pub(super) fn begin(&mut self, span: Span) {
        self.span = span;
        self.found.clear();
        self.ends.clear();
        self.fresh.clear();
    }

    /// Finds the successors of each row.
    pub(super) fn expand(
        &mut self,
        frontier: &Frontier,
        expander: &mut impl Expander,
        recent: &mut Recent,
    ) {
        self.found.swap(recent);
        for row in frontier.of(self.span) {
            expander.expand(row, &mut self.found);
            self.ends.push(index(self.found.rows().len()));
        }
        self.found.swap(recent);
        let owners = self.owned.len();
        if owners > 1 {
            self.owned.iter_mut().for_each(Vec::clear);
            for (place, found) in (0..).zip(self.found.rows()) {
                self.owned[owner_of(found.fingerprint, owners)].push(place);
            }
        }
    }

    /// Inserts all successors, for the only owner.
    pub(super) fn insert(&mut self, seen: &mut Seen) {
        let Self { found, fresh, .. } = self;
        let fingerprints = (0..).zip(found.rows().iter().map(|found| found.fingerprint));
        seen.insert(fingerprints, |place| fresh.push(place));
    }

    /// Inserts the successors that belong to one of several owners.
    pub(super) fn insert_owned(&self, owner: usize, seen: &mut Seen) {
        let mut fresh = self.parts[owner].lock().unwrap_or_else(PoisonError::into_inner);
        let found = self.found.rows();
        let owned = self.owned[owner].iter();
        let owned = owned.map(|&place| (place, found[place as usize].fingerprint));
        seen.insert(owned, |place| fresh.push(place));
    }

    /// Finds the labels of all successors.
    pub(super) fn label(&mut self, expander: &impl Expander) {
        let Self { found, labels, .. } = self;
        labels.clear();
        labels.extend(found.rows().iter().map(|row| expander.label(row.course)));
    }

    /// Writes the new states down.
    pub(super) fn record_states(&self, record: &mut Record) {
        let first = record.states();
        for &place in &self.fresh {
            record.state(self.found.rows()[place as usize].fingerprint);
        }
        self.noted.iter().for_each(|&(place, noted)| record.note(first + place, noted));
    }

    /// Writes the transitions down.
    pub(super) fn record_transitions(&self, record: &mut Record) {
        record.transitions(self.found.rows(), &self.ends, &self.labels);
        record.stays(self.found.stays());
    }

    /// Makes rows of the new successors and looks at each.
    pub(super) fn gather(&mut self, frontier: &Frontier, expander: &mut impl Expander) {
        for part in &mut self.parts {
            let part = part.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.fresh.append(part);
        }
        if self.parts.len() > 1 {
            self.fresh.sort_unstable();
        }
        self.making.clear();
        self.ordinals.clear();
        self.children.clear();
        self.noted.clear();
        let mut fresh = self.fresh.iter().copied().peekable();
        for (row, &end) in frontier.of(self.span).zip(&self.ends) {
            let before = self.ordinals.len();
            while let Some(place) = fresh.next_if(|&place| place < end) {
                let at = self.making.len();
                self.making.extend_from_slice(row);
                let found = self.found.rows()[place as usize];
                expander.follow(found.course, &mut self.making[at..]);
                let noted = expander.inspect(&self.making[at..]);
                if noted != 0 {
                    self.noted.push((self.ordinals.len(), noted));
                }
                self.ordinals.push(found.ordinal);
            }
            self.children.push(index(self.ordinals.len() - before));
        }
        self.rows = self.making.as_slice().to_vec();
    }
}

fn index(count: usize) -> u32 {
    u32::try_from(count).expect("a chunk's successors fit")
}

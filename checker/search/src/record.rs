//! The whole graph, as a search writes it down: its states by number, and where each transition
//! leads.
//!
//! Nothing is expanded for it a second time: what a search finds it knows by fingerprint, and by
//! the end of a batch every state of the batch has its number.

use std::hint::black_box;
use std::ops::Range;

use crate::space::Row;

/// No number in a slot.
const EMPTY: u32 = u32::MAX;
/// Fingerprints whose slots are touched before the first of them is looked at.
const AHEAD: usize = 16;
const SLOTS_MIN: usize = 1 << 10;

/// The graph so far. States are numbered in breadth-first order.
#[derive(Debug)]
pub struct Record {
    fingerprints: Vec<u64>,
    noted: Vec<u64>,
    /// Where the transitions of each state begin, and where the last end.
    bounds: Vec<usize>,
    to: Vec<u32>,
    labels: Vec<u16>,
    /// Where what leads each state to itself begins, and where the last ends; and the labels.
    stay_bounds: Vec<u32>,
    stays: Vec<u16>,
    /// Numbers by fingerprint, at most half full.
    slots: Vec<u32>,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            fingerprints: Vec::new(),
            noted: Vec::new(),
            bounds: vec![0],
            to: Vec::new(),
            labels: Vec::new(),
            stay_bounds: vec![0],
            stays: Vec::new(),
            slots: vec![EMPTY; SLOTS_MIN],
        }
    }
}

impl Record {
    /// Notes the next state.
    pub(super) fn state(&mut self, fingerprint: u64) {
        if self.fingerprints.len() * 2 >= self.slots.len() {
            self.slots = vec![EMPTY; self.slots.len() * 2];
            (0..self.fingerprints.len()).for_each(|state| self.number(state));
        }
        self.fingerprints.push(fingerprint);
        self.noted.push(0);
        self.number(self.fingerprints.len() - 1);
    }

    /// Notes what is noteworthy about a state.
    pub(super) fn note(&mut self, state: usize, noted: u64) {
        self.noted[state] = noted;
    }

    /// Notes the transitions of the next states in order, once all that they lead to are noted.
    /// `ends`: where those of each state end.
    pub(super) fn transitions(&mut self, rows: &[Row], ends: &[u32], labels: &[u16]) {
        let begin = self.to.len();
        for some in rows.chunks(AHEAD) {
            let touched = some.iter().map(|row| self.slots[self.home(row.fingerprint)]);
            black_box(touched.fold(0, |all, number| all ^ number));
            for row in some {
                self.to.push(self.of(row.fingerprint));
            }
        }
        self.labels.extend_from_slice(labels);
        self.bounds.extend(ends.iter().map(|&end| begin + end as usize));
    }

    /// Notes by which labels the states lead to themselves whose transitions were noted last: each
    /// by its place among them. Those of one stand together.
    pub(super) fn stays(&mut self, stays: &[(u32, u16)]) {
        let begin = self.stay_bounds.len() - 1;
        let end = self.bounds.len() - 1;
        let mut stays = stays.iter().peekable();
        for state in begin..end {
            let from = self.stays.len();
            while let Some((_, label)) =
                stays.next_if(|(place, _)| begin + *place as usize == state)
            {
                if !self.stays[from..].contains(label) {
                    self.stays.push(*label);
                }
            }
            let end = u32::try_from(self.stays.len()).expect("few actions change nothing");
            self.stay_bounds.push(end);
        }
    }

    fn home(&self, fingerprint: u64) -> usize {
        // The low bits: the high ones choose the shard of the states seen.
        usize::try_from(fingerprint & (self.slots.len() as u64 - 1)).expect("below a length")
    }

    /// Gives a state's number to its fingerprint.
    fn number(&mut self, state: usize) {
        let mut slot = self.home(self.fingerprints[state]);
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = u32::try_from(state).expect("states are numbered by u32");
    }

    /// The number of a fingerprint.
    fn of(&self, fingerprint: u64) -> u32 {
        let mut slot = self.home(fingerprint);
        loop {
            let number = self.slots[slot];
            assert_ne!(number, EMPTY, "every state that was found has a number");
            if self.fingerprints[number as usize] == fingerprint {
                return number;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Lets go what only writing needs.
    pub(super) fn end(&mut self) {
        self.slots = Vec::new();
    }

    /// Bytes allocated.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.fingerprints.capacity() + self.noted.capacity() + self.bounds.capacity()) * 8
            + (self.to.capacity() + self.slots.capacity()) * 4
            + self.stay_bounds.capacity() * 4
            + (self.labels.capacity() + self.stays.capacity()) * 2
    }

    /// How many states there are.
    #[must_use]
    pub fn states(&self) -> usize {
        self.fingerprints.len()
    }

    /// How many transitions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.to.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// What is noteworthy about a state.
    #[must_use]
    pub fn noted(&self, state: u32) -> u64 {
        self.noted[state as usize]
    }

    /// The fingerprint of a state.
    #[must_use]
    pub fn fingerprint(&self, state: u32) -> u64 {
        self.fingerprints[state as usize]
    }

    /// Where a state's transitions lead.
    #[inline]
    pub(super) fn successors(&self, state: u32) -> &[u32] {
        &self.to[self.bounds(state)]
    }

    /// Where a state's transitions lead, and their labels.
    #[inline]
    pub(super) fn out(&self, state: u32) -> impl Iterator<Item = (u32, u16)> + '_ {
        let labels = &self.labels[self.bounds(state)];
        self.successors(state).iter().copied().zip(labels.iter().copied())
    }

    /// By which labels a state leads to itself; each relieves something.
    #[inline]
    pub(super) fn stays_at(&self, state: u32) -> &[u16] {
        let state = state as usize;
        &self.stays[self.stay_bounds[state] as usize..self.stay_bounds[state + 1] as usize]
    }

    #[inline]
    fn bounds(&self, state: u32) -> Range<usize> {
        let state = state as usize;
        self.bounds[state]..self.bounds[state + 1]
    }
}

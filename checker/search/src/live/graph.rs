//! The whole graph of a space, with what each transition has to do with fairness.

use std::ops::Range;

use crate::label::Labels;
use crate::log::Log;
use crate::record::Record;
use crate::replay::Trail;

/// Of no state: an initial one has no parent.
const NOBODY: u32 = u32::MAX;

/// The graph. States are numbered in breadth-first order.
#[derive(Debug)]
pub struct Graph {
    record: Record,
    parents: Vec<u32>,
    labels: Labels,
}

impl Graph {
    /// The graph that a search wrote down, with the log of how it found each state, and what the
    /// labels have to do with fairness.
    #[must_use]
    pub fn of(record: Record, log: &Log, labels: Labels) -> Self {
        let parents: Vec<u32> = log.parents().map(|parent| parent.unwrap_or(NOBODY)).collect();
        assert_eq!(parents.len(), record.states(), "the log knows every state");
        Self { record, parents, labels }
    }

    /// Bytes allocated, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.record.bytes() + self.parents.capacity() * size_of::<u32>()
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.record.states()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.record.states() == 0
    }

    /// Every state.
    pub fn states(&self) -> Range<u32> {
        0..u32::try_from(self.record.states()).expect("states are numbered by u32")
    }

    /// What is noteworthy about a state.
    #[must_use]
    pub fn noted(&self, state: u32) -> u64 {
        self.record.noted(state)
    }

    /// Whether runs begin here.
    #[must_use]
    pub fn is_initial(&self, state: u32) -> bool {
        self.parents[state as usize] == NOBODY
    }

    /// How many transitions there are.
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.record.len()
    }

    /// What the labels have to do with fairness.
    #[inline]
    pub(super) fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The labels of what leads a state to itself and relieves something.
    #[inline]
    pub(super) fn stays(&self, state: u32) -> &[u16] {
        self.record.stays_at(state)
    }

    /// Whether the action of a pair is enabled in a state, so that it leads elsewhere.
    pub(super) fn enables(&self, state: u32, pair: u16) -> bool {
        self.out(state).any(|(_, label)| self.labels.begins(label) == Some(pair))
    }

    /// Where a state's transitions lead.
    #[inline]
    pub(super) fn successors(&self, state: u32) -> &[u32] {
        self.record.successors(state)
    }

    /// Where a state's transitions lead, and their labels.
    #[inline]
    pub(super) fn out(&self, state: u32) -> impl Iterator<Item = (u32, u16)> + '_ {
        self.record.out(state)
    }

    /// The states from which one that `is_goal` can be reached.
    ///
    /// States are numbered by their distance, so most of what a state leads to has a higher number,
    /// and a pass or two from the end to the beginning and back say it of nearly all of them,
    /// without a list of who leads to whom.
    pub(super) fn backwards(&self, is_goal: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut reaches: Vec<bool> = self.states().map(is_goal).collect();
        let mut open: Vec<u32> =
            self.states().filter(|&state| !reaches[state as usize]).rev().collect();
        loop {
            let before = open.len();
            open.retain(|&state| {
                let does = self.successors(state).iter().any(|&to| reaches[to as usize]);
                reaches[state as usize] = does;
                !does
            });
            if open.len() == before {
                return reaches;
            }
            open.reverse();
        }
    }

    /// The shortest way from an initial state, both ends included.
    pub(super) fn stem(&self, state: u32) -> Vec<u32> {
        let mut stem = vec![state];
        while let Some(&state) = stem.last()
            && !self.is_initial(state)
        {
            stem.push(self.parents[state as usize]);
        }
        stem.reverse();
        stem
    }

    /// States as a trail.
    pub(super) fn trail(&self, states: &[u32], loop_from: Option<usize>) -> Trail {
        let of = |&state: &u32| self.record.fingerprint(state);
        let fingerprints = states.iter().map(of).collect();
        Trail { loop_from, ..Trail::of(fingerprints) }
    }
}

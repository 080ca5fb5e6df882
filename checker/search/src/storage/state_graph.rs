//! The state graph, recorded during a search: adjacency lists over numbered states.
//!
//! No state is expanded twice for it: the search knows successors by fingerprint, and at the end of
//! a batch every successor has its number.

use std::hint::black_box;

use crate::storage::transitions::Transitions;
use crate::successors::Successor;

/// The content of an empty slot.
const EMPTY: u32 = u32::MAX;
/// Slots prefetched before the first of them is read.
const AHEAD: usize = 16;
const SLOTS_MIN: usize = 1 << 10;

/// The graph. States are numbered in breadth-first order; edges are in compressed sparse rows.
#[derive(Debug)]
pub struct StateGraph {
    fingerprints: Vec<u64>,
    /// By state: the propositions that hold, as bits.
    holding: Vec<u64>,
    transitions: Transitions,
    /// By state: the first of its self-loops; and the end of the last.
    self_loop_bounds: Vec<u32>,
    /// By self-loop that discharges a fairness condition: its label.
    self_loops: Vec<u16>,
    /// A hash table from fingerprint to state, at most half full; only while recording.
    slots: Vec<u32>,
}

impl Default for StateGraph {
    fn default() -> Self {
        Self {
            fingerprints: Vec::new(),
            holding: Vec::new(),
            transitions: Transitions::default(),
            self_loop_bounds: vec![0],
            self_loops: Vec::new(),
            slots: vec![EMPTY; SLOTS_MIN],
        }
    }
}

impl StateGraph {
    /// Adds the next state.
    pub(crate) fn add_state(&mut self, fingerprint: u64) {
        if self.fingerprints.len() * 2 >= self.slots.len() {
            self.slots = vec![EMPTY; self.slots.len() * 2];
            (0..self.fingerprints.len()).for_each(|state| self.insert(state));
        }
        self.fingerprints.push(fingerprint);
        self.holding.push(0);
        self.insert(self.fingerprints.len() - 1);
    }

    /// Sets the propositions that hold in a state.
    pub(crate) fn set_propositions(&mut self, state: usize, holding: u64) {
        self.holding[state] = holding;
    }

    /// Adds the transitions of the next states in order, once all targets are added. `ends`: by
    /// state, the end of its successors.
    pub(crate) fn add_transitions(&mut self, found: &[Successor], ends: &[u32], labels: &[u16]) {
        for some in found.chunks(AHEAD) {
            let prefetched = some.iter().map(|one| self.slots[self.home(one.fingerprint)]);
            black_box(prefetched.fold(0, |all, state| all ^ state));
            for one in some {
                self.transitions.add_target(self.state_of(one.fingerprint));
            }
        }
        self.transitions.end_rows(labels, ends);
    }

    /// Adds the self-loops of the states whose transitions were added last: the index of the state
    /// among them, in ascending order, and the label.
    pub(crate) fn add_self_loops(&mut self, self_loops: &[(u32, u16)]) {
        let begin = self.self_loop_bounds.len() - 1;
        let end = self.transitions.states();
        let mut self_loops = self_loops.iter().peekable();
        for state in begin..end {
            let from = self.self_loops.len();
            while let Some((_, label)) =
                self_loops.next_if(|(index, _)| begin + *index as usize == state)
            {
                if !self.self_loops[from..].contains(label) {
                    self.self_loops.push(*label);
                }
            }
            let end = u32::try_from(self.self_loops.len()).expect("few self-loops");
            self.self_loop_bounds.push(end);
        }
    }

    /// Adds the next state of a graph whose transitions are known by number.
    pub(crate) fn add_numbered_state(
        &mut self,
        holding: u64,
        transitions: impl Iterator<Item = (u32, u16)>,
        self_loops: &[u16],
    ) {
        self.holding.push(holding);
        self.fingerprints.push(0);
        self.transitions.add_row(transitions);
        self.self_loops.extend_from_slice(self_loops);
        let end = u32::try_from(self.self_loops.len()).expect("few self-loops");
        self.self_loop_bounds.push(end);
    }

    /// The state with a fingerprint, if it was added; only while recording.
    pub(crate) fn find(&self, fingerprint: u64) -> Option<u32> {
        let mut slot = self.home(fingerprint);
        loop {
            let state = self.slots[slot];
            if state == EMPTY || self.fingerprints[state as usize] == fingerprint {
                return (state != EMPTY).then_some(state);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Reads what looking up these successors reads, so that the look-ups do not wait one by one.
    pub(crate) fn prefetch(&self, found: &[Successor]) {
        let read = found.iter().map(|one| {
            let state = self.slots[self.home(one.fingerprint)];
            self.fingerprints.get(state as usize).copied().unwrap_or_default()
        });
        black_box(read.fold(0, |all, fingerprint| all ^ fingerprint));
    }

    fn home(&self, fingerprint: u64) -> usize {
        // The low bits: the high ones select the shard of the fingerprint set.
        usize::try_from(fingerprint & (self.slots.len() as u64 - 1)).expect("below a length")
    }

    /// Inserts a state into the hash table.
    fn insert(&mut self, state: usize) {
        let mut slot = self.home(self.fingerprints[state]);
        while self.slots[slot] != EMPTY {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = u32::try_from(state).expect("states are numbered by u32");
    }

    /// The state with this fingerprint.
    fn state_of(&self, fingerprint: u64) -> u32 {
        let mut slot = self.home(fingerprint);
        loop {
            let state = self.slots[slot];
            assert_ne!(state, EMPTY, "every successor was added as a state");
            if self.fingerprints[state as usize] == fingerprint {
                return state;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
    }

    /// Whether no more transitions may be added.
    pub(crate) fn is_full(&self) -> bool {
        self.transitions.is_full()
    }

    /// Frees what only recording needs.
    pub(crate) fn finish(&mut self) {
        self.slots = Vec::new();
    }

    /// Bytes allocated.
    #[must_use]
    pub fn bytes(&self) -> usize {
        (self.fingerprints.capacity() + self.holding.capacity()) * 8
            + self.transitions.bytes()
            + (self.slots.capacity() + self.self_loop_bounds.capacity()) * 4
            + self.self_loops.capacity() * 2
    }

    /// The number of states.
    #[must_use]
    pub fn state_count(&self) -> usize {
        self.fingerprints.len()
    }

    /// The number of transitions, self-loops excluded.
    #[must_use]
    pub fn transition_count(&self) -> usize {
        self.transitions.len()
    }

    /// The propositions that hold in a state, as bits.
    #[must_use]
    pub fn holding(&self, state: u32) -> u64 {
        self.holding[state as usize]
    }

    /// The fingerprint of a state.
    #[must_use]
    pub fn fingerprint(&self, state: u32) -> u64 {
        self.fingerprints[state as usize]
    }

    /// The transitions, self-loops excluded.
    #[inline]
    pub(crate) fn transitions(&self) -> &Transitions {
        &self.transitions
    }

    /// The labels of the self-loops of a state that discharge a fairness condition.
    #[inline]
    pub(crate) fn self_loops(&self, state: u32) -> &[u16] {
        let state = state as usize;
        &self.self_loops
            [self.self_loop_bounds[state] as usize..self.self_loop_bounds[state + 1] as usize]
    }
}

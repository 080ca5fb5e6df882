//! The whole graph of a space, with the fairness of each transition.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::parts::{Fairness, Parts};
use crate::report::options::{Limits, Progress};
use crate::search::fingerprint::BuildStable;
use crate::search::interned::Interned;
use crate::search::replay::Trail;
use crate::search::space::{Expander, Found, Row, Space};

/// States between two looks at the limits.
const LOOK_EVERY: usize = 4096;

/// Of no state: an initial one has no parent.
const NOBODY: u32 = u32::MAX;

/// The graph. States are numbered in breadth-first order.
#[derive(Debug, Default)]
pub struct Graph {
    fingerprints: Vec<u64>,
    noted: Vec<u64>,
    parents: Vec<u32>,
    /// Where the transitions of each state end.
    ends: Vec<usize>,
    to: Vec<u32>,
    labels: Vec<u16>,
    fairness: Vec<Fairness>,
}

impl Graph {
    /// Builds the graph of a space. `None`: a limit was reached.
    #[must_use]
    pub fn of<W: Parts>(
        space: &Interned<'_, W>,
        limits: &Limits,
        progress: &dyn Progress,
    ) -> Option<Self> {
        let mut graph = Self::default();
        let mut expander = space.expander();
        let mut found = Found::default();
        let mut numbers: HashMap<u64, u32, BuildStable> = HashMap::default();
        let (width, mut rows, mut next) = (space.width(), Vec::new(), Vec::new());
        expander.initial(&mut found);
        graph.enter(NOBODY, &vec![0; width], &found, &mut numbers, &mut next, &mut expander);
        while !next.is_empty() {
            std::mem::swap(&mut rows, &mut next);
            next.clear();
            for row in rows.chunks_exact(width) {
                let state = u32::try_from(graph.ends.len()).expect("states are numbered by u32");
                found.clear();
                expander.begin();
                expander.expand(row, &mut found);
                graph.enter(state, row, &found, &mut numbers, &mut next, &mut expander);
                graph.ends.push(graph.to.len());
                if graph.ends.len() % LOOK_EVERY == 0 && graph.is_over(limits, progress) {
                    return None;
                }
            }
        }
        graph.fairness = space.fairness();
        Some(graph)
    }

    /// Takes in what was found from a state.
    fn enter(
        &mut self,
        parent: u32,
        row: &[u32],
        found: &Found,
        numbers: &mut HashMap<u64, u32, BuildStable>,
        next: &mut Vec<u32>,
        expander: &mut impl Expander,
    ) {
        for &Row { fingerprint, course, .. } in found.rows() {
            let number = match numbers.entry(fingerprint) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    let number = u32::try_from(self.fingerprints.len()).expect("fewer than u32");
                    new.insert(number);
                    let at = next.len();
                    next.extend_from_slice(row);
                    expander.follow(course, &mut next[at..]);
                    self.fingerprints.push(fingerprint);
                    self.noted.push(expander.inspect(&next[at..]));
                    self.parents.push(parent);
                    number
                }
            };
            if parent != NOBODY {
                self.to.push(number);
                self.labels.push(expander.label(course));
            }
        }
    }

    fn is_over(&self, limits: &Limits, progress: &dyn Progress) -> bool {
        let memory = (self.bytes() as u64).max(progress.allocated());
        progress.is_stopped()
            || limits.max_memory.is_some_and(|most| memory > most)
            || limits.deadline.is_some_and(|end| std::time::Instant::now() >= end)
    }

    /// Bytes allocated, about.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.fingerprints.capacity() * 52 + self.to.capacity() * 6
    }

    /// How many states there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.fingerprints.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fingerprints.is_empty()
    }

    /// Every state.
    pub fn states(&self) -> impl Iterator<Item = u32> + use<> {
        0..u32::try_from(self.fingerprints.len()).expect("states are numbered by u32")
    }

    /// What is noteworthy about a state.
    #[must_use]
    pub fn noted(&self, state: u32) -> u64 {
        self.noted[state as usize]
    }

    /// Whether runs begin here.
    #[must_use]
    pub fn is_initial(&self, state: u32) -> bool {
        self.parents[state as usize] == NOBODY
    }

    /// How many transitions there are.
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.to.len()
    }

    /// How the transitions of each label may be put off.
    pub(super) fn fairness(&self) -> &[Fairness] {
        &self.fairness
    }

    /// Where a state's transitions lead, and their labels.
    pub(super) fn out(&self, state: u32) -> impl Iterator<Item = (u32, u16)> + '_ {
        let begin = state.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        let range = begin..self.ends[state as usize];
        self.to[range.clone()].iter().copied().zip(self.labels[range].iter().copied())
    }

    /// The states from which one that `is_goal` can be reached.
    pub(super) fn backwards(&self, is_goal: impl Fn(u32) -> bool) -> Vec<bool> {
        let count = self.fingerprints.len();
        let mut ends = vec![0usize; count + 1];
        self.to.iter().for_each(|&to| ends[to as usize + 1] += 1);
        (0..count).for_each(|state| ends[state + 1] += ends[state]);
        let mut from = vec![0u32; self.to.len()];
        let mut at = ends.clone();
        for state in self.states() {
            for (to, _) in self.out(state) {
                from[at[to as usize]] = state;
                at[to as usize] += 1;
            }
        }
        let mut open: Vec<u32> = self.states().filter(|&state| is_goal(state)).collect();
        let mut reaches = vec![false; count];
        open.iter().for_each(|&state| reaches[state as usize] = true);
        while let Some(state) = open.pop() {
            for &before in &from[ends[state as usize]..ends[state as usize + 1]] {
                if !std::mem::replace(&mut reaches[before as usize], true) {
                    open.push(before);
                }
            }
        }
        reaches
    }

    /// The states that can be reached from these through states that are `is_open`, sorted.
    pub(super) fn region(&self, sources: &[u32], is_open: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut is_in = vec![false; self.fingerprints.len()];
        let mut stack: Vec<u32> = Vec::new();
        for &source in sources.iter().filter(|&&source| is_open(source)) {
            is_in[source as usize] = true;
            stack.push(source);
        }
        while let Some(state) = stack.pop() {
            for (to, _) in self.out(state) {
                if is_open(to) && !std::mem::replace(&mut is_in[to as usize], true) {
                    stack.push(to);
                }
            }
        }
        self.states().filter(|&state| is_in[state as usize]).collect()
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
        let of = |&state: &u32| self.fingerprints[state as usize];
        Trail { fingerprints: states.iter().map(of).collect(), loop_from }
    }
}

//! A chunk of a level: its states are expanded, their successors inserted into the fingerprint set,
//! and the new states gathered.
//!
//! One thread expands and gathers a chunk; every thread inserts the successors of the shards it
//! owns. Each step depends only on the chunk, the level and the order of insertion, so the result
//! does not depend on which thread does it.

use std::sync::{Mutex, PoisonError};

use crate::interned::Expander;
use crate::storage::fingerprint_set::{FingerprintSet, owner_of};
use crate::storage::frontier::{Frontier, Segment, Span};
use crate::storage::state_graph::StateGraph;
use crate::successors::{RecentFingerprints, Successors};

/// A chunk and its buffers. Successors are indices into those found.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    span: Span,
    found: Successors,
    /// By state of the span: the end of its successors.
    ends: Vec<u32>,
    /// By owner, if there are several: the successors that belong to its shards.
    owned: Vec<Vec<u32>>,
    /// The new successors, in order.
    fresh: Vec<u32>,
    /// By owner, if there are several: the new successors of its shards.
    fresh_by_owner: Vec<Mutex<Vec<u32>>>,
    /// By successor: its fairness label, if the graph is recorded.
    labels: Vec<u16>,
    /// The buffer in which the new states are built.
    building: Segment,
    /// The new states.
    pub(crate) vectors: Segment,
    /// By new state: its index among its parent's successors.
    pub(crate) ordinals: Vec<u32>,
    /// By state of the span: the number of its new successors.
    pub(crate) children: Vec<u32>,
    /// The new states in which some proposition holds: index among the new states, and bits.
    pub(crate) holding: Vec<(usize, u64)>,
}

impl Chunk {
    /// An empty chunk, for a number of owners of shards.
    pub(crate) fn new(owners: usize) -> Self {
        Self {
            owned: vec![Vec::new(); owners],
            fresh_by_owner: (0..owners).map(|_| Mutex::default()).collect(),
            ..Self::default()
        }
    }

    /// The number of successors found.
    #[must_use]
    pub(crate) fn successors(&self) -> usize {
        self.found.count()
    }

    /// Starts over with the states of a span.
    pub(crate) fn begin(&mut self, span: Span) {
        self.span = span;
        self.found.clear();
        self.ends.clear();
        self.fresh.clear();
    }

    /// Finds the successors of each state.
    pub(crate) fn expand(
        &mut self,
        frontier: &Frontier,
        expander: &mut Expander<'_>,
        recent: &mut RecentFingerprints,
    ) {
        self.found.swap_recent(recent);
        for vector in frontier.of(self.span) {
            expander.expand(vector, &mut self.found);
            self.ends.push(to_u32(self.found.kept().len()));
        }
        self.found.swap_recent(recent);
        let owners = self.owned.len();
        if owners > 1 {
            self.owned.iter_mut().for_each(Vec::clear);
            for (index, found) in (0..).zip(self.found.kept()) {
                self.owned[owner_of(found.fingerprint, owners)].push(index);
            }
        }
    }

    /// Inserts all successors, for the only owner.
    pub(crate) fn insert(&mut self, fingerprints: &mut FingerprintSet) {
        let Self { found, fresh, .. } = self;
        let found = (0..).zip(found.kept().iter().map(|found| found.fingerprint));
        fingerprints.insert(found, |index| fresh.push(index));
    }

    /// Inserts the successors that belong to one of several owners.
    pub(crate) fn insert_owned(&self, owner: usize, fingerprints: &mut FingerprintSet) {
        let mut fresh = self.fresh_by_owner[owner].lock().unwrap_or_else(PoisonError::into_inner);
        let found = self.found.kept();
        let owned = self.owned[owner].iter();
        let owned = owned.map(|&index| (index, found[index as usize].fingerprint));
        fingerprints.insert(owned, |index| fresh.push(index));
    }

    /// Looks up the labels of all successors.
    pub(crate) fn label(&mut self, expander: &Expander<'_>) {
        let Self { found, labels, .. } = self;
        labels.clear();
        labels.extend(found.kept().iter().map(|found| expander.label(found.delta)));
    }

    /// Records the new states.
    pub(crate) fn record_states(&self, graph: &mut StateGraph) {
        let first = graph.state_count();
        for &index in &self.fresh {
            graph.add_state(self.found.kept()[index as usize].fingerprint);
        }
        self.holding
            .iter()
            .for_each(|&(index, holding)| graph.set_propositions(first + index, holding));
    }

    /// Records the transitions.
    pub(crate) fn record_transitions(&self, graph: &mut StateGraph) {
        graph.add_transitions(self.found.kept(), &self.ends, &self.labels);
        graph.add_self_loops(self.found.self_loops());
    }

    /// Builds the new states and evaluates the propositions of each.
    pub(crate) fn gather(&mut self, frontier: &Frontier, expander: &mut Expander<'_>) {
        for fresh in &mut self.fresh_by_owner {
            let fresh = fresh.get_mut().unwrap_or_else(PoisonError::into_inner);
            self.fresh.append(fresh);
        }
        if self.fresh_by_owner.len() > 1 {
            self.fresh.sort_unstable();
        }
        self.building.clear();
        self.ordinals.clear();
        self.children.clear();
        self.holding.clear();
        let mut fresh = self.fresh.iter().copied().peekable();
        for (vector, &end) in frontier.of(self.span).zip(&self.ends) {
            let before = self.ordinals.len();
            while let Some(index) = fresh.next_if(|&index| index < end) {
                let at = self.building.len();
                self.building.extend_from_slice(vector);
                let found = self.found.kept()[index as usize];
                expander.apply(found.delta, &mut self.building[at..]);
                let holding = expander.evaluate(&self.building[at..]);
                if holding != 0 {
                    self.holding.push((self.ordinals.len(), holding));
                }
                self.ordinals.push(found.ordinal);
            }
            self.children.push(to_u32(self.ordinals.len() - before));
        }
        self.vectors = self.building.as_slice().to_vec();
    }
}

fn to_u32(count: usize) -> u32 {
    u32::try_from(count).expect("a chunk's successors fit")
}

//! The innermost loop: the successors of a state vector, by the memoised transitions of the
//! [`DecisionTree`].
//!
//! Where a transition may change the canonical ids, or a reduction maps the successor to a
//! representative, the successor is materialised, and the updates that lead to it are kept as a
//! detached delta until the next batch.

mod recorded;
mod reduction;

use std::collections::HashMap;
use std::sync::Arc;

use crate::fingerprint::{BuildStableHasher, from_sum};
use crate::interned::canonical_ids::IdCanonicalizer;
use crate::interned::decision_tree::{DecisionTree, Delta};
use crate::interned::direct_mapped::DirectMapped;
use crate::interned::indexed::Evaluator;
use crate::interned::node_ref::{NodeKind, NodeRef};
use crate::interned::predicates::PredicateCache;
use crate::interned::space::StateSpace;
use crate::interned::symmetry::SymmetryReducer;
use crate::interned::tables::StoredInFlight;
use crate::interned::thread_cache::{PartHeader, ThreadCache};
use crate::storage::state_vector::PartUpdate;
use crate::successors::Successors;
use crate::transition_system::Place;

/// The bit of a delta that is detached: not one of the tree's.
const DETACHED: u32 = 1 << 31;
/// Slots of the cache of representatives: a state has many parents, found close to each other.
const CANONICAL_CACHE_LEN: usize = 1 << 15;
/// Operations listed for each part whether it enables as many or not.
const OPS_AT_ONCE: u32 = 4;

/// Finds the successors of states, on one thread. A successor is a fingerprint and a delta, which
/// only the expander that returned it can apply, and only until the next call of
/// [`Expander::begin`].
pub struct Expander<'s> {
    space: &'s StateSpace<'s>,
    cache: ThreadCache<'s>,
    tree: DecisionTree,
    predicates: PredicateCache,
    evaluator: Box<dyn Evaluator + 's>,
    canonicalizer: IdCanonicalizer,
    symmetry: Option<SymmetryReducer>,
    /// By place and part: the messages in flight.
    in_flight: Vec<HashMap<u32, Arc<[StoredInFlight]>, BuildStableHasher>>,
    /// Representatives found recently: the hash sum of a state, and the fingerprint of its
    /// representative. The latter was found before, so its delta is never applied.
    canonical: DirectMapped,
    /// Whether the delta of such a representative is needed, too.
    keeps_deltas: bool,
    /// The successor being materialised.
    vector: Vec<u32>,
    /// The operations that its parts enable. Behind those of some parts there is room for
    /// [`OPS_AT_ONCE`] of each further one.
    ops: Vec<u32>,
    /// The detached deltas: where their updates end, and their labels.
    detached: Vec<(u32, u16)>,
    updates: Vec<PartUpdate>,
}

impl<'s> Expander<'s> {
    /// An expander for one thread. The same vector is the same state to all expanders of a space.
    #[must_use]
    pub fn new(space: &'s StateSpace<'_>) -> Self {
        let mut cache = ThreadCache::new(space);
        let predicates = PredicateCache::new(&space.system.predicates(), &space.propositions);
        let width = space.width();
        (0..width).for_each(|place| cache.refresh(place));
        let mut canonicalizer = IdCanonicalizer::new(width);
        let mut has_canonical_ids = |vector: &Vec<u32>| {
            let mut canonical = vector.clone();
            canonicalizer.canonicalize(&mut cache, &mut canonical, 0);
            canonical == *vector
        };
        let is_reduced = space.live_inputs.is_some()
            || space.permutations.is_some()
            || !space.initial.iter().all(&mut has_canonical_ids);
        Self {
            space,
            cache,
            tree: DecisionTree::new(is_reduced),
            predicates,
            evaluator: space.system.evaluator(),
            canonicalizer,
            symmetry: space
                .permutations
                .clone()
                .map(|permutations| SymmetryReducer::new(permutations, width)),
            in_flight: vec![HashMap::default(); width],
            canonical: DirectMapped::new(CANONICAL_CACHE_LEN),
            keeps_deltas: false,
            vector: vec![0; width],
            ops: vec![0; width * OPS_AT_ONCE as usize],
            detached: Vec::new(),
            updates: Vec::new(),
        }
    }

    /// Walks down from a node of the tree, through every alternative of a choice.
    #[inline(always)]
    fn walk(
        &mut self,
        node: NodeRef,
        vector: &[u32],
        from: u64,
        found: &mut Successors,
    ) -> Result<(), Unexplored> {
        let mut node = node;
        loop {
            match node.kind() {
                NodeKind::Decision(decision) => node = self.tree.descend(decision, vector),
                NodeKind::Delta(delta) => {
                    found
                        .push(from_sum(from.wrapping_add(self.tree.delta(delta).hash_term)), delta);
                    return Ok(());
                }
                NodeKind::ReducibleDelta(delta) => {
                    self.push_reduced(delta, vector, from, found);
                    return Ok(());
                }
                NodeKind::NoSuccessor => return Ok(()),
                NodeKind::SelfLoop(label) => {
                    found.push_self_loop(label);
                    return Ok(());
                }
                NodeKind::Choice(index) => {
                    return self.walk_alternatives(index, vector, from, found);
                }
                NodeKind::Unexplored => return Err(Unexplored),
            }
        }
    }

    fn walk_alternatives(
        &mut self,
        index: u32,
        vector: &[u32],
        from: u64,
        found: &mut Successors,
    ) -> Result<(), Unexplored> {
        if !self.is_explored(NodeKind::Choice(index), vector) {
            return Err(Unexplored);
        }
        let (first, end) = self.tree.alternatives(index);
        (first..end).try_for_each(|alternative| {
            self.walk(self.tree.alternative(alternative), vector, from, found)
        })
    }

    /// Whether the tree has every leaf of an action for this state.
    fn is_explored(&mut self, kind: NodeKind, vector: &[u32]) -> bool {
        match kind {
            NodeKind::Decision(decision) => {
                let node = self.tree.descend(decision, vector);
                self.is_explored(node.kind(), vector)
            }
            NodeKind::Choice(index) => {
                let (first, end) = self.tree.alternatives(index);
                (first..end).all(|alternative| {
                    self.is_explored(self.tree.alternative(alternative).kind(), vector)
                })
            }
            NodeKind::Delta(_)
            | NodeKind::ReducibleDelta(_)
            | NodeKind::NoSuccessor
            | NodeKind::SelfLoop(_) => true,
            NodeKind::Unexplored => false,
        }
    }

    /// Adds the missing nodes of an action and walks down again.
    #[cold]
    #[inline(never)]
    fn explore(&mut self, enabled_op: u32, vector: &[u32], from: u64, found: &mut Successors) {
        let enables = |(place, &part): (usize, &u32)| {
            let PartHeader { first, count, .. } = self.cache.header(place, part);
            (first..first + count).contains(&enabled_op)
        };
        let at = vector.iter().enumerate().position(enables);
        let at = Place::of(at.expect("a part of the state enables it")).0;
        let (op, fairness) = self.cache.enabled[enabled_op as usize];
        let start = self.cache.nodes[enabled_op as usize];
        let node = self.tree.grow(&mut self.cache, vector, (at, op, fairness), start);
        self.cache.nodes[enabled_op as usize] = node;
        self.walk(node, vector, from, found).expect("the tree has every leaf for this state");
    }

    /// Adds the representative of the successor by a delta of the tree.
    #[inline(never)]
    fn push_reduced(&mut self, delta: u32, vector: &[u32], from: u64, found: &mut Successors) {
        let Delta { hash_term, label, .. } = self.tree.delta(delta);
        let sum = from.wrapping_add(hash_term);
        if !self.keeps_deltas
            && let Some(fingerprint) = self.canonical.get(sum)
        {
            if fingerprint == from_sum(from) {
                self.push_self_loop((delta, label), found);
            } else {
                self.push_detached(fingerprint, label, found);
            }
            return;
        }
        self.vector.copy_from_slice(vector);
        self.tree.apply(delta, &mut self.vector);
        let raw = sum;
        let sum = self.canonicalizer.canonicalize(&mut self.cache, &mut self.vector, sum);
        let sum = self.reduce(sum);
        self.canonical.insert(raw, from_sum(sum));
        if sum == from {
            self.push_self_loop((delta, label), found);
            return;
        }
        for (place, (&was, &now)) in vector.iter().zip(&self.vector).enumerate() {
            if was != now {
                self.updates.push(PartUpdate::new(place, now));
            }
        }
        self.push_detached(from_sum(sum), label, found);
    }

    /// Adds a delta that leads back to its source, if it discharges a condition.
    fn push_self_loop(&self, (delta, label): (u32, u16), found: &mut Successors) {
        if self.tree.does_discharge(delta) {
            found.push_self_loop(label);
        }
    }

    /// Adds a successor by the updates collected, as a detached delta.
    fn push_detached(&mut self, fingerprint: u64, label: u16, found: &mut Successors) {
        let delta = u32::try_from(self.detached.len()).expect("a batch is small");
        self.detached.push((u32::try_from(self.updates.len()).expect("a batch is small"), label));
        found.push(fingerprint, DETACHED | delta);
    }

    /// The fingerprint of the representative of a state.
    pub fn fingerprint(&mut self, vector: &[u32]) -> u64 {
        self.vector.copy_from_slice(vector);
        let sum = self.hash_sum(vector);
        let sum = self.reduce(sum);
        from_sum(sum)
    }

    fn hash_sum(&mut self, vector: &[u32]) -> u64 {
        let parts = vector.iter().enumerate();
        let hash_terms = parts.map(|(place, &part)| self.cache.new_hash_term(place, part));
        hash_terms.fold(0, u64::wrapping_add)
    }

    /// Makes the delta of every successor one that can be applied. By default only those of
    /// successors found for the first time are.
    pub fn keep_all_deltas(&mut self) {
        self.keeps_deltas = true;
    }

    /// Invalidates the deltas returned so far.
    pub fn begin(&mut self) {
        self.detached.clear();
        self.updates.clear();
        if self.tree.is_large() {
            self.tree.prune();
            self.cache.forget_nodes();
        }
    }

    /// Finds the initial states, as deltas from a vector of zeros.
    pub fn initial(&mut self, found: &mut Successors) {
        for vector in &self.space.initial {
            self.vector.copy_from_slice(vector);
            let sum = self.hash_sum(vector);
            let sum = self.reduce(sum);
            let vector = self.vector.iter().enumerate();
            self.updates.extend(vector.map(|(place, &part)| PartUpdate::new(place, part)));
            self.push_detached(from_sum(sum), 0, found);
        }
    }

    /// Finds the successors of a state, in an order that depends on the state alone.
    pub fn expand(&mut self, vector: &[u32], found: &mut Successors) {
        found.begin_state();
        let (mut from, mut count) = (0u64, 0);
        for (place, &part) in vector.iter().enumerate() {
            if !self.cache.is_loaded(place, part) {
                self.cache.load_enabled(place, part);
            }
            let header = self.cache.header(place, part);
            from = from.wrapping_add(header.hash_term);
            self.list_ops(header, count);
            count += header.count as usize;
        }
        if self.cache.is_outdated() {
            self.cache.forget_nodes();
        }
        for index in 0..count {
            let enabled_op = self.ops[index];
            let node = self.cache.nodes[enabled_op as usize];
            if self.walk(node, vector, from, found).is_err() {
                self.explore(enabled_op, vector, from, found);
            }
        }
    }

    /// Lists the operations that a part enables, from an index on. Parts enable few, and how many
    /// is unpredictable: so some are written for each, and what is too much is overwritten.
    #[inline(always)]
    fn list_ops(&mut self, header: PartHeader, index: usize) {
        let ops = header.first..;
        if header.count > OPS_AT_ONCE {
            let end = index + header.count as usize;
            if self.ops.len() < end + self.vector.len() * OPS_AT_ONCE as usize {
                self.ops.resize(2 * end + self.vector.len() * OPS_AT_ONCE as usize, 0);
            }
            ops.zip(&mut self.ops[index..end]).for_each(|(op, slot)| *slot = op);
            return;
        }
        let slots = &mut self.ops[index..index + OPS_AT_ONCE as usize];
        ops.zip(slots).for_each(|(op, slot)| *slot = op);
    }

    /// Applies a delta to the state that it was found from.
    pub fn apply(&self, delta: u32, vector: &mut [u32]) {
        if delta & DETACHED == 0 {
            self.tree.apply(delta, vector);
            return;
        }
        let index = (delta & !DETACHED) as usize;
        let begin = index.checked_sub(1).map_or(0, |before| self.detached[before].0);
        let updates = &self.updates[begin as usize..self.detached[index].0 as usize];
        updates.iter().for_each(|update| update.apply(vector));
    }

    /// The fairness label of a delta.
    #[must_use]
    pub fn label(&self, delta: u32) -> u16 {
        match delta & DETACHED {
            0 => self.tree.delta(delta).label,
            _ => self.detached[(delta & !DETACHED) as usize].1,
        }
    }

    /// The atomic propositions that hold in a state, as bits.
    pub fn evaluate(&mut self, vector: &[u32]) -> u64 {
        self.predicates.evaluate(&mut self.cache, &mut *self.evaluator, vector)
    }

    /// An estimate of the bytes allocated.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.cache.bytes() + self.tree.bytes()
    }
}

/// The tree lacks a leaf for this state.
#[derive(Debug)]
struct Unexplored;

impl Drop for Expander<'_> {
    fn drop(&mut self) {
        self.space.cover(self.tree.tags());
    }
}

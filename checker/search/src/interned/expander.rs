//! The innermost loop: the successors of a state vector, by the memoised transitions of the
//! [`DecisionTree`].
//!
//! Where a transition may change the canonical ids, or a reduction maps the successor to a
//! representative, the successor is materialised, and the updates that lead to it are kept as a
//! detached delta until the next batch.

mod recorded;

use std::collections::hash_map::{Entry, HashMap};
use std::sync::{Arc, PoisonError};

use crate::fingerprint::{BuildStableHasher, from_sum};
use crate::interned::Interned;
use crate::interned::canonical_ids::IdCanonicalizer;
use crate::interned::dead_messages::LiveInputs;
use crate::interned::decision_tree::{DecisionTree, Delta};
use crate::interned::node_ref::{NodeKind, NodeRef};
use crate::interned::part_update::PartUpdate;
use crate::interned::predicates::PredicateCache;
use crate::interned::store::StoredInFlight;
use crate::interned::symmetry::SymmetryReducer;
use crate::interned::thread_cache::{NOT_LOADED, PartHeader, ThreadCache};
use crate::state_space::{Expander, Successors};
use crate::transition_system::TransitionSystem;

/// The bit of a delta that is detached: not one of the tree's.
const DETACHED: u32 = 1 << 31;
/// Slots of the cache of representatives: a state has many parents, found close to each other.
const CANONICAL_CACHE_LEN: usize = 1 << 15;

/// One thread's expander.
#[derive(Debug)]
pub struct InternedExpander<'s, W: TransitionSystem> {
    space: &'s Interned<'s, W>,
    cache: ThreadCache<'s, W>,
    tree: DecisionTree,
    predicates: PredicateCache<'s, W>,
    canonicalizer: IdCanonicalizer,
    symmetry: Option<SymmetryReducer>,
    /// Whether every successor has to be materialised, because a reduction may replace it.
    is_reduced: bool,
    /// By place and part: the messages in flight.
    in_flight: Vec<HashMap<u32, Arc<[StoredInFlight]>, BuildStableHasher>>,
    /// Representatives found recently: the hash sum of a state, and the fingerprint of its
    /// representative. The latter was found before, so its delta is never applied.
    canonical: Vec<(u64, u64)>,
    /// Whether the delta of such a representative is needed, too.
    keeps_deltas: bool,
    /// The successor being materialised.
    vector: Vec<u32>,
    /// The header of each part of the state being expanded.
    headers: Vec<PartHeader>,
    /// The detached deltas: where their updates end, and their labels.
    detached: Vec<(u32, u16)>,
    updates: Vec<PartUpdate>,
}

impl<'s, W: TransitionSystem> InternedExpander<'s, W> {
    pub(super) fn new(
        space: &'s Interned<'s, W>,
        mut cache: ThreadCache<'s, W>,
        predicates: PredicateCache<'s, W>,
    ) -> Self {
        let width = space.without_loss.len();
        (0..width).for_each(|place| cache.refresh(place));
        let mut expander = Self {
            space,
            cache,
            tree: DecisionTree::default(),
            predicates,
            canonicalizer: IdCanonicalizer::new(width),
            symmetry: space
                .permutations
                .clone()
                .map(|permutations| SymmetryReducer::new(permutations, width)),
            is_reduced: space.live_inputs.is_some() || space.permutations.is_some(),
            in_flight: vec![HashMap::default(); width],
            canonical: vec![(0, 0); CANONICAL_CACHE_LEN],
            keeps_deltas: false,
            vector: vec![0; width],
            headers: vec![PartHeader { hash_term: 0, first: NOT_LOADED, count: 0 }; width],
            detached: Vec::new(),
            updates: Vec::new(),
        };
        expander.is_reduced |=
            space.initial.iter().any(|vector| !expander.has_canonical_ids(vector));
        expander
    }

    /// Whether the symbolic ids of a state are canonical.
    fn has_canonical_ids(&mut self, vector: &[u32]) -> bool {
        self.vector.copy_from_slice(vector);
        self.canonicalizer.canonicalize(&mut self.cache, &mut self.vector, 0);
        self.vector == vector
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
                    self.push_delta(delta, vector, from, found);
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
            NodeKind::Delta(_) | NodeKind::NoSuccessor | NodeKind::SelfLoop(_) => true,
            NodeKind::Unexplored => false,
        }
    }

    /// Adds the missing nodes of an action and walks down again.
    #[cold]
    #[inline(never)]
    fn explore(
        &mut self,
        at: u16,
        enabled_op: u32,
        vector: &[u32],
        from: u64,
        found: &mut Successors,
    ) {
        let (op, fairness) = self.cache.enabled[enabled_op as usize];
        let start = self.cache.nodes[enabled_op as usize];
        let node = self.tree.grow(&mut self.cache, vector, (at, op, fairness), start);
        self.cache.nodes[enabled_op as usize] = node;
        self.walk(node, vector, from, found).expect("the tree has every leaf for this state");
    }

    /// Adds the successor by a delta of the tree.
    #[inline(always)]
    fn push_delta(&mut self, delta: u32, vector: &[u32], from: u64, found: &mut Successors) {
        let Delta { hash_term, label, .. } = self.tree.delta(delta);
        let sum = from.wrapping_add(hash_term);
        if self.is_reduced || self.tree.changes_ids(delta) {
            self.push_reduced((delta, label), vector, (from, sum), found);
        } else {
            found.push(from_sum(sum), delta);
        }
    }

    /// Adds the representative of the successor by a delta of the tree.
    #[inline(never)]
    fn push_reduced(
        &mut self,
        (delta, label): (u32, u16),
        vector: &[u32],
        (from, sum): (u64, u64),
        found: &mut Successors,
    ) {
        let slot = (sum & (CANONICAL_CACHE_LEN as u64 - 1)) as usize;
        let (raw, fingerprint) = self.canonical[slot];
        if raw == sum && fingerprint != 0 && !self.keeps_deltas {
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
        self.canonical[slot] = (raw, from_sum(sum));
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

    /// Adds a delta that leads back to its source, if it discharges another action's condition.
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

    /// Replaces the materialised state by its representative; returns the new hash sum.
    fn reduce(&mut self, mut sum: u64) -> u64 {
        if let Some(live_inputs) = &self.space.live_inputs {
            sum = self.discard_dead(live_inputs, sum);
        }
        if let Some(symmetry) = &mut self.symmetry {
            let Self { cache, canonicalizer, vector, .. } = self;
            sum = symmetry.reduce(cache, canonicalizer, vector, sum);
        }
        sum
    }

    /// Discards every dead message.
    fn discard_dead(&mut self, live_inputs: &LiveInputs, mut sum: u64) -> u64 {
        let mut is_unchanged = true;
        for place in 0..self.vector.len() {
            loop {
                let part = self.vector[place];
                let in_flight = match self.in_flight[place].entry(part) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(self.cache.in_flight(place, part)),
                };
                let is_dead = |message: &&StoredInFlight| {
                    let receiver = self.vector[usize::from(message.to)];
                    !live_inputs.reacts(message.to, receiver, message.input)
                };
                let Some(&StoredInFlight { discard, .. }) = in_flight.iter().find(is_dead) else {
                    break;
                };
                let outcomes = self.cache.outcomes(place, part, discard);
                assert_eq!(outcomes.count, 1, "discarding a message is deterministic");
                let outcome = self.cache.outcomes[outcomes.first as usize];
                self.vector[place] = outcome.to;
                sum = sum.wrapping_add(outcome.hash_delta);
                is_unchanged = false;
            }
        }
        if is_unchanged {
            return sum;
        }
        // Ids that only those messages had are free again.
        self.canonicalizer.canonicalize(&mut self.cache, &mut self.vector, sum)
    }

    /// The fingerprint of the representative of a state.
    pub fn fingerprint(&mut self, state: Vec<W::Part>) -> u64 {
        for (place, part) in state.into_iter().enumerate() {
            self.vector[place] = self.cache.intern(place, part);
        }
        let sum = self.hash_sum(&self.vector);
        let sum = self.reduce(sum);
        from_sum(sum)
    }

    fn hash_sum(&self, vector: &[u32]) -> u64 {
        let hash_terms =
            vector.iter().enumerate().map(|(place, &part)| self.cache.hash_term(place, part));
        hash_terms.fold(0, u64::wrapping_add)
    }

    /// Copies the parts of a state that this thread has not met from the shared store.
    fn refresh(&mut self, vector: &[u32]) {
        for (place, &part) in vector.iter().enumerate() {
            if part as usize >= self.cache.len(place) {
                self.cache.refresh(place);
            }
        }
    }
}

/// The tree lacks a leaf for this state.
#[derive(Debug)]
struct Unexplored;

impl<W: TransitionSystem> Expander for InternedExpander<'_, W> {
    fn keep_all_deltas(&mut self) {
        self.keeps_deltas = true;
    }

    fn begin(&mut self) {
        self.detached.clear();
        self.updates.clear();
        if self.tree.is_large() {
            self.tree.prune();
            self.cache.forget_nodes();
        }
    }

    fn initial(&mut self, found: &mut Successors) {
        for vector in &self.space.initial {
            self.vector.copy_from_slice(vector);
            let sum = self.hash_sum(vector);
            let sum = self.reduce(sum);
            let vector = self.vector.iter().enumerate();
            self.updates.extend(vector.map(|(place, &part)| PartUpdate::new(place, part)));
            self.push_detached(from_sum(sum), 0, found);
        }
    }

    fn expand(&mut self, vector: &[u32], found: &mut Successors) {
        found.begin_state();
        let mut from = 0u64;
        for (place, &part) in vector.iter().enumerate() {
            if part as usize >= self.cache.len(place) {
                self.cache.refresh(place);
            }
            let mut header = self.cache.header(place, part);
            if header.first == NOT_LOADED {
                header = self.cache.load_enabled(place, part);
            }
            self.headers[place] = header;
            from = from.wrapping_add(header.hash_term);
        }
        for at in 0..u16::try_from(vector.len()).expect("at most PLACES_MAX places") {
            let header = self.headers[usize::from(at)];
            for enabled_op in header.first..header.first + header.count {
                let node = self.cache.nodes[enabled_op as usize];
                if self.walk(node, vector, from, found).is_err() {
                    self.explore(at, enabled_op, vector, from, found);
                }
            }
        }
    }

    fn apply(&self, delta: u32, vector: &mut [u32]) {
        if delta & DETACHED == 0 {
            self.tree.apply(delta, vector);
            return;
        }
        let index = (delta & !DETACHED) as usize;
        let begin = index.checked_sub(1).map_or(0, |before| self.detached[before].0);
        let updates = &self.updates[begin as usize..self.detached[index].0 as usize];
        updates.iter().for_each(|update| update.apply(vector));
    }

    fn label(&self, delta: u32) -> u16 {
        match delta & DETACHED {
            0 => self.tree.delta(delta).label,
            _ => self.detached[(delta & !DETACHED) as usize].1,
        }
    }

    fn evaluate(&mut self, vector: &[u32]) -> u64 {
        self.refresh(vector);
        self.predicates.evaluate(&self.cache, vector)
    }

    fn bytes(&self) -> usize {
        self.cache.bytes() + self.tree.bytes()
    }
}

impl<W: TransitionSystem> Drop for InternedExpander<'_, W> {
    fn drop(&mut self) {
        let mut covered = self.space.covered.lock().unwrap_or_else(PoisonError::into_inner);
        covered.extend(self.tree.tags());
    }
}

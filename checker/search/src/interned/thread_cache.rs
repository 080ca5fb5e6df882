//! The cache of one thread: a copy of the tables that it has used, laid out for speed.
//!
//! Indices are the system's. A miss is loaded from the [`IndexedSystem`]; nothing is computed here.

use std::collections::HashMap;
use std::sync::Arc;

use crate::fairness_label::FairnessLabel;
use crate::fingerprint::BuildStableHasher;
use crate::interned::indexed::{IndexedSystem, RolePermutation};
use crate::interned::node_ref::NodeRef;
use crate::interned::pair_map::PairMap;
use crate::interned::space::StateSpace;
use crate::interned::tables::{NO_FAIRNESS, PlaceTable, StoredId, StoredInFlight, StoredOp};

/// An outcome of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct CachedOutcome {
    /// The part after it.
    pub(super) to: u32,
    /// What is added to the state's hash sum: the term of the new part less that of the old.
    pub(super) hash_delta: u64,
    /// The first operation it triggers, in [`ThreadCache::triggered`].
    pub(super) triggered_first: u32,
    /// How many it triggers.
    pub(super) triggered_count: u16,
}

/// The outcomes of an operation: a range of [`ThreadCache::outcomes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutcomeRange {
    pub(super) first: u32,
    pub(super) count: u32,
}

impl OutcomeRange {
    fn pack(self) -> u64 {
        u64::from(self.first) << u32::BITS | u64::from(self.count)
    }

    #[expect(clippy::cast_possible_truncation, reason = "two halves of a word")]
    fn unpack(word: u64) -> Self {
        Self { first: (word >> u32::BITS) as u32, count: word as u32 }
    }
}

/// What expanding a state reads of each part.
#[derive(Clone, Copy, Debug)]
pub(super) struct PartHeader {
    /// Its term in the hash sum of a state.
    pub(super) hash_term: u64,
    /// Its first enabled operation, in [`ThreadCache::nodes`]; [`NOT_LOADED`] before it is used.
    pub(super) first: u32,
    /// How many operations it enables.
    pub(super) count: u32,
}

/// No index: the enabled operations are not loaded yet.
const NOT_LOADED: u32 = u32::MAX;

/// The parts that a place may have, by index.
#[derive(Debug, Default)]
struct PlaceCache {
    headers: Vec<PartHeader>,
    ids: Vec<Arc<[StoredId]>>,
    /// By part and operation: an [`OutcomeRange`].
    outcomes: PairMap,
    /// Whether decision trees leave out the place, since it has one part.
    is_constant: bool,
}

/// The cache of one thread.
pub(super) struct ThreadCache<'s> {
    pub(super) system: &'s dyn IndexedSystem,
    /// By place: whether losses are left out.
    without_loss: &'s [bool],
    places: Vec<PlaceCache>,
    /// Of each enabled operation: the root of its decision tree.
    pub(super) nodes: Vec<NodeRef>,
    /// Of each enabled operation: the operation and the index of its fairness.
    pub(super) enabled: Vec<(u32, u16)>,
    /// The outcomes of all operations loaded.
    pub(super) outcomes: Vec<CachedOutcome>,
    /// The operations that outcomes trigger: place and operation.
    pub(super) triggered: Vec<(u16, u32)>,
    /// Of each outcome: its tags.
    tags: Vec<Vec<u32>>,
    /// Of each outcome: the indices of the fairness conditions that it discharges.
    discharges: Vec<Vec<u16>>,
    /// The index of each fairness label loaded.
    labels: HashMap<FairnessLabel, u16, BuildStableHasher>,
    /// Whether a place that decision trees leave out has more than one part by now.
    is_outdated: bool,
}

impl PlaceCache {
    /// Copies the parts that were interned since the last copy.
    fn refresh(&mut self, table: &PlaceTable) {
        let known = self.headers.len();
        let header = |&hash_term: &u64| PartHeader { hash_term, first: NOT_LOADED, count: 0 };
        self.headers.extend(table.hash_terms[known..].iter().map(header));
        self.ids.extend_from_slice(&table.ids[known..]);
    }
}

impl<'s> ThreadCache<'s> {
    /// An empty cache.
    pub(super) fn new(space: &'s StateSpace<'_>) -> Self {
        Self {
            system: space.system,
            without_loss: &space.without_loss,
            places: space.without_loss.iter().map(|_| PlaceCache::default()).collect(),
            nodes: Vec::new(),
            enabled: Vec::new(),
            outcomes: Vec::new(),
            triggered: Vec::new(),
            tags: Vec::new(),
            discharges: Vec::new(),
            labels: HashMap::default(),
            is_outdated: false,
        }
    }

    /// The term of a part in the hash sum of a state.
    #[inline]
    pub(super) fn hash_term(&self, place: usize, part: u32) -> u64 {
        self.places[place].headers[part as usize].hash_term
    }

    /// The term of a part that this thread may not have met.
    #[inline]
    pub(super) fn new_hash_term(&mut self, place: usize, part: u32) -> u64 {
        self.meet(place, part);
        self.hash_term(place, part)
    }

    /// Whether the operations that a part enables are loaded.
    #[inline]
    pub(super) fn is_loaded(&self, place: usize, part: u32) -> bool {
        self.places[place].headers.get(part as usize).is_some_and(|one| one.first != NOT_LOADED)
    }

    /// The header of a part.
    #[inline]
    pub(super) fn header(&self, place: usize, part: u32) -> PartHeader {
        self.places[place].headers[part as usize]
    }

    /// The outcomes of an operation on a part.
    #[inline]
    pub(super) fn outcomes(&mut self, place: usize, part: u32, op: u32) -> OutcomeRange {
        match self.places[place].outcomes.get(part, op) {
            Some(word) => OutcomeRange::unpack(word),
            None => self.load_outcomes(place, part, op),
        }
    }

    /// Copies a part from the shared store if this thread has not met it.
    #[inline]
    fn meet(&mut self, place: usize, part: u32) {
        if part as usize >= self.places[place].headers.len() {
            self.refresh(place);
        }
    }

    /// Copies the parts of a place that were interned since the last copy.
    pub(super) fn refresh(&mut self, place: usize) {
        let cached = &mut self.places[place];
        self.system.read(&mut |tables| cached.refresh(&tables.places[place]));
        self.is_outdated |= cached.is_constant && cached.headers.len() > 1;
    }

    /// Whether decision trees may leave out a place of the state being expanded: it has one part.
    /// They may until [`ThreadCache::forget_nodes`], which is due where they are outdated before
    /// another state is expanded.
    pub(super) fn is_constant(&mut self, place: usize) -> bool {
        let cached = &mut self.places[place];
        cached.is_constant |= cached.headers.len() == 1;
        cached.is_constant
    }

    /// Whether a place that decision trees leave out has more than one part by now.
    #[inline]
    pub(super) fn is_outdated(&self) -> bool {
        self.is_outdated
    }

    /// Loads the operations that a part enables.
    #[cold]
    #[inline(never)]
    pub(super) fn load_enabled(&mut self, place: usize, part: u32) {
        self.meet(place, part);
        let enabled = self.system.enabled(place, part);
        let first = index(self.enabled.len());
        let is_followed = |op: &&StoredOp| !(op.is_loss && self.without_loss[place]);
        let followed = enabled.iter().filter(is_followed);
        self.enabled.extend(followed.map(|op| (op.op, op.fairness)));
        self.nodes.resize(self.enabled.len(), NodeRef::UNEXPLORED);
        let header = &mut self.places[place].headers[part as usize];
        (header.first, header.count) = (first, index(self.enabled.len()) - first);
    }

    /// Forgets the roots of the decision trees.
    pub(super) fn forget_nodes(&mut self) {
        self.nodes.fill(NodeRef::UNEXPLORED);
        self.places.iter_mut().for_each(|place| place.is_constant = false);
        self.is_outdated = false;
    }

    #[cold]
    fn load_outcomes(&mut self, place: usize, part: u32, op: u32) -> OutcomeRange {
        let outcomes = self.system.outcomes(place, part, op);
        self.refresh(place);
        let first = index(self.outcomes.len());
        for outcome in outcomes.iter() {
            let triggered_first = index(self.triggered.len());
            self.triggered.extend(outcome.triggers.iter().map(|&(place, op)| (place.0, op)));
            self.outcomes.push(CachedOutcome {
                to: outcome.to,
                hash_delta: self
                    .hash_term(place, outcome.to)
                    .wrapping_sub(self.hash_term(place, part)),
                triggered_first,
                triggered_count: u16::try_from(outcome.triggers.len())
                    .expect("at most CASCADE_MAX"),
            });
            self.tags.push(outcome.tags.clone());
            self.discharges.push(outcome.discharges.clone());
        }
        let outcomes = OutcomeRange { first, count: index(outcomes.len()) };
        self.places[place].outcomes.insert(part, op, outcomes.pack());
        outcomes
    }

    /// A part with the members of a role permuted; `from` and `place`: its place before and after.
    #[cold]
    pub(super) fn permuted(
        &mut self,
        (from, place): (usize, usize),
        part: u32,
        permutation: &RolePermutation,
    ) -> u32 {
        let index = self.system.permuted(from, part, place, permutation);
        self.refresh(place);
        index
    }

    /// The messages in flight in a part.
    #[cold]
    pub(super) fn in_flight(&self, place: usize, part: u32) -> Arc<[StoredInFlight]> {
        self.system.in_flight(place, part)
    }

    /// A part with its symbolic ids replaced.
    #[cold]
    pub(super) fn with_ids(&mut self, place: usize, part: u32, ids: &[u64]) -> u32 {
        let index = self.system.with_ids(place, part, ids);
        self.refresh(place);
        index
    }

    /// The symbolic ids of a part, in order of visit.
    #[inline]
    pub(super) fn ids(&self, place: usize, part: u32) -> &[StoredId] {
        &self.places[place].ids[part as usize]
    }

    /// The tags of an outcome.
    pub(super) fn tags(&self, outcome: u32) -> &[u32] {
        &self.tags[outcome as usize]
    }

    /// The label of an action with this fairness and these outcomes, and whether it discharges a
    /// fairness condition, its own or another.
    pub(super) fn label(&mut self, action: u16, outcomes: &[u32]) -> (u16, bool) {
        let all = outcomes.iter().flat_map(|&index| &self.discharges[index as usize]);
        let mut discharges: Vec<u16> = all.copied().collect();
        let does_discharge = action != NO_FAIRNESS || !discharges.is_empty();
        discharges.sort_unstable();
        discharges.dedup();
        let label = FairnessLabel { action, discharges };
        let index = match self.labels.get(&label) {
            Some(&index) => index,
            None => {
                let index = self.system.label(label.clone());
                self.labels.insert(label, index);
                index
            }
        };
        (index, does_discharge)
    }

    /// Bytes allocated, about.
    pub(super) fn bytes(&self) -> usize {
        let of = |place: &PlaceCache| place.outcomes.bytes() + place.headers.len() * 40;
        self.places.iter().map(of).sum::<usize>() + self.outcomes.len() * 64
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).expect("far fewer operations are remembered")
}

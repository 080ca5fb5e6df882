//! What a search asks of a system, in indices. It is asked on a miss only, so that everything else
//! is compiled once, whatever the types of the system are.

use std::sync::Arc;

use crate::fairness_label::FairnessLabel;
use crate::interned::tables::{StoredInFlight, StoredOp, StoredOutcome, Tables};
use crate::transition_system::{PartKind, Predicate, SymmetricRole};

/// A transition system whose parts, operations and tags are indices.
pub(crate) trait IndexedSystem: Sync {
    /// The initial states.
    fn initial(&self) -> Vec<Vec<u32>>;

    /// See [`TransitionSystem::part_kind`](crate::transition_system::TransitionSystem::part_kind).
    fn part_kind(&self, place: usize) -> PartKind;

    /// Whether a message may stay in flight at this place forever without blocking any other.
    fn may_delay_forever(&self, place: usize) -> bool;

    /// The roles whose members are interchangeable.
    fn symmetric_roles(&self) -> Vec<SymmetricRole>;

    /// The state predicates.
    fn predicates(&self) -> Vec<Predicate>;

    /// Reads the tables; no other thread changes them meanwhile.
    fn read(&self, reader: &mut dyn FnMut(&Tables));

    /// The operations that a part enables.
    fn enabled(&self, place: usize, part: u32) -> Arc<[StoredOp]>;

    /// The messages in flight in a part.
    fn in_flight(&self, place: usize, part: u32) -> Arc<[StoredInFlight]>;

    /// The outcomes of an operation on a part.
    fn outcomes(&self, place: usize, part: u32, op: u32) -> Arc<[StoredOutcome]>;

    /// The part with its symbolic ids replaced, in order of visit.
    fn with_ids(&self, place: usize, part: u32, ids: &[u64]) -> u32;

    /// The part of the place `from` with the members of a role permuted, as one of the place `to`.
    fn permuted(&self, from: usize, part: u32, to: usize, permutation: &RolePermutation) -> u32;

    /// The term of such a permuted part in the hash sum of a state that has it at place `slot`,
    /// without the ids that are only compared for equality.
    fn permuted_term(
        &self,
        from: usize,
        part: u32,
        to: usize,
        slot: usize,
        permutation: &RolePermutation,
    ) -> u64;

    /// The index of a fairness label.
    fn label(&self, label: FairnessLabel) -> u16;

    /// An evaluator of the state predicates, for one thread.
    fn evaluator(&self) -> Box<dyn Evaluator + '_>;

    /// Computes a sample of the memoised operations again. Returns the first, if any, whose
    /// outcomes differ this time, or a part that a visit to its ids changes.
    fn impure(&self) -> Option<String>;

    /// An estimate of the bytes allocated.
    fn bytes(&self) -> usize;
}

/// A permutation of the members of a symmetric role.
#[derive(Clone, Debug)]
pub(crate) struct RolePermutation {
    /// The index of the role.
    pub(super) role: usize,
    /// By member: its new position.
    pub(super) to: Arc<[usize]>,
}

/// Evaluates state predicates.
pub(crate) trait Evaluator: Send {
    /// Calls `answer` with the index and truth value of each of these predicates.
    fn evaluate(
        &mut self,
        predicates: &[usize],
        vector: &[u32],
        answer: &mut dyn FnMut(usize, bool),
    );
}

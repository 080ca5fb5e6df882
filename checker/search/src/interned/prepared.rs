//! Parts, operations and outcomes of the system, prepared for the store: with their hashes.
//!
//! Each is computed from values alone, so a thread prepares it without a lock on the
//! [`Store`](super::store::Store).

use std::hash::Hash;

use turnstile_step::IdClass;

use crate::fingerprint;
use crate::interned::interner::Hashed;
use crate::transition_system::{EnabledOp, Fairness, InFlight, Outcome, Place, TransitionSystem};

/// A part for one place.
#[derive(Debug)]
pub(crate) struct PreparedPart<P> {
    pub(crate) value: Hashed<P>,
    /// Its term in the hash sum of a state.
    pub(super) hash_term: u64,
    /// Its symbolic ids, in order of visit.
    pub(super) ids: Vec<(IdClass, u64)>,
}

impl<P: Hash> PreparedPart<P> {
    pub(super) fn of<W: TransitionSystem<Part = P> + ?Sized>(
        system: &W,
        place: usize,
        mut part: P,
    ) -> Self {
        let mut ids = Vec::new();
        system.visit_ids(Place::of(place), &mut part, &mut |class, &mut value| {
            ids.push((class, value))
        });
        let hash_term = fingerprint::hash_term(place, &part);
        Self { value: Hashed::with(hash_term, part), hash_term, ids }
    }
}

/// An operation that a part enables.
#[derive(Debug)]
pub(crate) struct PreparedOp<W: TransitionSystem + ?Sized> {
    pub(crate) op: Hashed<W::Op>,
    pub(crate) fairness: Hashed<Fairness>,
    pub(crate) is_loss: bool,
}

impl<W: TransitionSystem + ?Sized> PreparedOp<W> {
    /// The operations that a part enables.
    pub(crate) fn all(system: &W, place: usize, part: &W::Part) -> Vec<Self> {
        let enabled = system.enabled(Place::of(place), part).into_iter();
        let prepared = |enabled: EnabledOp<W::Op>| Self {
            op: Hashed::new(enabled.op),
            fairness: Hashed::new(enabled.fairness),
            is_loss: enabled.is_loss,
        };
        enabled.map(prepared).collect()
    }
}

/// A message in flight.
#[derive(Debug)]
pub(crate) struct PreparedInFlight<W: TransitionSystem + ?Sized> {
    pub(super) to: Place,
    pub(super) input: Hashed<W::Op>,
    pub(super) discard: Hashed<W::Op>,
}

impl<W: TransitionSystem + ?Sized> PreparedInFlight<W> {
    /// The messages in flight in a part.
    pub(super) fn all(system: &W, place: usize, part: &W::Part) -> Vec<Self> {
        let in_flight = system.in_flight(Place::of(place), part).into_iter();
        let prepared = |message: InFlight<W::Op>| Self {
            to: message.to,
            input: Hashed::new(message.input),
            discard: Hashed::new(message.discard),
        };
        in_flight.map(prepared).collect()
    }
}

/// An outcome of an operation.
#[derive(Debug)]
pub(crate) struct PreparedOutcome<W: TransitionSystem + ?Sized> {
    pub(crate) part: PreparedPart<W::Part>,
    pub(crate) triggers: Vec<(Place, Hashed<W::Op>)>,
    pub(crate) tags: Vec<Hashed<W::Tag>>,
    pub(crate) discharges: Vec<Hashed<Fairness>>,
}

impl<W: TransitionSystem + ?Sized> PreparedOutcome<W> {
    /// Runs an operation on a part.
    pub(crate) fn run(system: &W, place: usize, part: &W::Part, op: &W::Op) -> Vec<Self> {
        let outcomes = system.apply(Place::of(place), part, op).into_iter();
        let prepared = |outcome: Outcome<W::Part, W::Op, W::Tag>| Self {
            part: PreparedPart::of(system, place, outcome.part),
            triggers: outcome
                .triggers
                .into_iter()
                .map(|(place, op)| (place, Hashed::new(op)))
                .collect(),
            tags: outcome.tags.into_iter().map(Hashed::new).collect(),
            discharges: outcome.discharges.into_iter().map(Hashed::new).collect(),
        };
        outcomes.map(prepared).collect()
    }
}

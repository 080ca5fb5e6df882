//! What the system said, made ready to be numbered: parts, offers and outcomes with their hashes.
//!
//! All of it is worked out of the values alone, so that a thread does it while others use the
//! [`Store`](super::store::Store).

use std::hash::Hash;

use turnstile_step::IdClass;

use crate::fingerprint;
use crate::interned::interner::Hashed;

use crate::parts::{self, Done, Fairness, Parts, Place};

/// A part in its place.
#[derive(Debug)]
pub(super) struct Part<P> {
    pub(super) value: Hashed<P>,
    /// Its fingerprint.
    pub(super) sum: u64,
    pub(super) numbers: Vec<(IdClass, u64)>,
}

impl<P: Hash> Part<P> {
    pub(super) fn of<W: Parts<Part = P>>(system: &W, place: usize, mut part: P) -> Self {
        let mut numbers = Vec::new();
        system.numbers(Place::of(place), &mut part, &mut |class, &mut value| {
            numbers.push((class, value))
        });
        let sum = fingerprint::of_part(place, &part);
        Self { value: Hashed::with(sum, part), sum, numbers }
    }
}

/// An operation that may begin an action.
#[derive(Debug)]
pub(super) struct Offer<W: Parts> {
    pub(super) op: Hashed<W::Op>,
    pub(super) fairness: Hashed<Fairness>,
    pub(super) is_loss: bool,
}

impl<W: Parts> Offer<W> {
    /// What may begin at a part.
    pub(super) fn all(system: &W, place: usize, part: &W::Part) -> Vec<Self> {
        let offers = system.offers(Place::of(place), part).into_iter();
        let offer = |offer: parts::Offer<W::Op>| Self {
            op: Hashed::new(offer.op),
            fairness: Hashed::new(offer.fairness),
            is_loss: offer.is_loss,
        };
        offers.map(offer).collect()
    }
}

/// A message in flight.
#[derive(Debug)]
pub(super) struct Cargo<W: Parts> {
    pub(super) to: Place,
    pub(super) input: Hashed<W::Op>,
    pub(super) discard: Hashed<W::Op>,
}

impl<W: Parts> Cargo<W> {
    /// The messages in flight in a part.
    pub(super) fn all(system: &W, place: usize, part: &W::Part) -> Vec<Self> {
        let cargo = system.cargo(Place::of(place), part).into_iter();
        let carried = |cargo: parts::Cargo<W::Op>| Self {
            to: cargo.to,
            input: Hashed::new(cargo.input),
            discard: Hashed::new(cargo.discard),
        };
        cargo.map(carried).collect()
    }
}

/// What an operation did, in one of the ways it may go.
#[derive(Debug)]
pub(super) struct Outcome<W: Parts> {
    pub(super) part: Part<W::Part>,
    pub(super) then: Vec<(Place, Hashed<W::Op>)>,
    pub(super) marks: Vec<Hashed<W::Mark>>,
    pub(super) relieves: Vec<Hashed<Fairness>>,
}

impl<W: Parts> Outcome<W> {
    /// Runs an operation on a part.
    pub(super) fn run(system: &W, place: usize, part: &W::Part, op: &W::Op) -> Vec<Self> {
        let dones = system.apply(Place::of(place), part, op).into_iter();
        let outcome = |done: Done<W::Part, W::Op, W::Mark>| Self {
            part: Part::of(system, place, done.part),
            then: done.then.into_iter().map(|(place, op)| (place, Hashed::new(op))).collect(),
            marks: done.marks.into_iter().map(Hashed::new).collect(),
            relieves: done.relieves.into_iter().map(Hashed::new).collect(),
        };
        dones.map(outcome).collect()
    }
}

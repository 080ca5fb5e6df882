//! The [`Store`] of all threads, and how it is asked: what the system has to say runs on the thread
//! that asks, while no other waits for it.
//!
//! Two threads may run one operation at the same time; they find the same, and the first one's is
//! kept. Threads copy what they need ([`super::local`]) and come here only for what they have not
//! met.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::interned::interner::Hashed;
use crate::interned::made::{Cargo, Offer, Outcome, Part};
use crate::interned::store::{Answer, Carried, Offered, Store};
use crate::label::Label;
use crate::parts::{Parts, Place};

/// The store of all threads.
#[derive(Debug)]
pub(super) struct Shared<W: Parts>(RwLock<Store<W>>);

impl<W: Parts> Shared<W> {
    /// Nothing is known yet of so many places.
    pub(super) fn new(places: usize) -> Self {
        Self(RwLock::new(Store::new(places)))
    }

    /// What is known now.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Store<W>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be held for a short while: everybody else waits.
    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Store<W>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn value(&self, place: usize, part: u32) -> Arc<W::Part> {
        Arc::clone(self.read().places[place].parts.value(part))
    }

    /// The number of a part in its place.
    pub(super) fn part(&self, system: &W, place: usize, part: W::Part) -> u32 {
        let part = Part::of(system, place, part);
        self.write().part(place, part)
    }

    /// What may begin at a part.
    pub(super) fn offers(&self, system: &W, place: usize, part: u32) -> Arc<[Offered]> {
        if let Some(offers) = &self.read().places[place].offers[part as usize] {
            return Arc::clone(offers);
        }
        let offers = Offer::all(system, place, &self.value(place, part));
        self.write().keep_offers(place, part, offers)
    }

    /// The messages in flight in a part.
    pub(super) fn cargo(&self, system: &W, place: usize, part: u32) -> Arc<[Carried]> {
        if let Some(cargo) = self.read().places[place].cargo.get(&part) {
            return Arc::clone(cargo);
        }
        let cargo = Cargo::all(system, place, &self.value(place, part));
        self.write().keep_cargo(place, part, cargo)
    }

    /// What an operation does to a part.
    pub(super) fn answers(&self, system: &W, place: usize, part: u32, op: u32) -> Arc<[Answer]> {
        let (value, operation) = {
            let store = self.read();
            let known = &store.places[place];
            if let Some(answers) = known.answers.get(&(part, op)) {
                return Arc::clone(answers);
            }
            (Arc::clone(known.parts.value(part)), Arc::clone(known.ops.value(op)))
        };
        let outcomes = Outcome::run(system, place, &value, &operation);
        self.write().keep_answers((place, part, op), outcomes)
    }

    /// The number of a label.
    pub(super) fn label(&self, label: Label) -> u16 {
        self.write().label(Hashed::new(label))
    }

    /// The part with its numbers replaced, in the order in which they are visited.
    pub(super) fn renumbered(&self, system: &W, place: usize, part: u32, numbers: &[u64]) -> u32 {
        let mut value = W::Part::clone(&self.value(place, part));
        let mut numbers = numbers.iter();
        system.numbers(Place::of(place), &mut value, &mut |_, number| {
            *number = *numbers.next().expect("a part's numbers are as many as before");
        });
        self.part(system, place, value)
    }

    /// The part with the members of a group changed about. `place` is where it is to stand.
    pub(super) fn renamed(
        &self,
        system: &W,
        (from, place): (usize, usize),
        part: u32,
        group: usize,
        to: &Arc<[usize]>,
    ) -> u32 {
        let key = (part, group, Arc::clone(to));
        if let Some(&number) = self.read().places[from].renamed.get(&key) {
            return number;
        }
        let value = system.renamed(Place::of(from), &self.value(from, part), group, to);
        let number = self.part(system, place, value);
        self.write().places[from].renamed.insert(key, number);
        number
    }
}

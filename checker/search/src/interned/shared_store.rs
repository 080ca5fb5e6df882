//! The [`Store`] behind a read-write lock: a missing entry is computed on the thread that needs it,
//! without the lock.
//!
//! Two threads may run the same operation at the same time; the results are equal, and the first is
//! stored. Threads keep copies of what they use ([`super::thread_cache`]) and come here on a miss.

use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::fairness_label::FairnessLabel;
use crate::interned::interner::Hashed;
use crate::interned::prepared::{PreparedInFlight, PreparedOp, PreparedOutcome, PreparedPart};
use crate::interned::store::{Store, StoredInFlight, StoredOp, StoredOutcome};
use crate::transition_system::{Place, TransitionSystem};

/// The store that all threads of a search share.
#[derive(Debug)]
pub(super) struct SharedStore<W: TransitionSystem>(RwLock<Store<W>>);

impl<W: TransitionSystem> SharedStore<W> {
    /// An empty store.
    pub(super) fn new(places: usize) -> Self {
        Self(RwLock::new(Store::new(places)))
    }

    /// A store that has entries already.
    pub(super) fn of(store: Store<W>) -> Self {
        Self(RwLock::new(store))
    }

    /// The store, once no thread shares it.
    pub(super) fn into_inner(self) -> Store<W> {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the store for reading.
    pub(super) fn read(&self) -> RwLockReadGuard<'_, Store<W>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the store for writing; all other threads wait.
    pub(super) fn write(&self) -> RwLockWriteGuard<'_, Store<W>> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn value(&self, place: usize, part: u32) -> Arc<W::Part> {
        Arc::clone(self.read().places[place].parts.value(part))
    }

    /// Interns a part.
    pub(super) fn part(&self, system: &W, place: usize, part: W::Part) -> u32 {
        let part = PreparedPart::of(system, place, part);
        self.write().part(place, part)
    }

    /// The operations that a part enables.
    pub(super) fn enabled(&self, system: &W, place: usize, part: u32) -> Arc<[StoredOp]> {
        if let Some(enabled) = &self.read().places[place].enabled[part as usize] {
            return Arc::clone(enabled);
        }
        let enabled = PreparedOp::all(system, place, &self.value(place, part));
        self.write().keep_enabled(place, part, enabled)
    }

    /// The messages in flight in a part.
    pub(super) fn in_flight(&self, system: &W, place: usize, part: u32) -> Arc<[StoredInFlight]> {
        if let Some(in_flight) = self.read().places[place].in_flight.get(&part) {
            return Arc::clone(in_flight);
        }
        let in_flight = PreparedInFlight::all(system, place, &self.value(place, part));
        self.write().keep_in_flight(place, part, in_flight)
    }

    /// The outcomes of an operation on a part.
    pub(super) fn outcomes(
        &self,
        system: &W,
        place: usize,
        part: u32,
        op: u32,
    ) -> Arc<[StoredOutcome]> {
        let (value, operation) = {
            let store = self.read();
            let stored = &store.places[place];
            if let Some(outcomes) = stored.outcomes.get(&(part, op)) {
                return Arc::clone(outcomes);
            }
            (Arc::clone(stored.parts.value(part)), Arc::clone(stored.ops.value(op)))
        };
        let outcomes = PreparedOutcome::run(system, place, &value, &operation);
        self.write().keep_outcomes((place, part, op), outcomes)
    }

    /// Interns a label.
    pub(super) fn label(&self, label: FairnessLabel) -> u16 {
        self.write().label(Hashed::new(label))
    }

    /// The part with its symbolic ids replaced, in order of visit.
    pub(super) fn with_ids(&self, system: &W, place: usize, part: u32, ids: &[u64]) -> u32 {
        let mut value = W::Part::clone(&self.value(place, part));
        let mut ids = ids.iter();
        system.visit_ids(Place::of(place), &mut value, &mut |_, id| {
            *id = *ids.next().expect("every visit sees the same number of ids");
        });
        self.part(system, place, value)
    }

    /// The part with the members of a role permuted; `from` and `place`: its place before and
    /// after.
    pub(super) fn permuted(
        &self,
        system: &W,
        (from, place): (usize, usize),
        part: u32,
        role: usize,
        to: &Arc<[usize]>,
    ) -> u32 {
        let key = (part, role, Arc::clone(to));
        if let Some(&index) = self.read().places[from].permuted.get(&key) {
            return index;
        }
        let value = system.permuted(Place::of(from), &self.value(from, part), role, to);
        let index = self.part(system, place, value);
        self.write().places[from].permuted.insert(key, index);
        index
    }
}

//! A [`TransitionSystem`] behind indices: its values in a [`Store`] behind a read-write lock. A
//! missing entry is computed on the thread that needs it, without the lock.
//!
//! Two threads may run the same operation at the same time; the results are equal, and the first is
//! stored. Threads keep copies of what they use ([`super::thread_cache`]) and come here on a miss.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use turnstile_step::Order;

use crate::bounds::Reductions;
use crate::fairness_label::FairnessLabel;
use crate::fingerprint::hash_term;
use crate::interned::indexed::{Evaluator, IndexedSystem, RolePermutation};
use crate::interned::interner::Hashed;
use crate::interned::prepared::{PreparedInFlight, PreparedOp, PreparedOutcome, PreparedPart};
use crate::interned::space::StateSpace;
use crate::interned::store::Store;
use crate::interned::tables::{StoredInFlight, StoredOp, StoredOutcome, Tables, small_index};
use crate::storage::state_vector::PLACES_MAX;
use crate::transition_system::{PartKind, Place, Predicate, SymmetricRole, TransitionSystem};

/// Memoised operations that are run a second time, about.
const SAMPLE: usize = 2_000;

/// A system whose parts and operations are interned, and the outcomes of its operations memoised.
#[derive(Debug)]
pub struct Interned<'w, W: TransitionSystem + ?Sized> {
    system: &'w W,
    store: RwLock<Store<W>>,
}

impl<'w, W: TransitionSystem + ?Sized> Interned<'w, W> {
    /// A system of which nothing is computed yet.
    #[must_use]
    pub fn new(system: &'w W) -> Self {
        let width = system.initial().first().map_or(1, Vec::len);
        assert!(width <= PLACES_MAX, "a state has at most {PLACES_MAX} parts");
        Self::with(system, Store::new(width))
    }

    /// A system whose store has entries already.
    pub(crate) fn with(system: &'w W, store: Store<W>) -> Self {
        Self { system, store: RwLock::new(store) }
    }

    /// The store, once no thread shares it.
    pub(crate) fn into_store(self) -> Store<W> {
        self.store.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state space. Bit `k` of the propositions of a state says that the predicate
    /// `propositions[k].0` has the value `propositions[k].1`; there are at most 64.
    ///
    /// The reductions requested are made where the system allows them; [`StateSpace::reductions`]
    /// returns those made. The caller has to know whether the properties allow them.
    #[must_use]
    pub fn space(&self, propositions: Vec<(usize, bool)>, reduce: Reductions) -> StateSpace<'_> {
        StateSpace::new(self, propositions, reduce)
    }

    /// The vector of a state of the system.
    pub fn vector(&self, state: Vec<W::Part>) -> Vec<u32> {
        state.into_iter().enumerate().map(|(place, part)| self.part(place, part)).collect()
    }

    /// The tags with these indices.
    #[must_use]
    pub fn tags(&self, tags: impl IntoIterator<Item = u32>) -> BTreeSet<W::Tag> {
        let store = self.store();
        tags.into_iter().map(|tag| W::Tag::clone(store.tags.value(tag))).collect()
    }

    fn store(&self) -> RwLockReadGuard<'_, Store<W>> {
        self.store.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the store for writing; all other threads wait.
    fn store_mut(&self) -> RwLockWriteGuard<'_, Store<W>> {
        self.store.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn value(&self, place: usize, part: u32) -> Arc<W::Part> {
        Arc::clone(self.store().values[place].parts.value(part))
    }

    fn part(&self, place: usize, part: W::Part) -> u32 {
        let part = PreparedPart::of(self.system, place, part);
        self.store_mut().part(place, part)
    }

    fn permuted_value(&self, from: usize, part: u32, by: &RolePermutation) -> W::Part {
        self.system.permuted(Place::of(from), &self.value(from, part), by.role, &by.to)
    }
}

impl<W: TransitionSystem + ?Sized> IndexedSystem for Interned<'_, W> {
    fn initial(&self) -> Vec<Vec<u32>> {
        self.system.initial().into_iter().map(|state| self.vector(state)).collect()
    }

    fn part_kind(&self, place: usize) -> PartKind {
        self.system.part_kind(Place::of(place))
    }

    fn may_delay_forever(&self, place: usize) -> bool {
        self.system.may_delay_forever(Place::of(place))
    }

    fn symmetric_roles(&self) -> Vec<SymmetricRole> {
        self.system.symmetric_roles()
    }

    fn predicates(&self) -> Vec<Predicate> {
        self.system.predicates()
    }

    fn read(&self, reader: &mut dyn FnMut(&Tables)) {
        reader(&self.store().tables);
    }

    fn enabled(&self, place: usize, part: u32) -> Arc<[StoredOp]> {
        if let Some(enabled) = &self.store().tables.places[place].enabled[part as usize] {
            return Arc::clone(enabled);
        }
        let enabled = PreparedOp::all(self.system, place, &self.value(place, part));
        self.store_mut().keep_enabled(place, part, enabled)
    }

    fn in_flight(&self, place: usize, part: u32) -> Arc<[StoredInFlight]> {
        if let Some(in_flight) = self.store().tables.places[place].in_flight.get(&part) {
            return Arc::clone(in_flight);
        }
        let in_flight = PreparedInFlight::all(self.system, place, &self.value(place, part));
        self.store_mut().keep_in_flight(place, part, in_flight)
    }

    fn outcomes(&self, place: usize, part: u32, op: u32) -> Arc<[StoredOutcome]> {
        let (value, operation) = {
            let store = self.store();
            if let Some(outcomes) = store.tables.places[place].outcomes.get(&(part, op)) {
                return Arc::clone(outcomes);
            }
            let values = &store.values[place];
            (Arc::clone(values.parts.value(part)), Arc::clone(values.ops.value(op)))
        };
        let outcomes = PreparedOutcome::run(self.system, place, &value, &operation);
        self.store_mut().keep_outcomes((place, part, op), outcomes)
    }

    fn with_ids(&self, place: usize, part: u32, ids: &[u64]) -> u32 {
        let mut value = W::Part::clone(&self.value(place, part));
        let mut ids = ids.iter();
        self.system.visit_ids(Place::of(place), &mut value, &mut |_, id| {
            *id = *ids.next().expect("every visit sees the same number of ids");
        });
        self.part(place, value)
    }

    fn permuted(&self, from: usize, part: u32, to: usize, by: &RolePermutation) -> u32 {
        let key = (part, by.role, Arc::clone(&by.to));
        if let Some(&index) = self.store().tables.places[from].permuted.get(&key) {
            return index;
        }
        let index = self.part(to, self.permuted_value(from, part, by));
        self.store_mut().tables.places[from].permuted.insert(key, index);
        index
    }

    fn permuted_term(
        &self,
        from: usize,
        part: u32,
        to: usize,
        slot: usize,
        by: &RolePermutation,
    ) -> u64 {
        let mut part = self.permuted_value(from, part, by);
        self.system.visit_ids(Place::of(to), &mut part, &mut |class, id| {
            if class.order == Order::Equality {
                *id = 0;
            }
        });
        hash_term(slot, &part)
    }

    fn label(&self, label: FairnessLabel) -> u16 {
        small_index(self.store_mut().tables.labels.intern(Hashed::new(label)))
    }

    fn evaluator(&self) -> Box<dyn Evaluator + '_> {
        let parts = self.store().values.iter().map(|_| Vec::new()).collect();
        Box::new(ValueEvaluator { interned: self, parts })
    }

    fn impure(&self) -> Option<String> {
        let mut store = self.store_mut();
        store.changed_by_visit(self.system, SAMPLE).or_else(|| store.impure(self.system, SAMPLE))
    }

    fn bytes(&self) -> usize {
        self.store().bytes()
    }
}

/// Evaluates the predicates of a system on the values of parts.
struct ValueEvaluator<'s, 'w, W: TransitionSystem + ?Sized> {
    interned: &'s Interned<'w, W>,
    /// By place, of each part: its value; a copy of the first ones of the store.
    parts: Vec<Vec<Arc<W::Part>>>,
}

impl<W: TransitionSystem + ?Sized> Evaluator for ValueEvaluator<'_, '_, W> {
    fn evaluate(
        &mut self,
        predicates: &[usize],
        vector: &[u32],
        answer: &mut dyn FnMut(usize, bool),
    ) {
        for (place, (&part, known)) in vector.iter().zip(&mut self.parts).enumerate() {
            if part as usize >= known.len() {
                let store = self.interned.store();
                known.extend(store.values[place].parts.values_from(known.len()).cloned());
            }
        }
        let parts = vector.iter().zip(&self.parts);
        let state: Vec<&W::Part> = parts.map(|(&part, known)| &*known[part as usize]).collect();
        self.interned.system.evaluate(predicates, &state, answer);
    }
}

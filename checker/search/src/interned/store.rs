//! The tables of the interned engine: every part and operation interned so far, and the memoised
//! outcomes of each operation on each part.
//!
//! Nothing is computed here: values arrive prepared ([`super::shared_store`]).

use std::collections::HashMap;
use std::sync::Arc;

use turnstile_step::IdClass;

use crate::fairness_label::{FairnessLabel, FairnessLabels};
use crate::fingerprint::BuildStableHasher;
use crate::interned::interner::{Hashed, Interner};
use crate::interned::prepared::{PreparedInFlight, PreparedOp, PreparedOutcome, PreparedPart};
use crate::transition_system::{Fairness, Place, TransitionSystem};

/// A symbolic id of a part; `index`: of its class in [`Store::classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StoredId {
    pub(super) class: IdClass,
    pub(super) index: usize,
    pub(super) value: u64,
}

/// An outcome of an operation, interned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredOutcome {
    /// The part after it.
    pub(super) to: u32,
    /// The operations it triggers.
    pub(super) triggers: Vec<(Place, u32)>,
    /// Its coverage, as indices into [`Store::tags`].
    pub(super) tags: Vec<u32>,
    /// The fairness conditions it discharges, as indices into [`Store::fairness`].
    pub(super) discharges: Vec<u16>,
}

/// An operation that a part enables, interned.
#[derive(Clone, Debug)]
pub(super) struct StoredOp {
    /// The operation.
    pub(super) op: u32,
    /// Its fairness, as an index into [`Store::fairness`].
    pub(super) fairness: u16,
    /// Whether it is the loss of a message.
    pub(super) is_loss: bool,
}

/// A message in flight, interned.
#[derive(Clone, Copy, Debug)]
pub(super) struct StoredInFlight {
    /// The place of the receiver.
    pub(super) to: u16,
    /// The operation that its delivery triggers on the receiver.
    pub(super) input: u32,
    /// The operation that discards it, on its link.
    pub(super) discard: u32,
}

/// The tables of one place.
#[derive(Debug)]
pub(super) struct PlaceStore<W: TransitionSystem> {
    /// The parts that the place may have.
    pub(super) parts: Interner<W::Part>,
    /// The operations on them.
    pub(super) ops: Interner<W::Op>,
    /// Of each part: its term in the hash sum of a state.
    pub(super) hash_terms: Vec<u64>,
    /// Of each part: its symbolic ids.
    pub(super) ids: Vec<Arc<[StoredId]>>,
    /// Of each part: the operations it enables, once computed.
    pub(super) enabled: Vec<Option<Arc<[StoredOp]>>>,
    /// By part: the messages in flight.
    pub(super) in_flight: HashMap<u32, Arc<[StoredInFlight]>, BuildStableHasher>,
    /// By part and operation: the outcomes.
    pub(super) outcomes: HashMap<(u32, u32), Arc<[StoredOutcome]>, BuildStableHasher>,
    /// By part, role and permutation of its members: the part permuted.
    pub(super) permuted: HashMap<(u32, usize, Arc<[usize]>), u32, BuildStableHasher>,
}

impl<W: TransitionSystem> Default for PlaceStore<W> {
    fn default() -> Self {
        Self {
            parts: Interner::default(),
            ops: Interner::default(),
            hash_terms: Vec::new(),
            ids: Vec::new(),
            enabled: Vec::new(),
            in_flight: HashMap::default(),
            outcomes: HashMap::default(),
            permuted: HashMap::default(),
        }
    }
}

impl<W: TransitionSystem> Clone for PlaceStore<W> {
    fn clone(&self) -> Self {
        Self {
            parts: self.parts.clone(),
            ops: self.ops.clone(),
            hash_terms: self.hash_terms.clone(),
            ids: self.ids.clone(),
            enabled: self.enabled.clone(),
            in_flight: self.in_flight.clone(),
            outcomes: self.outcomes.clone(),
            permuted: self.permuted.clone(),
        }
    }
}

/// The tables of all places.
#[derive(Debug)]
pub(super) struct Store<W: TransitionSystem> {
    /// By place.
    pub(super) places: Vec<PlaceStore<W>>,
    /// The coverage tags.
    pub(super) tags: Interner<W::Tag>,
    /// The fairness conditions.
    pub(super) fairness: Interner<Fairness>,
    /// The fairness labels of transitions.
    labels: Interner<FairnessLabel>,
    /// The classes of symbolic ids.
    classes: Vec<IdClass>,
    /// Operations run so far.
    pub(super) runs: usize,
}

impl<W: TransitionSystem> Clone for Store<W> {
    /// A copy that shares the values.
    fn clone(&self) -> Self {
        Self {
            places: self.places.clone(),
            tags: self.tags.clone(),
            fairness: self.fairness.clone(),
            labels: self.labels.clone(),
            classes: self.classes.clone(),
            runs: self.runs,
        }
    }
}

impl<W: TransitionSystem> Store<W> {
    /// Empty tables.
    pub(super) fn new(places: usize) -> Self {
        Self {
            places: (0..places).map(|_| PlaceStore::default()).collect(),
            tags: Interner::default(),
            fairness: Interner::default(),
            labels: Interner::default(),
            classes: Vec::new(),
            runs: 0,
        }
    }

    /// Interns a part.
    pub(super) fn part(&mut self, place: usize, part: PreparedPart<W::Part>) -> u32 {
        let stored = &mut self.places[place];
        let before = stored.parts.len();
        let index = stored.parts.intern(part.value);
        if stored.parts.len() > before {
            stored.hash_terms.push(part.hash_term);
            let ids = part.ids.into_iter();
            let classes = &mut self.classes;
            let id = |(class, value)| StoredId { class, index: index_of(classes, class), value };
            stored.ids.push(ids.map(id).collect());
            stored.enabled.push(None);
        }
        index
    }

    /// Stores the operations that a part enables.
    pub(super) fn keep_enabled(
        &mut self,
        place: usize,
        part: u32,
        enabled: Vec<PreparedOp<W>>,
    ) -> Arc<[StoredOp]> {
        let stored = &mut self.places[place];
        let store = |op: PreparedOp<W>| StoredOp {
            op: stored.ops.intern(op.op),
            fairness: small_index(self.fairness.intern(op.fairness)),
            is_loss: op.is_loss,
        };
        let enabled: Arc<[StoredOp]> = enabled.into_iter().map(store).collect();
        stored.enabled[part as usize] = Some(Arc::clone(&enabled));
        enabled
    }

    /// Stores the messages in flight in a part.
    pub(super) fn keep_in_flight(
        &mut self,
        place: usize,
        part: u32,
        in_flight: Vec<PreparedInFlight<W>>,
    ) -> Arc<[StoredInFlight]> {
        let in_flight = in_flight.into_iter().map(|message| StoredInFlight {
            to: message.to.0,
            input: self.places[message.to.index()].ops.intern(message.input),
            discard: self.places[place].ops.intern(message.discard),
        });
        let in_flight: Arc<[StoredInFlight]> = in_flight.collect();
        self.places[place].in_flight.insert(part, Arc::clone(&in_flight));
        in_flight
    }

    /// Stores the outcomes of an operation, unless another thread has done so.
    pub(super) fn keep_outcomes(
        &mut self,
        (place, part, op): (usize, u32, u32),
        outcomes: Vec<PreparedOutcome<W>>,
    ) -> Arc<[StoredOutcome]> {
        if let Some(outcomes) = self.places[place].outcomes.get(&(part, op)) {
            return Arc::clone(outcomes);
        }
        self.runs += 1;
        let outcomes: Arc<[StoredOutcome]> = self.intern_outcomes(place, outcomes).into();
        self.places[place].outcomes.insert((part, op), Arc::clone(&outcomes));
        outcomes
    }

    fn intern_outcomes(
        &mut self,
        place: usize,
        outcomes: Vec<PreparedOutcome<W>>,
    ) -> Vec<StoredOutcome> {
        let outcomes = outcomes.into_iter().map(|outcome| StoredOutcome {
            to: self.part(place, outcome.part),
            triggers: outcome
                .triggers
                .into_iter()
                .map(|(place, op)| (place, self.places[place.index()].ops.intern(op)))
                .collect(),
            tags: outcome.tags.into_iter().map(|tag| self.tags.intern(tag)).collect(),
            discharges: outcome
                .discharges
                .into_iter()
                .map(|one| small_index(self.fairness.intern(one)))
                .collect(),
        });
        outcomes.collect()
    }

    /// Interns a label.
    pub(super) fn label(&mut self, label: Hashed<FairnessLabel>) -> u16 {
        small_index(self.labels.intern(label))
    }

    /// The labels interned so far.
    pub(super) fn labels(&self) -> FairnessLabels {
        let indices = |len: usize| 0..u32::try_from(len).expect("they are few");
        let fairness = indices(self.fairness.len()).map(|one| self.fairness.value(one));
        let labels = indices(self.labels.len()).map(|one| self.labels.value(one));
        FairnessLabels::new(
            &fairness.map(|one| Fairness::clone(one)).collect::<Vec<_>>(),
            &labels.map(|one| FairnessLabel::clone(one)).collect::<Vec<_>>(),
        )
    }

    /// Runs about `sample` of the memoised operations again. Returns the first whose outcomes
    /// differ from the stored ones: then a core is not a pure function, and no verdict is valid.
    pub(super) fn impure(&mut self, system: &W, sample: usize) -> Option<String> {
        let mut keys: Vec<(usize, u32, u32)> = Vec::new();
        for (place, stored) in self.places.iter().enumerate() {
            keys.extend(stored.outcomes.keys().map(|&(part, op)| (place, part, op)));
        }
        keys.sort_unstable();
        let stride = keys.len().div_ceil(sample).max(1);
        keys.into_iter().step_by(stride).find_map(|(place, part, op)| {
            let stored = &self.places[place];
            let (value, operation) = (stored.parts.value(part), stored.ops.value(op));
            let outcomes = PreparedOutcome::run(system, place, value, operation);
            let again = self.intern_outcomes(place, outcomes);
            let stored = &self.places[place];
            let differs = stored.outcomes[&(part, op)][..] != again[..];
            differs.then(|| format!("{:?} on {:?}", stored.ops.value(op), stored.parts.value(part)))
        })
    }

    /// Visits the ids of about `sample` parts without replacing any. Returns the first part that
    /// the visit changes: then a visit could hide a wrong step, and no verdict is valid.
    pub(super) fn changed_by_visit(&self, system: &W, sample: usize) -> Option<String> {
        let parts = self.places.iter().enumerate().flat_map(|(place, stored)| {
            let indices = 0..u32::try_from(stored.parts.len()).expect("indices are u32");
            indices.map(move |index| (Place::of(place), stored.parts.value(index)))
        });
        let all: usize = self.places.iter().map(|stored| stored.parts.len()).sum();
        let stride = all.div_ceil(sample).max(1);
        parts.into_iter().step_by(stride).find_map(|(place, part)| {
            let mut visited = W::Part::clone(part);
            system.visit_ids(place, &mut visited, &mut |_, _| {});
            (visited != **part)
                .then(|| format!("a visit to the ids of {part:?} leaves {visited:?}"))
        })
    }

    /// An estimate of the bytes allocated.
    pub(super) fn bytes(&self) -> usize {
        let part = 2 * size_of::<W::Part>() + 64;
        let of = |place: &PlaceStore<W>| {
            place.parts.len() * part
                + place.ops.len() * (2 * size_of::<W::Op>() + 32)
                + place.outcomes.len() * 96
        };
        self.places.iter().map(of).sum()
    }
}

/// The index of a fairness condition or of a label.
fn small_index(index: u32) -> u16 {
    u16::try_from(index).expect("far fewer fairness conditions and labels")
}

/// The index of a class in the list; adds it if it is new.
fn index_of(classes: &mut Vec<IdClass>, class: IdClass) -> usize {
    classes.iter().position(|stored| *stored == class).unwrap_or_else(|| {
        classes.push(class);
        classes.len() - 1
    })
}

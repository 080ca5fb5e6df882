//! The tables of the interned engine, in indices: the hash terms and symbolic ids of parts, the
//! operations they enable, and the memoised outcomes of operations. No type of a system is in them,
//! so that all searches are the same code.

use std::collections::HashMap;
use std::sync::Arc;

use turnstile_step::IdClass;

use crate::fairness_label::{FairnessLabel, FairnessLabels};
use crate::fingerprint::BuildStableHasher;
use crate::interned::interner::{Hashed, Interner};
use crate::transition_system::{Fairness, Place};

/// A symbolic id of a part; `index`: of its class in [`Tables::classes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoredId {
    pub(super) class: IdClass,
    pub(super) index: usize,
    pub(super) value: u64,
}

/// An outcome of an operation, interned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredOutcome {
    /// The part after it.
    pub(crate) to: u32,
    /// The operations it triggers.
    pub(crate) triggers: Vec<(Place, u32)>,
    /// Its coverage, as indices of tags.
    pub(crate) tags: Vec<u32>,
    /// The fairness conditions it discharges, as indices into [`Tables::fairness`].
    pub(crate) discharges: Vec<u16>,
}

/// An operation that a part enables, interned.
#[derive(Clone, Debug)]
pub(crate) struct StoredOp {
    /// The operation.
    pub(crate) op: u32,
    /// Its fairness, as an index into [`Tables::fairness`].
    pub(crate) fairness: u16,
    /// Whether it is the loss of a message.
    pub(crate) is_loss: bool,
}

/// A message in flight, interned.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredInFlight {
    /// The place of the receiver.
    pub(super) to: u16,
    /// The operation that its delivery triggers on the receiver.
    pub(super) input: u32,
    /// The operation that discards it, on its link.
    pub(super) discard: u32,
}

/// A memoised operation: on a part, or with `None` the operations that the part enables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OperationId {
    pub(crate) place: u16,
    pub(crate) part: u32,
    pub(crate) op: Option<u32>,
}

/// The tables of one place.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaceTable {
    /// Of each part: its term in the hash sum of a state.
    pub(super) hash_terms: Vec<u64>,
    /// Of each part: its symbolic ids, in order of visit.
    pub(super) ids: Vec<Arc<[StoredId]>>,
    /// Of each part: the operations it enables, once computed.
    pub(crate) enabled: Vec<Option<Arc<[StoredOp]>>>,
    /// By part: the messages in flight.
    pub(super) in_flight: HashMap<u32, Arc<[StoredInFlight]>, BuildStableHasher>,
    /// By part and operation: the outcomes.
    pub(crate) outcomes: HashMap<(u32, u32), Arc<[StoredOutcome]>, BuildStableHasher>,
    /// By part, role and permutation of its members: the part permuted.
    pub(super) permuted: HashMap<(u32, usize, Arc<[usize]>), u32, BuildStableHasher>,
}

impl PlaceTable {
    /// The number of parts.
    pub(crate) fn len(&self) -> usize {
        self.hash_terms.len()
    }
}

/// The index of no fairness condition.
pub(super) const NO_FAIRNESS: u16 = 0;

/// The tables of all places.
#[derive(Clone, Debug)]
pub(crate) struct Tables {
    /// By place.
    pub(crate) places: Vec<PlaceTable>,
    /// The fairness conditions.
    pub(crate) fairness: Interner<Fairness>,
    /// The fairness labels of transitions.
    pub(super) labels: Interner<FairnessLabel>,
    /// The classes of symbolic ids.
    classes: Vec<IdClass>,
    /// Operations run so far.
    pub(super) runs: usize,
}

impl Tables {
    /// Empty tables.
    pub(super) fn new(places: usize) -> Self {
        let mut fairness = Interner::default();
        assert_eq!(fairness.intern(Hashed::new(Fairness::None)), u32::from(NO_FAIRNESS));
        Self {
            places: vec![PlaceTable::default(); places],
            fairness,
            labels: Interner::default(),
            classes: Vec::new(),
            runs: 0,
        }
    }

    /// Adds a part.
    pub(super) fn add_part(&mut self, place: usize, hash_term: u64, ids: &[(IdClass, u64)]) {
        let ids = ids.iter().map(|&(class, value)| StoredId {
            class,
            index: index_of(&mut self.classes, class),
            value,
        });
        let table = &mut self.places[place];
        table.ids.push(ids.collect());
        table.hash_terms.push(hash_term);
        table.enabled.push(None);
    }

    /// The operations that may have a tag, in order.
    pub(crate) fn operations_with(&self, tag: u32) -> Vec<OperationId> {
        let mut operations = Vec::new();
        for (place, table) in self.places.iter().enumerate() {
            let place = Place::of(place).0;
            let outcomes = table.outcomes.iter();
            let having = outcomes.filter(|(_, all)| all.iter().any(|one| one.tags.contains(&tag)));
            operations.extend(having.map(|(&(part, op), _)| OperationId {
                place,
                part,
                op: Some(op),
            }));
        }
        operations.sort_unstable();
        operations
    }

    /// All memoised operations, in order.
    pub(crate) fn operations(&self) -> Vec<OperationId> {
        let mut all = Vec::new();
        for (place, table) in self.places.iter().enumerate() {
            let place = Place::of(place).0;
            for (part, _) in (0..).zip(&table.enabled).filter(|(_, enabled)| enabled.is_some()) {
                all.push(OperationId { place, part, op: None });
            }
            let outcomes = table.outcomes.keys();
            all.extend(outcomes.map(|&(part, op)| OperationId { place, part, op: Some(op) }));
        }
        all.sort_unstable();
        all
    }

    /// Forgets a memoised operation.
    pub(crate) fn forget(&mut self, OperationId { place, part, op }: OperationId) {
        let table = &mut self.places[usize::from(place)];
        match op {
            Some(op) => drop(table.outcomes.remove(&(part, op))),
            None => table.enabled[part as usize] = None,
        }
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
}

/// The index of a fairness condition or of a label.
pub(super) fn small_index(index: u32) -> u16 {
    u16::try_from(index).expect("far fewer fairness conditions and labels")
}

/// The index of a class in the list; adds it if it is new.
fn index_of(classes: &mut Vec<IdClass>, class: IdClass) -> usize {
    classes.iter().position(|stored| *stored == class).unwrap_or_else(|| {
        classes.push(class);
        classes.len() - 1
    })
}

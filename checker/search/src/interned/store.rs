//! Every part, operation and tag interned so far, beside the [`Tables`] of their indices.
//!
//! Nothing is computed here: values arrive prepared ([`super::system`]).

use std::sync::Arc;

use crate::interned::interner::Interner;
use crate::interned::prepared::{PreparedInFlight, PreparedOp, PreparedOutcome, PreparedPart};
use crate::interned::tables::{
    PlaceTable, StoredInFlight, StoredOp, StoredOutcome, Tables, small_index,
};
use crate::transition_system::{Place, TransitionSystem};

/// The values of one place.
#[derive(Debug)]
pub(crate) struct PlaceValues<W: TransitionSystem + ?Sized> {
    /// The parts that the place may have.
    pub(crate) parts: Interner<W::Part>,
    /// The operations on them.
    pub(crate) ops: Interner<W::Op>,
}

impl<W: TransitionSystem + ?Sized> Default for PlaceValues<W> {
    fn default() -> Self {
        Self { parts: Interner::default(), ops: Interner::default() }
    }
}

impl<W: TransitionSystem + ?Sized> Clone for PlaceValues<W> {
    fn clone(&self) -> Self {
        Self { parts: self.parts.clone(), ops: self.ops.clone() }
    }
}

/// The values of all places, and the tables.
#[derive(Debug)]
pub(crate) struct Store<W: TransitionSystem + ?Sized> {
    /// By place.
    pub(crate) values: Vec<PlaceValues<W>>,
    /// The coverage tags.
    pub(crate) tags: Interner<W::Tag>,
    pub(crate) tables: Tables,
}

impl<W: TransitionSystem + ?Sized> Clone for Store<W> {
    /// A copy that shares the values.
    fn clone(&self) -> Self {
        Self { values: self.values.clone(), tags: self.tags.clone(), tables: self.tables.clone() }
    }
}

impl<W: TransitionSystem + ?Sized> Store<W> {
    /// An empty store.
    pub(super) fn new(places: usize) -> Self {
        Self {
            values: vec![PlaceValues::default(); places],
            tags: Interner::default(),
            tables: Tables::new(places),
        }
    }

    /// Interns a part.
    pub(super) fn part(&mut self, place: usize, part: PreparedPart<W::Part>) -> u32 {
        let parts = &mut self.values[place].parts;
        let before = parts.len();
        let index = parts.intern(part.value);
        if parts.len() > before {
            self.tables.add_part(place, part.hash_term, &part.ids);
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
        let store = |op: PreparedOp<W>| StoredOp {
            op: self.values[place].ops.intern(op.op),
            fairness: small_index(self.tables.fairness.intern(op.fairness)),
            is_loss: op.is_loss,
        };
        let enabled: Arc<[StoredOp]> = enabled.into_iter().map(store).collect();
        self.tables.places[place].enabled[part as usize] = Some(Arc::clone(&enabled));
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
            input: self.values[message.to.index()].ops.intern(message.input),
            discard: self.values[place].ops.intern(message.discard),
        });
        let in_flight: Arc<[StoredInFlight]> = in_flight.collect();
        self.tables.places[place].in_flight.insert(part, Arc::clone(&in_flight));
        in_flight
    }

    /// Stores the outcomes of an operation, unless another thread has done so.
    pub(super) fn keep_outcomes(
        &mut self,
        (place, part, op): (usize, u32, u32),
        outcomes: Vec<PreparedOutcome<W>>,
    ) -> Arc<[StoredOutcome]> {
        if let Some(outcomes) = self.tables.places[place].outcomes.get(&(part, op)) {
            return Arc::clone(outcomes);
        }
        self.tables.runs += 1;
        let outcomes: Arc<[StoredOutcome]> = self.intern_outcomes(place, outcomes).into();
        self.tables.places[place].outcomes.insert((part, op), Arc::clone(&outcomes));
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
                .map(|(place, op)| (place, self.values[place.index()].ops.intern(op)))
                .collect(),
            tags: outcome.tags.into_iter().map(|tag| self.tags.intern(tag)).collect(),
            discharges: outcome
                .discharges
                .into_iter()
                .map(|one| small_index(self.tables.fairness.intern(one)))
                .collect(),
        });
        outcomes.collect()
    }

    /// Runs about `sample` of the memoised operations again. Returns the first whose outcomes
    /// differ from the stored ones: then a core is not a pure function, and no verdict is valid.
    pub(super) fn impure(&mut self, system: &W, sample: usize) -> Option<String> {
        let mut keys: Vec<(usize, u32, u32)> = Vec::new();
        for (place, table) in self.tables.places.iter().enumerate() {
            keys.extend(table.outcomes.keys().map(|&(part, op)| (place, part, op)));
        }
        keys.sort_unstable();
        let stride = keys.len().div_ceil(sample).max(1);
        keys.into_iter().step_by(stride).find_map(|(place, part, op)| {
            let values = &self.values[place];
            let (value, operation) = (values.parts.value(part), values.ops.value(op));
            let outcomes = PreparedOutcome::run(system, place, value, operation);
            let again = self.intern_outcomes(place, outcomes);
            let differs = self.tables.places[place].outcomes[&(part, op)][..] != again[..];
            let values = &self.values[place];
            differs.then(|| format!("{:?} on {:?}", values.ops.value(op), values.parts.value(part)))
        })
    }

    /// Visits the ids of about `sample` parts without replacing any. Returns the first part that
    /// the visit changes: then a visit could hide a wrong step, and no verdict is valid.
    pub(super) fn changed_by_visit(&self, system: &W, sample: usize) -> Option<String> {
        let parts = self.values.iter().enumerate().flat_map(|(place, values)| {
            let indices = 0..u32::try_from(values.parts.len()).expect("indices are u32");
            indices.map(move |index| (Place::of(place), values.parts.value(index)))
        });
        let all: usize = self.values.iter().map(|values| values.parts.len()).sum();
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
        let of = |(values, table): (&PlaceValues<W>, &PlaceTable)| {
            values.parts.len() * part
                + values.ops.len() * (2 * size_of::<W::Op>() + 32)
                + table.outcomes.len() * 96
        };
        self.values.iter().zip(&self.tables.places).map(of).sum()
    }
}

//! How a variant of a system differs from the recorded one: the memoised operations that are run
//! again, and those of them with other outcomes.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

use crate::fingerprint::StableHasher;
use crate::interned::interner::Hashed;
use crate::interned::prepared::{PreparedOp, PreparedOutcome};
use crate::interned::store::Store;
use crate::interned::tables::{OperationId, StoredOp, StoredOutcome};
use crate::transition_system::TransitionSystem;
use crate::variants::recording::Recording;

/// The operations of a recording that have other outcomes in a variant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The operations, in order.
    pub(super) operations: Vec<OperationId>,
    /// Whether they differ in nothing but tags: then the state graph is the same.
    pub(super) is_of_tags: bool,
    /// A hash of 128 bits of the operations and their new outcomes.
    digest: [u64; 2],
}

impl Changes {
    /// No difference.
    #[must_use]
    pub fn none() -> Self {
        Self { operations: Vec::new(), is_of_tags: true, digest: Digest::new().finish() }
    }

    /// Whether the state graph may differ.
    #[must_use]
    pub fn is_of_graph(&self) -> bool {
        !self.is_of_tags
    }

    /// Whether no operation differs.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// Equal for two variants with the same new outcomes of the same operations.
    #[must_use]
    pub fn digest(&self) -> [u64; 2] {
        self.digest
    }
}

/// The comparison of an operation with the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Difference {
    None,
    Tags,
    Outcomes,
}

/// A hash of 128 bits, by two hashers with different keys.
struct Digest([StableHasher; 2]);

impl Digest {
    fn new() -> Self {
        let mut hashers = [StableHasher::default(); 2];
        hashers[1].write_u64(1);
        Self(hashers)
    }

    fn finish(&self) -> [u64; 2] {
        [self.0[0].finish(), self.0[1].finish()]
    }

    fn add(&mut self, value: &impl Hash) {
        self.0.iter_mut().for_each(|hasher| value.hash(hasher));
    }
}

impl<W: TransitionSystem + ?Sized> Recording<W> {
    /// All memoised operations, in order.
    #[must_use]
    pub fn operations(&self) -> Vec<OperationId> {
        self.store.tables.operations()
    }

    /// Whether an operation has the recorded outcomes in a system.
    #[must_use]
    pub fn is_same(&self, system: &W, id: OperationId) -> bool {
        self.store.is_same(system, id)
    }

    /// Runs some operations in a variant. `None`: the initial states differ, or another operation
    /// than the first of an action on its part.
    #[must_use]
    pub fn changes(
        &self,
        variant: &W,
        operations: impl IntoIterator<Item = OperationId>,
    ) -> Option<Changes> {
        if !self.has_same_start(variant) {
            return None;
        }
        let operations: BTreeSet<OperationId> = operations.into_iter().collect();
        let mut changes = Changes::none();
        let mut whole = Digest::new();
        for id in operations {
            let mut digest = Digest::new();
            let difference = self.store.compare(variant, id, &mut digest);
            if difference == Difference::None {
                continue;
            }
            changes.is_of_tags &= difference == Difference::Tags;
            if self.search.recorded.reapplied.contains(&id) {
                return None;
            }
            whole.add(&id);
            whole.add(&digest.finish());
            changes.operations.push(id);
        }
        changes.digest = whole.finish();
        Some(changes)
    }

    /// Whether a variant has the same initial states.
    fn has_same_start(&self, variant: &W) -> bool {
        let initial = variant.initial();
        initial.len() == self.search.recorded.initial
            && initial.iter().flat_map(|state| state.iter().enumerate()).all(|(place, part)| {
                let parts = &self.store.values[place].parts;
                // Indices are given in order, the initial parts first.
                (0..parts.len().min(self.search.recorded.initial))
                    .any(|index| **parts.value(super::recording::number(index)) == *part)
            })
    }
}

impl<W: TransitionSystem + ?Sized> Store<W> {
    /// Whether all operations that another store does not have are the same in a system. The store
    /// is a copy of the other one, with more.
    pub(super) fn adds_the_same(&self, to: &Self, system: &W) -> bool {
        let is_new = |id: &OperationId| {
            let before = &to.tables.places[usize::from(id.place)];
            match id.op {
                None => before.enabled.get(id.part as usize).is_none_or(Option::is_none),
                Some(op) => !before.outcomes.contains_key(&(id.part, op)),
            }
        };
        let mut new = self.tables.operations().into_iter().filter(is_new);
        new.all(|id| self.is_same(system, id))
    }

    fn is_same(&self, system: &W, id: OperationId) -> bool {
        self.compare(system, id, &mut Digest::new()) == Difference::None
    }

    fn compare(&self, system: &W, id: OperationId, digest: &mut Digest) -> Difference {
        let OperationId { place, part, op } = id;
        let values = &self.values[usize::from(place)];
        let stored = &self.tables.places[usize::from(place)];
        let value = values.parts.value(part);
        match op {
            None => {
                let enabled = PreparedOp::all(system, usize::from(place), value);
                let before = stored.enabled[part as usize].as_ref();
                let before = before.expect("it is an operation of the recording");
                for one in &enabled {
                    digest.add(&(one.op.value(), one.fairness.value(), one.is_loss));
                }
                match self.are_enabled(place, before, &enabled) {
                    true => Difference::None,
                    false => Difference::Outcomes,
                }
            }
            Some(op) => {
                let operation = values.ops.value(op);
                let now = PreparedOutcome::run(system, usize::from(place), value, operation);
                now.iter().for_each(|outcome| add(digest, outcome));
                self.compare_outcomes(place, &stored.outcomes[&(part, op)], &now)
            }
        }
    }

    fn are_enabled(&self, place: u16, before: &[StoredOp], now: &[PreparedOp<W>]) -> bool {
        let ops = &self.values[usize::from(place)].ops;
        before.len() == now.len()
            && before.iter().zip(now).all(|(before, now)| {
                **ops.value(before.op) == *now.op.value()
                    && **self.tables.fairness.value(before.fairness.into()) == *now.fairness.value()
                    && before.is_loss == now.is_loss
            })
    }

    fn compare_outcomes(
        &self,
        place: u16,
        before: &[StoredOutcome],
        now: &[PreparedOutcome<W>],
    ) -> Difference {
        let is_same = before.len() == now.len()
            && before.iter().zip(now).all(|(before, now)| self.is_outcome(place, before, now));
        if !is_same {
            return Difference::Outcomes;
        }
        let has_same_tags = |(before, now): (&StoredOutcome, &PreparedOutcome<W>)| {
            let before = before.tags.iter().map(|&tag| &**self.tags.value(tag));
            before.eq(now.tags.iter().map(Hashed::value))
        };
        match before.iter().zip(now).all(has_same_tags) {
            true => Difference::None,
            false => Difference::Tags,
        }
    }

    /// Whether an outcome is the recorded one, but for its tags.
    fn is_outcome(&self, place: u16, before: &StoredOutcome, now: &PreparedOutcome<W>) -> bool {
        let values = &self.values;
        let triggers = before.triggers.iter();
        let triggers = triggers.map(|(at, op)| (*at, &**values[at.index()].ops.value(*op)));
        let discharges = before.discharges.iter();
        let discharges = discharges.map(|&one| &**self.tables.fairness.value(one.into()));
        **values[usize::from(place)].parts.value(before.to) == *now.part.value.value()
            && triggers.eq(now.triggers.iter().map(|(at, op)| (*at, op.value())))
            && discharges.eq(now.discharges.iter().map(Hashed::value))
    }
}

/// Adds an outcome to a digest.
fn add<W: TransitionSystem + ?Sized>(digest: &mut Digest, outcome: &PreparedOutcome<W>) {
    digest.add(outcome.part.value.value());
    for (place, op) in &outcome.triggers {
        digest.add(place);
        digest.add(op.value());
    }
    outcome.tags.iter().for_each(|tag| digest.add(tag.value()));
    outcome.discharges.iter().for_each(|one| digest.add(one.value()));
    digest.add(&[outcome.triggers.len(), outcome.tags.len(), outcome.discharges.len()]);
}

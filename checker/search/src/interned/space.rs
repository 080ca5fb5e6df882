//! The state space that a search explores: vectors of indices, and what is left out of them.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::bounds::Reductions;
use crate::fairness_label::FairnessLabels;
use crate::interned::dead_messages::{self, LiveInputs};
use crate::interned::indexed::IndexedSystem;
use crate::interned::permutations::{self, Permutations};
use crate::transition_system::PartKind;

/// A graph whose nodes are vectors of indices below `1 << INDEX_BITS`.
pub struct StateSpace<'s> {
    pub(crate) system: &'s dyn IndexedSystem,
    pub(super) initial: Vec<Vec<u32>>,
    /// The atomic propositions: a predicate, and the truth value that makes the proposition true.
    pub(super) propositions: Vec<(usize, bool)>,
    /// By place: whether the reduction `loss` applies.
    pub(super) without_loss: Vec<bool>,
    /// With the reduction `dead`: the inputs that are not dead.
    pub(super) live_inputs: Option<LiveInputs>,
    /// With the reduction `symmetry`: the permutations of the symmetric role.
    pub(super) permutations: Option<Permutations>,
    /// The tags that finished threads have covered.
    covered: Mutex<BTreeSet<u32>>,
}

impl<'s> StateSpace<'s> {
    /// See [`Interned::space`](super::Interned::space).
    pub(super) fn new(
        system: &'s dyn IndexedSystem,
        propositions: Vec<(usize, bool)>,
        reduce: Reductions,
    ) -> Self {
        assert!(propositions.len() <= 64, "at most 64 propositions");
        let initial = system.initial();
        let mut width = 0;
        system.read(&mut |tables| width = tables.places.len());
        let has_links = (0..width).any(|place| system.part_kind(place) == PartKind::Link);
        let live_inputs =
            if reduce.dead && has_links { dead_messages::live_inputs(system, width) } else { None };
        let permutations = if reduce.symmetry {
            permutations::permutations_of(&system.symmetric_roles(), width)
        } else {
            None
        };
        let without_loss =
            (0..width).map(|place| reduce.loss && system.may_delay_forever(place)).collect();
        Self {
            system,
            initial,
            propositions,
            without_loss,
            live_inputs,
            permutations,
            covered: Mutex::default(),
        }
    }

    /// The length of a state vector.
    #[must_use]
    pub fn width(&self) -> usize {
        self.without_loss.len()
    }

    /// The reductions that are made.
    #[must_use]
    pub fn reductions(&self) -> Reductions {
        Reductions {
            dead: self.live_inputs.is_some(),
            symmetry: self.permutations.is_some(),
            loss: self.without_loss.contains(&true),
        }
    }

    /// The number of operations run: each once, however often it was looked up.
    #[must_use]
    pub fn runs(&self) -> usize {
        let mut runs = 0;
        self.system.read(&mut |tables| runs = tables.runs);
        runs
    }

    /// Computes a sample of the memoised operations again. Returns the first, if any, whose
    /// outcomes differ this time, or a part that a visit to its ids changes: then no verdict is
    /// valid.
    #[must_use]
    pub fn impure(&self) -> Option<String> {
        self.system.impure()
    }

    /// The fairness labels. Complete once every state is expanded.
    #[must_use]
    pub fn labels(&self) -> FairnessLabels {
        let mut labels = FairnessLabels::default();
        self.system.read(&mut |tables| labels = tables.labels());
        labels
    }

    /// The tags of all operations that were part of an action. Complete once the search has ended.
    #[must_use]
    pub fn covered(&self) -> BTreeSet<u32> {
        self.covered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Adds tags to those covered.
    pub(super) fn cover(&self, tags: impl Iterator<Item = u32>) {
        self.covered.lock().unwrap_or_else(PoisonError::into_inner).extend(tags);
    }

    /// An estimate of the bytes allocated by the space itself.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.system.bytes()
    }
}

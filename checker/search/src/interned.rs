//! The interned engine: any [`TransitionSystem`] as a [`StateSpace`] of vectors of small indices.
//!
//! It is a decision tree of memoised transitions with incremental (Zobrist) hashing. Parts and
//! operations are interned, so a state is a vector of indices. The outcomes of an operation on a
//! part are computed once, by the shipped core, and memoised ([`shared_store`]). An action is found
//! by a look-up for each part that it reads ([`decision_tree`]). The fingerprint of a state is the
//! sum of one hash term for each part, so that the fingerprint of a successor costs a subtraction
//! and an addition for each part changed ([`crate::fingerprint`]). At the end, a sample of what is
//! memoised is computed again ([`Interned::impure`]).

mod canonical_ids;
mod changes;
mod dead_messages;
mod decision_tree;
mod expander;
mod interner;
mod node_ref;
mod pair_map;
mod part_update;
mod predicates;
mod prepared;
mod recording;
mod shared_store;
mod store;
mod symmetry;
mod thread_cache;
mod variant;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::bounds::Reductions;
use crate::fairness_label::FairnessLabels;
use crate::interned::dead_messages::LiveInputs;
use crate::interned::expander::InternedExpander;
use crate::interned::predicates::PredicateCache;
use crate::interned::shared_store::SharedStore;
use crate::interned::symmetry::Permutations;
use crate::interned::thread_cache::ThreadCache;
use crate::state_space::{PLACES_MAX, StateSpace};
use crate::transition_system::{PartKind, Place, TransitionSystem};

pub use crate::interned::changes::Changes;
pub use crate::interned::recording::{OperationId, Recording};
pub use crate::interned::variant::{Judged, Tags, VariantLimits, VariantOutcome};

/// Memoised operations that are run a second time, about.
const SAMPLE: usize = 2_000;

/// A system as a state space.
#[derive(Debug)]
pub struct Interned<'w, W: TransitionSystem> {
    system: &'w W,
    initial: Vec<Vec<u32>>,
    /// The atomic propositions: a predicate, and the truth value that makes the proposition true.
    propositions: Vec<(usize, bool)>,
    /// By place: whether the reduction `loss` applies.
    without_loss: Vec<bool>,
    /// With the reduction `dead`: the inputs that are not dead.
    live_inputs: Option<LiveInputs>,
    /// With the reduction `symmetry`: the permutations of the symmetric role.
    permutations: Option<Permutations>,
    store: SharedStore<W>,
    /// The tags that finished threads have covered.
    covered: Mutex<BTreeSet<u32>>,
}

impl<'w, W: TransitionSystem> Interned<'w, W> {
    /// A system as a state space. Bit `k` of [`crate::state_space::Expander::evaluate`] says that
    /// the predicate `propositions[k].0` has the value `propositions[k].1`; there are at most 64.
    ///
    /// The reductions requested are made where the system allows them; [`Interned::reductions`]
    /// returns those made. The caller has to know whether the properties allow them.
    #[must_use]
    pub fn new(system: &'w W, propositions: Vec<(usize, bool)>, reduce: Reductions) -> Self {
        let width = system.initial().first().map_or(1, Vec::len);
        assert!(width <= PLACES_MAX, "a state has at most {PLACES_MAX} parts");
        Self::with(SharedStore::new(width), system, propositions, reduce)
    }

    /// A system as a state space whose store has entries already.
    fn with(
        store: SharedStore<W>,
        system: &'w W,
        propositions: Vec<(usize, bool)>,
        reduce: Reductions,
    ) -> Self {
        assert!(propositions.len() <= 64, "at most 64 propositions");
        let initial = system.initial();
        let width = store.read().places.len();
        let mut intern = |(place, part)| store.part(system, place, part);
        let vectors = initial.into_iter();
        let initial =
            vectors.map(|state| state.into_iter().enumerate().map(&mut intern).collect()).collect();
        let has_links =
            (0..width).any(|place| system.part_kind(Place::of(place)) == PartKind::Link);
        let live_inputs = if reduce.dead && has_links {
            dead_messages::live_inputs(system, &store)
        } else {
            None
        };
        let permutations = if reduce.symmetry {
            symmetry::permutations_of(&system.symmetric_roles(), width)
        } else {
            None
        };
        Self {
            system,
            initial,
            propositions,
            without_loss: (0..width)
                .map(|place| reduce.loss && system.may_delay_forever(Place::of(place)))
                .collect(),
            live_inputs,
            permutations,
            store,
            covered: Mutex::default(),
        }
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

    /// The coverage: the tags of all operations that were part of an action, sorted. Complete once
    /// the search has ended.
    #[must_use]
    pub fn tags(&self) -> BTreeSet<W::Tag> {
        let store = self.store.read();
        let covered = self.covered.lock().unwrap_or_else(PoisonError::into_inner);
        covered.iter().map(|&tag| W::Tag::clone(store.tags.value(tag))).collect()
    }

    /// The fairness labels. Complete once every state is expanded.
    #[must_use]
    pub fn labels(&self) -> FairnessLabels {
        self.store.read().labels()
    }

    /// The number of operations run: each once, however often it was looked up.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.store.read().runs
    }

    /// Computes a sample of the memoised operations again. Returns the first, if any, whose
    /// outcomes differ this time, or a part that a visit to its ids changes: then no verdict is
    /// valid.
    #[must_use]
    pub fn impure(&self) -> Option<String> {
        let mut store = self.store.write();
        store.changed_by_visit(self.system, SAMPLE).or_else(|| store.impure(self.system, SAMPLE))
    }
}

impl<W: TransitionSystem> StateSpace for Interned<'_, W> {
    type Expander<'s>
        = InternedExpander<'s, W>
    where
        Self: 's;

    fn width(&self) -> usize {
        self.without_loss.len()
    }

    fn expander(&self) -> InternedExpander<'_, W> {
        let cache = ThreadCache::new(self.system, &self.store, &self.without_loss);
        let predicates = PredicateCache::new(self.system, &self.propositions);
        InternedExpander::new(self, cache, predicates)
    }

    fn bytes(&self) -> usize {
        self.store.read().bytes()
    }
}

//! The interned engine: any [`Parts`] as a [`Space`] of rows of small numbers.
//!
//! Parts and operations are numbered as they are met, and what an operation does to a part is
//! worked out once ([`shared`]) and remembered. An action is then a few look-ups ([`expand`]). The
//! shipped core still does every step that a row stands for, only not again and again; a sample of
//! what is remembered is run twice in the end ([`Interned::impure`]).

mod cells;
mod change;
mod dead;
mod expand;
mod interner;
mod local;
mod made;
mod numbers;
mod predicates;
mod shared;
mod step;
mod store;
mod symmetry;
mod tree;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use crate::bounds::Reductions;
use crate::interned::dead::Live;
use crate::interned::expand::Cascade;
use crate::interned::local::Local;
use crate::interned::predicates::Asked;
use crate::interned::shared::Shared;

use crate::interned::symmetry::Ways;
use crate::label::Labels;
use crate::parts::{Kind, Parts, Place};
use crate::space::{PLACES_MAX, Space};

/// Remembered operations that are run a second time.
const SAMPLE: usize = 2_000;

/// A system as a space.
#[derive(Debug)]
pub struct Interned<'w, W: Parts> {
    system: &'w W,
    initial: Vec<Vec<u32>>,
    /// What is noteworthy: a predicate, and the answer that is.
    noteworthy: Vec<(usize, bool)>,
    without_loss: Vec<bool>,
    /// With dead messages left out: which are not dead.
    live: Option<Live>,
    /// With symmetry: the ways in which nodes may change places.
    ways: Option<Ways>,
    store: Shared<W>,
    /// What the threads that have ended used.
    used: Mutex<BTreeSet<u32>>,
}

impl<'w, W: Parts> Interned<'w, W> {
    /// A system as a space. Thing `k` of [`crate::space::Expander::inspect`] is that the
    /// answer to the predicate `noteworthy[k].0` is `noteworthy[k].1`.
    ///
    /// The reductions asked for are made where the system allows them; [`Interned::reductions`]
    /// says which. Whether the properties allow them is the caller's to say.
    #[must_use]
    pub fn new(system: &'w W, noteworthy: Vec<(usize, bool)>, reduce: Reductions) -> Self {
        assert!(noteworthy.len() <= 64, "a set of 64 things");
        let initial = system.initial();
        let width = initial.first().map_or(1, Vec::len);
        assert!(width <= PLACES_MAX, "a state has at most {PLACES_MAX} parts");
        let store = Shared::new(width);
        let mut number = |(place, part)| store.part(system, place, part);
        let rows = initial.into_iter();
        let initial =
            rows.map(|state| state.into_iter().enumerate().map(&mut number).collect()).collect();
        let has_links = (0..width).any(|place| system.kind(Place::of(place)) == Kind::Link);
        let live = if reduce.dead && has_links { dead::live(system, &store) } else { None };
        let ways = if reduce.symmetry { symmetry::ways(&system.symmetry(), width) } else { None };
        Self {
            system,
            initial,
            noteworthy,
            without_loss: (0..width)
                .map(|place| reduce.loss && system.may_delay_for_ever(Place::of(place)))
                .collect(),
            live,
            ways,
            store,
            used: Mutex::default(),
        }
    }

    /// The reductions that are made.
    #[must_use]
    pub fn reductions(&self) -> Reductions {
        Reductions {
            dead: self.live.is_some(),
            symmetry: self.ways.is_some(),
            loss: self.without_loss.contains(&true),
        }
    }

    /// What a report wants to know of the operations that were part of an action, sorted.
    /// Complete once the search has ended.
    #[must_use]
    pub fn marks(&self) -> BTreeSet<W::Mark> {
        let store = self.store.read();
        let used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.iter().map(|&mark| W::Mark::clone(store.marks.value(mark))).collect()
    }

    /// What the labels have to do with fairness. Complete once every row was expanded.
    #[must_use]
    pub fn labels(&self) -> Labels {
        self.store.read().labels()
    }

    /// Operations that were run: each once, however often it was looked up.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.store.read().runs
    }

    /// Runs a sample of the remembered operations again and says which one, if any, did something
    /// else this time; likewise of the parts, which one a mere look at its numbers changes.
    #[must_use]
    pub fn impure(&self) -> Option<String> {
        let mut store = self.store.write();
        store.changed_by_a_look(self.system, SAMPLE).or_else(|| store.impure(self.system, SAMPLE))
    }
}

impl<W: Parts> Space for Interned<'_, W> {
    type Expander<'s>
        = Cascade<'s, W>
    where
        Self: 's;

    fn width(&self) -> usize {
        self.without_loss.len()
    }

    fn expander(&self) -> Cascade<'_, W> {
        let local = Local::new(self.system, &self.store, &self.without_loss);
        let asked = Asked::new(self.system, &self.noteworthy);
        Cascade::new(self, local, asked)
    }

    fn bytes(&self) -> usize {
        self.store.read().bytes()
    }
}

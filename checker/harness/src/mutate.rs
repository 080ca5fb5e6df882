//! Mutation testing: the shipped cores run each table with one change in place of the compiled one.
//! A mutant that no property kills shows a behaviour that is not checked.
//!
//! [`rows`] and [`formulas`] make the mutants, [`judge`] judges. Nothing here knows a protocol.

mod baseline;
pub mod change;
mod changed_parts;
pub mod code;
mod formulas;
mod guards;
mod in_worlds;
mod judge;
mod label;
mod merged;
mod phrase;
mod recorded;
mod rows;

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::Serialize;
use turnstile_spec::table::{Table, Vocabulary};

use crate::fault::FaultReport;

pub use baseline::Baselines;
use change::Mutant;
pub use judge::{mutate, mutate_all, mutate_from_nothing};

/// The results for the mutants of one table.
#[derive(Clone, Debug, Default)]
pub struct MutationReport {
    /// The machine.
    pub name: String,
    /// The number of mutants.
    pub mutants: usize,
    /// The number that each level kills, independently of the others.
    pub killed_by: KilledBy,
    /// The number that lint refuses, or that the systems kill; if no system runs the machine, that
    /// the table level kills.
    pub killed: usize,
    /// Those of the systems' that no property kills, but that the worlds do not take every row.
    pub by_coverage: usize,
    /// The systems whose worlds were searched; empty if no system runs the machine.
    pub systems: Vec<String>,
    /// What no judgement can be spared.
    pub floor: Floor,
    /// Those that lint does not refuse and no system kills; if no system runs the machine, those
    /// that the table level does not.
    pub survivors: Vec<Survivor>,
    /// Those that no search killed, where a search was truncated.
    pub incomplete: Vec<Survivor>,
    /// The checks that fail without any change: then no mutant was tried.
    pub fails: Vec<String>,
    /// Diagnostics of entries under `survivors` that match no survivor.
    pub faults: Vec<FaultReport>,
}

/// The searches that no reuse of a recording spares: of distinct mutants that change a world's
/// state graph, in which nothing fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Floor {
    /// How many.
    pub searches: usize,
    /// The states of their worlds.
    pub states: usize,
}

impl AddAssign for Floor {
    fn add_assign(&mut self, other: Self) {
        self.searches += other.searches;
        self.states += other.states;
    }
}

/// The number of mutants that each level kills.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KilledBy {
    /// The reader's lint: `turnstile check` would refuse the table.
    pub lint: usize,
    /// The table level.
    pub table: usize,
    /// The systems' properties.
    pub system: usize,
}

/// A mutant that is not killed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// The part that is changed.
    pub row: String,
    /// The change.
    pub change: String,
    /// The reason that the table gives under `survivors`, if it does.
    pub explained: Option<String>,
    /// Whether that reason says that no property can detect the change.
    #[serde(skip)]
    pub is_equivalent: bool,
    /// Whether some outcome differs in some world.
    #[serde(skip)]
    pub differs: bool,
    /// Whether the table alone can never tell it: it changes only actions that hold no resource.
    #[serde(skip)]
    pub is_of_actions: bool,
}

/// Which mutants are judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Only(pub Option<String>);

impl Only {
    /// Whether the text occurs in the row or in the change; every mutant without a text.
    fn takes(&self, mutant: &Mutant) -> bool {
        let Self(text) = self;
        let is_in = |text: &String| mutant.row.contains(text) || mutant.change.contains(text);
        text.as_ref().is_none_or(is_in)
    }
}

/// Every mutant of a table, in its order.
#[must_use]
pub fn mutants(vocabulary: &Vocabulary, table: &Table) -> Vec<Mutant> {
    let mut mutants = rows::mutants(vocabulary, table);
    mutants.extend(formulas::mutants(vocabulary, table));
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    for mutant in &mut mutants {
        let count = seen.entry((mutant.row.clone(), mutant.change.clone())).or_default();
        *count += 1;
        // A number distinguishes two with the same text.
        if *count > 1 {
            mutant.change = format!("{} ({count})", mutant.change);
        }
    }
    mutants
}

//! What mutation testing says of a table: how many mutants are killed, by what, and the others.

use std::ops::AddAssign;

use serde::Serialize;

use crate::results::fault::FaultReport;

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

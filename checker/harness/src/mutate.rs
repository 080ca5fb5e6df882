//! Mutation testing: tables with one change each run through the shipped cores in place of the
//! compiled one. A mutant that no property kills shows what is not checked.
//!
//! [`rows`] and [`formulas`] change, [`judge`] searches. Nothing here knows a protocol.

mod baseline;
pub mod change;
mod formulas;
mod guards;
mod judge;
mod label;
mod parallel;
mod phrase;
mod rows;

use std::collections::BTreeMap;

use serde::Serialize;
use turnstile_spec::table::{Table, Vocabulary};

use crate::fault::FaultReport;

pub use baseline::Baselines;
use change::Mutant;
pub use judge::mutate;

/// What the mutants of one table came to.
#[derive(Clone, Debug, Default)]
pub struct MutationReport {
    /// The machine.
    pub name: String,
    /// How many mutants there are.
    pub mutants: usize,
    /// How many of them each level notices, whatever the others do.
    pub killed_by: KilledBy,
    /// The systems whose worlds were searched; none where no system runs the machine.
    pub systems: Vec<String>,
    /// Those that no system notices; where there is none, those that the table level does not.
    pub survivors: Vec<Survivor>,
    /// Those that were not noticed where something was not searched to its end.
    pub incomplete: Vec<Survivor>,
    /// What fails without any change: no mutant was tried.
    pub fails: Vec<String>,
    /// Entries of `survivors` that are none.
    pub faults: Vec<FaultReport>,
}

/// Mutants that a level notices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KilledBy {
    /// The reader's findings.
    pub lint: usize,
    /// The properties of tables.
    pub table: usize,
    /// The properties of systems.
    pub system: usize,
}

/// A mutant that is not noticed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Survivor {
    /// What is changed.
    pub row: String,
    /// How.
    pub change: String,
    /// Why that is as it should be, where the table says so.
    pub explained: Option<String>,
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
        // Two that read alike are told apart by their number.
        if *count > 1 {
            mutant.change = format!("{} ({count})", mutant.change);
        }
    }
    mutants
}

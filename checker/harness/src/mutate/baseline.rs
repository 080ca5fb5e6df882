//! The systems' default worlds with the unchanged table: their sizes, and the rows they take. A
//! mutant of a row is tried only in worlds that take the row.

use std::collections::BTreeMap;

use turnstile_spec::system::{self, System};

use super::parallel::{SilentProgress, parallel_map};
use crate::all_worlds::all_worlds;
use crate::options::{Options, Refusal};
use crate::registry::{SystemEntry, Systems};
use crate::result::{PropertyReport, ResultReport, RowCoverage, RowRef};
use crate::status::Status;

/// The systems that can be run; each is searched once, when it is first needed.
#[derive(Debug)]
pub struct Baselines<'a> {
    systems: Systems,
    files: &'a [System],
    known: BTreeMap<String, Baseline>,
}

/// A system without any change.
#[derive(Clone, Debug)]
pub(super) struct Baseline {
    pub(super) name: String,
    /// Its default worlds, the smallest first.
    pub(super) worlds: Vec<BaselineWorld>,
    /// The properties that fail in it.
    pub(super) fails: Vec<String>,
}

/// A world without any change.
#[derive(Clone, Debug)]
pub(super) struct BaselineWorld {
    /// Its index in the system's file.
    pub(super) place: usize,
    pub(super) states: u64,
    /// Whether its search was exhaustive: only then does a row not taken exclude mutants.
    pub(super) is_complete: bool,
    pub(super) by_row: BTreeMap<RowRef, RowCoverage>,
}

impl<'a> Baselines<'a> {
    /// The systems of these files, not yet searched.
    #[must_use]
    pub fn new(systems: Systems, files: &'a [System]) -> Self {
        Self { systems, files, known: BTreeMap::new() }
    }

    /// The systems whose cores run a machine.
    pub(super) fn of(&self, machine: &str) -> Vec<(&'static SystemEntry, &'a System)> {
        let runs = |file: &'a System| {
            let entry = self.systems.entry(&file.name)?;
            entry.runs(machine).then_some((entry, file))
        };
        self.files.iter().filter_map(runs).collect()
    }

    /// A system without any change, with the tables of the options.
    pub(super) fn unchanged(
        &mut self,
        (entry, file): (&SystemEntry, &System),
        options: &Options<'_>,
    ) -> &Baseline {
        let known = self.known.entry(file.name.clone());
        known.or_insert_with(|| search(entry, file, options))
    }
}

fn search(entry: &SystemEntry, file: &System, options: &Options<'_>) -> Baseline {
    let aside = SilentProgress(options.progress);
    let default = file.worlds.iter().enumerate().filter(|(_, world)| world.default);
    let default: Vec<(usize, &system::World)> = default.collect();
    options.progress.message(&format!("{}: {} worlds, unchanged", file.name, default.len()));
    let ran = parallel_map(options.threads, &default, |(place, world), threads| {
        let options = Options { threads, progress: &aside, ..options.clone() };
        ((*place, &world.name), entry.run(file, world, &options))
    });
    let mut unchanged = Baseline { name: file.name.clone(), worlds: vec![], fails: vec![] };
    let mut results = Vec::new();
    for ((place, world), ran) in ran {
        match ran {
            Ok(result) => {
                unchanged.fails.extend(failures(&result));
                unchanged.worlds.push(BaselineWorld {
                    place,
                    states: result.states,
                    is_complete: result.complete,
                    by_row: result.coverage.by_row.clone(),
                });
                results.push(result);
            }
            Err(refusal @ (Refusal::Usage(_) | Refusal::Faults(_))) => {
                unchanged.fails.push(format!("{}/{world}: {refusal}", file.name));
            }
        }
    }
    unchanged.fails.extend(all_worlds(&results).iter().flat_map(failures));
    unchanged.worlds.sort_by_key(|world| (world.states, world.place));
    unchanged
}

/// The properties with which `turnstile check` fails.
pub(super) fn bad(result: &ResultReport) -> impl Iterator<Item = &PropertyReport> {
    result.properties.iter().filter(|property| Status::from(property.verdict) == Status::Fails)
}

/// The failures of a result, a line each.
pub(super) fn failures(result: &ResultReport) -> Vec<String> {
    let mut lines: Vec<String> = bad(result)
        .map(|property| {
            format!("{}: {} {}", result.title(), property.name, property.verdict.name())
        })
        .collect();
    let is_faulty = lines.is_empty() && Status::of(result) == Status::Fails;
    lines.extend(is_faulty.then(|| format!("{}: its files have errors", result.title())));
    lines
}

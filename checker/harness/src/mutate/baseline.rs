//! The systems' default worlds without any change, recorded.

use std::collections::BTreeSet;

use turnstile_spec::system::{self, System};

use super::parallel::{SilentProgress, parallel_map};
use super::recorded::{NotRecorded, RecordedWorld};
use crate::all_worlds::all_worlds;
use crate::coverage::coverage;
use crate::options::Options;
use crate::registry::{SystemEntry, Systems};
use crate::result::{PropertyReport, ResultReport};
use crate::status::Status;

/// The systems that can be run.
#[derive(Debug)]
pub struct Baselines<'a> {
    systems: Systems,
    files: &'a [System],
}

/// A system without any change.
pub(super) struct Baseline {
    /// Its default worlds, the smallest first.
    pub(super) worlds: Vec<RecordedWorld>,
    /// The worlds that the limits do not allow to search, by their index in the file.
    pub(super) unrecorded: Vec<usize>,
    /// The properties that fail in it.
    pub(super) fails: Vec<String>,
}

impl<'a> Baselines<'a> {
    /// The systems of these files.
    #[must_use]
    pub fn new(systems: Systems, files: &'a [System]) -> Self {
        Self { systems, files }
    }

    /// The systems whose cores run a machine.
    pub(super) fn of(&self, machine: &str) -> Vec<(&'static SystemEntry, &'a System)> {
        let runs = |file: &'a System| {
            let entry = self.systems.entry(&file.name)?;
            entry.runs(machine).then_some((entry, file))
        };
        self.files.iter().filter_map(runs).collect()
    }
}

impl Baseline {
    /// Records the default worlds of a system, with the tables of the options.
    pub(super) fn record((entry, file): (&SystemEntry, &System), options: &Options<'_>) -> Self {
        let aside = SilentProgress(options.progress);
        let default = file.worlds.iter().enumerate().filter(|(_, world)| world.default);
        let default: Vec<(usize, &system::World)> = default.collect();
        options.progress.message(&format!("{}: {} worlds, unchanged", file.name, default.len()));
        let recorded = parallel_map(options.threads, &default, |(place, world), _| {
            let mut options = Options { threads: 1, progress: &aside, ..options.clone() };
            options.tables.iter_mut().for_each(|table| table.merges_choices = true);
            RecordedWorld::new((entry, file), (*place, world), &options)
        });
        let mut unchanged = Self { worlds: Vec::new(), unrecorded: Vec::new(), fails: Vec::new() };
        let mut taken = BTreeSet::new();
        for ((place, world), recorded) in default.iter().zip(recorded) {
            match recorded {
                Ok(recorded) => {
                    taken.extend(recorded.taken.iter().copied());
                    unchanged.worlds.push(recorded);
                }
                Err(NotRecorded::Limit) => unchanged.unrecorded.push(*place),
                Err(NotRecorded::Impure) => {
                    unchanged
                        .fails
                        .push(format!("{}/{}: a core is not pure", file.name, world.name));
                }
                Err(NotRecorded::Refused(refusal)) => {
                    unchanged.fails.push(format!("{}/{}: {refusal}", file.name, world.name));
                }
            }
        }
        let is_covered = !unchanged.unrecorded.is_empty()
            || coverage(entry.tables, &options.tables, &taken).not_taken.is_empty();
        let holds = is_covered && unchanged.worlds.iter().all(|world| world.holds);
        if unchanged.fails.is_empty() && !holds {
            unchanged.fails = failing((entry, file), &default, options);
            if unchanged.fails.is_empty() {
                unchanged.fails.push(format!("{}: not searched to its end", file.name));
            }
        }
        unchanged.worlds.sort_by_key(|world| (world.states(), world.place));
        unchanged
    }
}

/// The properties that fail, in words.
fn failing(
    (entry, file): (&SystemEntry, &System),
    worlds: &[(usize, &system::World)],
    options: &Options<'_>,
) -> Vec<String> {
    let mut fails = Vec::new();
    let mut results = Vec::new();
    for (_, world) in worlds {
        match entry.run(file, world, options) {
            Ok(result) => {
                fails.extend(failures(&result));
                results.push(result);
            }
            Err(refusal) => fails.push(format!("{}/{}: {refusal}", file.name, world.name)),
        }
    }
    fails.extend(all_worlds(&results).iter().flat_map(failures));
    fails
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

//! The systems' default worlds without any change, recorded.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use turnstile_spec::system::{self, System};
use turnstile_step::RowOutcome;

use super::parallel::{SilentProgress, parallel_map};
use super::recorded::{NotRecorded, RecordedWorld};
use crate::all_worlds::all_worlds;
use crate::coverage::coverage;
use crate::options::Options;
use crate::registry::{SystemEntry, Systems};
use crate::result::{PropertyReport, ResultReport};
use crate::status::Status;

/// The states at which no further world is recorded before mutants run in those recorded. A state
/// takes up to 500 bytes.
const STATES_AT_ONCE: usize = 1_000_000;

/// The systems that can be run.
#[derive(Debug)]
pub struct Baselines<'a> {
    systems: Systems,
    files: &'a [System],
}

/// A system without any change, recorded some worlds at a time.
pub(super) struct Baseline<'b> {
    entry: &'b SystemEntry,
    file: &'b System,
    options: &'b Options<'b>,
    /// The default worlds, by their index in the file.
    default: Vec<usize>,
    /// Those that are not recorded yet.
    next: Vec<usize>,
    /// The worlds that the limits do not allow to search.
    pub(super) unrecorded: Vec<usize>,
    /// The outcomes of rows so far.
    taken: BTreeSet<RowOutcome>,
    /// Whether the properties hold so far.
    holds: bool,
    /// Why worlds cannot be searched.
    refused: Vec<String>,
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

impl<'b> Baseline<'b> {
    /// The default worlds of a system, with the tables of the options.
    pub(super) fn new(
        (entry, file): (&'b SystemEntry, &'b System),
        options: &'b Options<'b>,
    ) -> Self {
        let default = file.worlds.iter().enumerate().filter(|(_, world)| world.default);
        let default: Vec<usize> = default.map(|(place, _)| place).collect();
        Self {
            entry,
            file,
            options,
            next: default.clone(),
            default,
            unrecorded: Vec::new(),
            taken: BTreeSet::new(),
            holds: true,
            refused: Vec::new(),
        }
    }

    /// The number of worlds.
    pub(super) fn worlds(&self) -> usize {
        self.default.len()
    }

    /// Records the next worlds, as many as fit into memory; returns them, the smallest first.
    /// `None`: there are no more, or one of them fails.
    pub(super) fn record(&mut self) -> Option<Vec<RecordedWorld>> {
        if self.next.is_empty() || !self.holds || !self.refused.is_empty() {
            return None;
        }
        let (entry, file, options) = (self.entry, self.file, self.options);
        let left = self.next.len();
        options.progress.message(&format!("{}: {left} worlds left, unchanged", file.name));
        let aside = SilentProgress(options.progress);
        let states = AtomicUsize::new(0);
        let recorded = parallel_map(options.threads, &self.next, |place, _| {
            if states.load(Ordering::Relaxed) >= STATES_AT_ONCE {
                return None;
            }
            let mut options = Options { threads: 1, progress: &aside, ..options.clone() };
            options.tables.iter_mut().for_each(|table| table.merges_choices = true);
            let world = (*place, &file.worlds[*place]);
            let recorded = RecordedWorld::new((entry, file), world, &options);
            let count = recorded.as_ref().map_or(0, RecordedWorld::states);
            states.fetch_add(count, Ordering::Relaxed);
            Some(recorded)
        });
        let mut worlds = Vec::new();
        for (place, recorded) in std::mem::take(&mut self.next).into_iter().zip(recorded) {
            let name = || format!("{}/{}", file.name, file.worlds[place].name);
            match recorded {
                None => self.next.push(place),
                Some(Ok(world)) => {
                    self.holds &= world.holds;
                    self.taken.extend(world.taken.iter().copied());
                    worlds.push(world);
                }
                Some(Err(NotRecorded::Limit)) => self.unrecorded.push(place),
                Some(Err(NotRecorded::Impure)) => {
                    self.refused.push(format!("{}: a core is not pure", name()));
                }
                Some(Err(NotRecorded::Refused(refusal))) => {
                    self.refused.push(format!("{}: {refusal}", name()));
                }
            }
        }
        worlds.sort_by_key(|world| (world.states(), world.place));
        (self.holds && self.refused.is_empty()).then_some(worlds)
    }

    /// What fails, in words, once every world is recorded or one fails.
    pub(super) fn failing(&self) -> Vec<String> {
        let Self { entry, file, options, .. } = *self;
        let is_covered = !self.next.is_empty()
            || !self.unrecorded.is_empty()
            || coverage(entry.tables, &options.tables, &self.taken).not_taken.is_empty();
        if !self.refused.is_empty() || self.holds && is_covered {
            return self.refused.clone();
        }
        let default = self.default.iter().map(|&place| &file.worlds[place]);
        let mut fails = failing((entry, file), default, options);
        if fails.is_empty() {
            fails.push(format!("{}: not searched to its end", file.name));
        }
        fails
    }
}

/// The properties that fail, in words.
fn failing<'f>(
    (entry, file): (&SystemEntry, &System),
    worlds: impl Iterator<Item = &'f system::World>,
    options: &Options<'_>,
) -> Vec<String> {
    let mut fails = Vec::new();
    let mut results = Vec::new();
    for world in worlds {
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

//! The systems' default worlds without any change, recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use turnstile_spec::system::{self, System};
use turnstile_step::RowOutcome;

use super::recorded::{NotRecorded, RecordedWorld};
use crate::all_worlds::all_worlds;
use crate::options::Options;
use crate::parallel::{SilentProgress, parallel_map};
use crate::registry::{SystemEntry, Systems};
use crate::results::coverage::coverage;
use crate::results::result::{PropertyReport, ResultReport};
use crate::results::status::Status;

/// The states at which no further world is recorded before one is judged. A state takes up to 500
/// bytes.
const STATES_AT_ONCE: usize = 1_000_000;

/// The states of each world that are searched before a mutant is tried.
const STATES_SOON: u64 = 5_000;

/// The systems that can be run.
#[derive(Debug)]
pub struct Baselines<'a> {
    systems: &'a Systems,
    files: &'a [System],
}

/// A system without any change, its worlds recorded one at a time by each thread.
pub(super) struct Baseline<'b> {
    entry: &'b SystemEntry,
    file: &'b System,
    options: &'b Options<'b>,
    /// The default worlds, by their index in the file.
    default: Vec<usize>,
    found: Mutex<Found>,
}

/// What the recorded worlds have shown.
struct Found {
    /// The first world that no thread has begun to record.
    next: usize,
    /// The worlds recorded and not judged, by their states and number.
    recorded: BTreeMap<(usize, usize), RecordedWorld>,
    /// The worlds that the limits do not allow to search.
    unrecorded: Vec<usize>,
    /// The outcomes of rows so far.
    taken: BTreeSet<RowOutcome>,
    /// Whether the properties hold so far.
    holds: bool,
    /// Why worlds cannot be searched.
    refused: Vec<String>,
}

/// What a thread does next.
enum Work {
    /// It records this world.
    Record(usize),
    /// It judges mutants in a recorded world.
    Judge {
        nth: usize,
        world: Box<RecordedWorld>,
        /// The other threads have nothing else to do.
        is_last: bool,
    },
}

impl<'a> Baselines<'a> {
    /// The systems of these files.
    #[must_use]
    pub fn new(systems: &'a Systems, files: &'a [System]) -> Self {
        Self { systems, files }
    }

    /// Whether the systems that run two machines are the same.
    #[must_use]
    pub fn are_of_the_same(&self, one: &str, other: &str) -> bool {
        let names = |machine| self.of(machine).into_iter().map(|(entry, _)| entry.name.as_str());
        names(one).eq(names(other)) && names(one).next().is_some()
    }

    /// The systems whose cores run a machine.
    pub(super) fn of(&self, machine: &str) -> Vec<(&'a SystemEntry, &'a System)> {
        let runs = |file: &'a System| {
            let entry = self.systems.entry(&file.name)?;
            entry.runs(machine).then_some((&**entry, file))
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
        let found = Found {
            next: 0,
            recorded: BTreeMap::new(),
            unrecorded: Vec::new(),
            taken: BTreeSet::new(),
            holds: true,
            refused: Vec::new(),
        };
        Self { entry, file, options, default, found: Mutex::new(found) }
    }

    /// The number of worlds.
    pub(super) fn worlds(&self) -> usize {
        self.default.len()
    }

    /// The worlds that the limits do not allow to search, once every world is recorded.
    pub(super) fn unrecorded(&self) -> Vec<usize> {
        let mut unrecorded = self.found().unrecorded.clone();
        unrecorded.sort_unstable();
        unrecorded
    }

    /// Records each world and gives it to `judge`, with its number and the threads that may judge:
    /// on all threads, of those recorded the smallest first, until a world fails.
    pub(super) fn each_recorded(&self, judge: impl Fn(&RecordedWorld, usize, usize) + Sync) {
        let threads = self.options.threads.clamp(1, self.worlds().max(1));
        parallel_map(threads, &vec![(); threads], |(), _| {
            while let Some(work) = self.next() {
                match work {
                    Work::Record(nth) => self.record(nth),
                    Work::Judge { nth, world, is_last } => {
                        judge(&world, nth, if is_last { self.options.threads } else { 1 });
                    }
                }
            }
        });
    }

    fn found(&self) -> MutexGuard<'_, Found> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next thing to do; `None`: there is nothing that others do not do, or a world fails.
    fn next(&self) -> Option<Work> {
        let mut found = self.found();
        if !found.holds || !found.refused.is_empty() {
            return None;
        }
        let states: usize = found.recorded.keys().map(|(states, _)| states).sum();
        if found.next < self.worlds() && states < STATES_AT_ONCE {
            found.next += 1;
            return Some(Work::Record(found.next - 1));
        }
        let ((_, nth), world) = found.recorded.pop_first()?;
        let is_last = found.next == self.worlds() && found.recorded.is_empty();
        Some(Work::Judge { nth, world: Box::new(world), is_last })
    }

    /// Records a world, on this thread.
    fn record(&self, nth: usize) {
        let (place, file) = (self.default[nth], self.file);
        let name = || format!("{}/{}", file.name, file.worlds[place].name);
        let all = self.worlds();
        let number = nth + 1;
        let message = format!("{}, unchanged (world {number} of {all})", name());
        self.options.progress.message(&message);
        let aside = SilentProgress(self.options.progress);
        let mut options = Options { threads: 1, progress: &aside, ..self.options.clone() };
        options.tables.iter_mut().for_each(|table| table.merges_choices = true);
        let world = (place, &file.worlds[place]);
        let recorded = RecordedWorld::new((self.entry, file), world, &options);
        let mut found = self.found();
        match recorded {
            Ok(world) => {
                found.holds &= world.holds;
                found.taken.extend(world.taken.iter().copied());
                found.recorded.insert((world.states(), nth), world);
            }
            Err(NotRecorded::Limit) => found.unrecorded.push(place),
            Err(NotRecorded::Impure) => {
                found.refused.push(format!("{}: a core is not pure", name()));
            }
            Err(NotRecorded::Refused(refusal)) => {
                found.refused.push(format!("{}: {refusal}", name()));
            }
        }
    }

    /// What fails, in words, once every world is recorded or one fails.
    pub(super) fn failing(&self) -> Vec<String> {
        let Self { entry, file, options, .. } = *self;
        {
            let found = self.found();
            let is_covered = !found.unrecorded.is_empty()
                || coverage(&entry.tables, &options.tables, &found.taken).not_taken.is_empty();
            if !found.refused.is_empty() || found.holds && is_covered {
                return found.refused.clone();
            }
        }
        let default = self.default.iter().map(|&place| &file.worlds[place]);
        let mut fails = failing((entry, file), default, options);
        if fails.is_empty() {
            fails.push(format!("{}: not searched to its end", file.name));
        }
        fails
    }
}

/// The properties that fail within the first states of the default worlds, in words: to be said
/// before a mutant is tried.
pub(super) fn failing_soon(
    (entry, file): (&SystemEntry, &System),
    options: &Options<'_>,
) -> Vec<String> {
    let aside = SilentProgress(options.progress);
    let threads = options.threads;
    let mut options = Options { threads: 1, progress: &aside, ..options.clone() };
    let most = options.limits.max_states.unwrap_or(STATES_SOON).min(STATES_SOON);
    options.limits.max_states = Some(most);
    let worlds: Vec<&system::World> = file.worlds.iter().filter(|world| world.default).collect();
    let fails = parallel_map(threads, &worlds, |world, _| match entry.run(file, world, &options) {
        Ok(result) => failures(&result),
        Err(refusal) => vec![format!("{}/{}: {refusal}", file.name, world.name)],
    });
    fails.into_iter().flatten().collect()
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

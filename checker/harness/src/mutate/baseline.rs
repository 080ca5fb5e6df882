//! The systems' default worlds without any change, recorded.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use turnstile_spec::system::{self, System};
use turnstile_step::RowOutcome;

use super::parallel::{SilentProgress, parallel_map_beside};
use super::recorded::{NotRecorded, RecordedWorld};
use crate::all_worlds::all_worlds;
use crate::coverage::coverage;
use crate::options::Options;
use crate::registry::{SystemEntry, Systems};
use crate::result::{PropertyReport, ResultReport};
use crate::status::Status;

/// The states of the worlds that are judged together, and of those that are recorded beside them.
/// A state takes up to 500 bytes.
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
    queue: Mutex<Queue>,
    /// The worlds that the limits do not allow to search.
    pub(super) unrecorded: Vec<usize>,
    /// The outcomes of rows so far.
    taken: BTreeSet<RowOutcome>,
    /// Whether the properties hold so far.
    holds: bool,
    /// Why worlds cannot be searched.
    refused: Vec<String>,
}

/// The default worlds of a system on their way to be judged, by index, in order.
#[derive(Default)]
struct Queue {
    /// The first that is not judged.
    first: usize,
    /// The first that no thread records.
    next: usize,
    /// Those recorded and not judged.
    recorded: BTreeMap<usize, Result<RecordedWorld, NotRecorded>>,
}

impl Queue {
    /// The end of the next ones to judge: together they have [`STATES_AT_ONCE`], or are the last.
    fn end(&self, all: usize) -> Option<usize> {
        let mut states = 0;
        let mut end = self.first;
        while end < all && states < STATES_AT_ONCE {
            states += states_of(self.recorded.get(&end)?);
            end += 1;
        }
        Some(end)
    }

    /// Whether as many are recorded as fit into memory.
    fn is_full(&self) -> bool {
        self.recorded.values().map(states_of).sum::<usize>() >= STATES_AT_ONCE
    }
}

fn states_of(recorded: &Result<RecordedWorld, NotRecorded>) -> usize {
    recorded.as_ref().map_or(0, RecordedWorld::states)
}

impl<'a> Baselines<'a> {
    /// The systems of these files.
    #[must_use]
    pub fn new(systems: Systems, files: &'a [System]) -> Self {
        Self { systems, files }
    }

    /// Whether the systems that run two machines are the same.
    #[must_use]
    pub fn are_of_the_same(&self, one: &str, other: &str) -> bool {
        let names = |machine| self.of(machine).into_iter().map(|(entry, _)| entry.name);
        names(one).eq(names(other)) && names(one).next().is_some()
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
            default,
            queue: Mutex::default(),
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
        let all = self.worlds();
        let left = all - self.queue().first;
        if left == 0 || !self.holds || !self.refused.is_empty() {
            return None;
        }
        let Self { file, options, .. } = *self;
        options.progress.message(&format!("{}: {left} worlds left, unchanged", file.name));
        let this = &*self;
        let records = |_: &()| while this.queue().end(all).is_none() && this.record_next() {};
        parallel_map_beside(options.threads, &vec![(); options.threads], records, || false);
        let some: Vec<_> = {
            let mut queue = self.queue();
            let end = queue.end(all).expect("as many are recorded");
            let first = std::mem::replace(&mut queue.first, end);
            (first..end).filter_map(|at| Some((at, queue.recorded.remove(&at)?))).collect()
        };
        let mut worlds = Vec::new();
        for (at, recorded) in some {
            let place = self.default[at];
            let name = || format!("{}/{}", file.name, file.worlds[place].name);
            match recorded {
                Ok(world) => {
                    self.holds &= world.holds;
                    self.taken.extend(world.taken.iter().copied());
                    worlds.push(world);
                }
                Err(NotRecorded::Limit) => self.unrecorded.push(place),
                Err(NotRecorded::Impure) => {
                    self.refused.push(format!("{}: a core is not pure", name()));
                }
                Err(NotRecorded::Refused(refusal)) => {
                    self.refused.push(format!("{}: {refusal}", name()));
                }
            }
        }
        worlds.sort_by_key(|world| (world.states(), world.place));
        (self.holds && self.refused.is_empty()).then_some(worlds)
    }

    /// Records a further world, on this thread; false: there is none, or it does not fit into
    /// memory.
    pub(super) fn record_next(&self) -> bool {
        let at = {
            let mut queue = self.queue();
            if queue.next == self.worlds() || queue.is_full() {
                return false;
            }
            queue.next += 1;
            queue.next - 1
        };
        let (place, file) = (self.default[at], self.file);
        let aside = SilentProgress(self.options.progress);
        let mut options = Options { threads: 1, progress: &aside, ..self.options.clone() };
        options.tables.iter_mut().for_each(|table| table.merges_choices = true);
        let world = (place, &file.worlds[place]);
        let recorded = RecordedWorld::new((self.entry, file), world, &options);
        self.queue().recorded.insert(at, recorded);
        true
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What fails, in words, once every world is recorded or one fails.
    pub(super) fn failing(&self) -> Vec<String> {
        let Self { entry, file, options, .. } = *self;
        let is_covered = self.queue().first < self.worlds()
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

//! The mutants of a table in the worlds of a system, until a check fails.
//!
//! A world is recorded once, and a mutant judged by the operations that read what it changes: none
//! or equal outcomes, and it survives the world without a search. Mutants with equal outcomes are
//! judged as one. What a recording cannot judge is searched from nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use turnstile_search::bounds::{Limits, StopCondition};
use turnstile_search::variants::VariantOutcome;
use turnstile_spec::system::System;
use turnstile_spec::table::Table;
use turnstile_step::RowOutcome;
use turnstile_world::parts::Tag;

use super::baseline::{Baseline, bad};
use super::change::Mutant;
use super::changed_parts::changed_parts;
use super::judged_table::Judge;
use super::recorded::{Effect, MutantWorld, RecordedWorld};
use super::report::Floor;
use crate::check::{CheckOutput, check};
use crate::options::Options;
use crate::parallel::{SilentProgress, parallel_map};
use crate::registry::SystemEntry;
use crate::results::coverage::coverage;
use crate::results::observations::taken;
use crate::tables::reads::Read;

/// The bound of a mutant's search from nothing: this factor times the states of the unchanged
/// table, plus this number of states. A larger search is truncated.
const GROWTH: (u64, u64) = (5, 20_000);

/// The result of a mutant in the systems.
#[derive(Clone, Debug, Default)]
pub(super) struct MutantStatus {
    pub(super) is_killed: bool,
    /// No property kills it: the worlds together do not take every row.
    pub(super) is_by_coverage: bool,
    /// A search was truncated.
    pub(super) is_truncated: bool,
    /// Some outcome differs in some world.
    pub(super) differs: bool,
    /// The outcomes of rows that are sure in the worlds of the current system.
    taken: BTreeSet<RowOutcome>,
    /// The state graphs of its own that were searched to their end.
    graphs: BTreeMap<Graph, usize>,
}

/// A state graph that differs from the recorded one: a world's number, and a digest of how.
type Graph = (usize, [u64; 2]);

/// The result of a mutant in one world.
enum WorldOutcome {
    Killed,
    Truncated,
    /// No outcome differs.
    Unchanged(BTreeSet<RowOutcome>),
    /// With the digest of what differs of the state graph, if something does.
    Survives(BTreeSet<RowOutcome>, Option<[u64; 2]>),
}

/// A table, with its mutants.
pub(super) struct TableMutants<'j> {
    pub(super) judge: &'j Judge<'j>,
    pub(super) mutants: &'j [Mutant],
    pub(super) statuses: &'j mut [MutantStatus],
    pub(super) floor: &'j mut Floor,
}

/// The mutants of a table in the worlds of a system.
struct InWorlds<'j> {
    judge: &'j Judge<'j>,
    entry: &'j SystemEntry,
    file: &'j System,
    mutants: &'j [Mutant],
    changed: Vec<ChangedTable>,
    statuses: Mutex<&'j mut [MutantStatus]>,
}

/// A table of a mutant.
struct ChangedTable {
    table: Arc<Table>,
    /// What differs.
    reads: BTreeSet<Read>,
}

/// A mutant that is not killed, by index, with the outcomes of rows known so far.
type Open = (usize, BTreeSet<RowOutcome>);

/// The judgement of a mutant by a recording, `None` if it is to be searched from nothing; and the
/// digest of its own state graph, if it has one.
type Judged = (usize, Option<VariantOutcome<Tag>>, Option<[u64; 2]>);

/// Mutants that change a world, by index.
type Changed = Vec<(usize, Box<MutantWorld>)>;

/// Mutants in groups of equal outcomes.
fn groups(changed: Changed) -> Vec<Changed> {
    let mut groups: Vec<Changed> = Vec::new();
    let mut known: BTreeMap<[u64; 2], usize> = BTreeMap::new();
    for (at, world) in changed {
        let next = groups.len();
        let digest = world.digest();
        let group = digest.map_or(next, |digest| *known.entry(digest).or_insert(next));
        if group == next {
            groups.push(Vec::new());
        }
        groups[group].push((at, world));
    }
    groups
}

/// Runs the surviving mutants of some tables in every default world of a system that runs them
/// all, and says what fails in it without any change: then the mutants are not judged.
///
/// Worlds are judged side by side: a mutant that one of them kills may be searched in another one,
/// too. The results are the same.
pub(super) fn in_system(
    (entry, file): (&SystemEntry, &System),
    options: &Options<'_>,
    tables: &mut [TableMutants<'_>],
) -> Vec<String> {
    let baseline = Baseline::new((entry, file), options);
    let shared = tables.iter_mut().map(|table| InWorlds::new(table, (entry, file)));
    let shared: Vec<InWorlds<'_>> = shared.collect();
    baseline.each_recorded(|recorded, nth, threads| {
        for table in &shared {
            let open = table.open();
            table.say(recorded, (nth, baseline.worlds()), open.len());
            table.note(nth, recorded, table.recorded(recorded, open, threads));
        }
    });
    let fails = baseline.failing();
    let unrecorded = baseline.unrecorded();
    for table in shared.iter().filter(|_| fails.is_empty()) {
        for &place in &unrecorded {
            table.unrecorded(place);
        }
        if unrecorded.len() < baseline.worlds() {
            table.coverage();
        }
    }
    drop(shared);
    tables.iter_mut().for_each(|table| *table.floor += floor(table.statuses));
    fails
}

/// The distinct state graphs of mutants that no property kills.
fn floor(statuses: &[MutantStatus]) -> Floor {
    let survivors = statuses.iter().filter(|status| !status.is_killed || status.is_by_coverage);
    let graphs: BTreeMap<&Graph, &usize> = survivors.flat_map(|one| &one.graphs).collect();
    Floor { searches: graphs.len(), states: graphs.into_values().sum() }
}

impl<'j> InWorlds<'j> {
    fn new(table: &'j mut TableMutants<'_>, (entry, file): (&'j SystemEntry, &'j System)) -> Self {
        let TableMutants { judge, mutants, ref mut statuses, .. } = *table;
        for status in statuses.iter_mut() {
            status.taken.clear();
            status.graphs.clear();
        }
        let before = &judge.sound.table;
        let changed = mutants.iter().map(|mutant| {
            let table = mutant.edit.table(before);
            let of = &judge.sound.vocabulary;
            let reads = changed_parts(&mutant.edit, of, (before, &table));
            ChangedTable { table: Arc::new(table), reads }
        });
        let changed = changed.collect();
        Self { judge, entry, file, mutants, changed, statuses: Mutex::new(statuses) }
    }

    fn statuses(&self) -> MutexGuard<'_, &'j mut [MutantStatus]> {
        self.statuses.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The mutants that are not killed.
    fn open(&self) -> Vec<Open> {
        let statuses = self.statuses();
        let alive = statuses.iter().enumerate().filter(|(_, status)| !status.is_killed);
        alive.map(|(at, status)| (at, status.taken.clone())).collect()
    }

    fn say(&self, recorded: &RecordedWorld, (nth, all): (usize, usize), open: usize) {
        let Self { judge, file, mutants, .. } = self;
        judge.options.progress.message(&format!(
            "{}: {open} of {} mutants alive, searching {}/{} (world {} of {all})",
            judge.sound.vocabulary.machine,
            mutants.len(),
            file.name,
            file.worlds[recorded.place].name,
            nth + 1,
        ));
    }

    /// Takes the results of a world.
    fn note(&self, nth: usize, recorded: &RecordedWorld, outcomes: Vec<(usize, WorldOutcome)>) {
        let mut statuses = self.statuses();
        for (at, outcome) in outcomes {
            let status = &mut statuses[at];
            match outcome {
                WorldOutcome::Killed => status.is_killed = true,
                WorldOutcome::Truncated => status.is_truncated = true,
                WorldOutcome::Unchanged(taken) => status.taken.extend(taken),
                WorldOutcome::Survives(taken, graph) => {
                    status.taken.extend(taken);
                    status.differs = true;
                    if let Some(digest) = graph {
                        status.graphs.insert((nth, digest), recorded.states());
                    }
                }
            }
        }
    }

    /// Runs mutants in a recorded world.
    fn recorded(
        &self,
        recorded: &RecordedWorld,
        open: Vec<Open>,
        threads: usize,
    ) -> Vec<(usize, WorldOutcome)> {
        let (mut outcomes, searched) = match self.judge.does_reuse {
            true => self.judge_by(recorded, &open, threads),
            false => (Vec::new(), open.into_iter().map(|(at, _)| at).collect()),
        };
        let found = parallel_map(threads, &searched, |&at, threads| {
            self.search(recorded.place, Some(recorded.states()), at, threads)
        });
        outcomes.extend(searched.into_iter().zip(found));
        outcomes
    }

    /// Searches a world that is not recorded: it may kill mutants, and leaves the others open.
    fn unrecorded(&self, place: usize) {
        let open = self.open();
        let found = parallel_map(self.judge.options.threads, &open, |&(at, _), threads| {
            self.search(place, None, at, threads)
        });
        let mut statuses = self.statuses();
        for ((at, _), outcome) in open.into_iter().zip(found) {
            statuses[at].is_killed = matches!(outcome, WorldOutcome::Killed);
            statuses[at].is_truncated = true;
        }
    }

    /// Judges mutants by a recording; returns those that have to be searched from nothing, too.
    fn judge_by(
        &self,
        recorded: &RecordedWorld,
        open: &[Open],
        threads: usize,
    ) -> (Vec<(usize, WorldOutcome)>, Vec<usize>) {
        let effects = parallel_map(threads, open, |&(at, _), _| self.effect(recorded, at));
        let (mut outcomes, mut searched, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        for (&(at, _), effect) in open.iter().zip(effects) {
            match effect {
                Effect::None => {
                    outcomes.push((at, WorldOutcome::Unchanged(recorded.taken.clone())));
                }
                Effect::Refused => outcomes.push((at, WorldOutcome::Truncated)),
                Effect::Unknown => searched.push(at),
                Effect::Changes(world) => changed.push((at, world)),
            }
        }
        for (at, judgement, graph) in self.judge_changed(recorded, changed, open, threads) {
            match judgement {
                None => searched.push(at),
                Some(VariantOutcome::Fails) => outcomes.push((at, WorldOutcome::Killed)),
                Some(VariantOutcome::Open) => outcomes.push((at, WorldOutcome::Truncated)),
                Some(VariantOutcome::Holds { tags }) => {
                    outcomes.push((at, WorldOutcome::Survives(taken(tags), graph)));
                }
            }
        }
        (outcomes, searched)
    }

    /// Judges mutants that change something. Of those with equal outcomes one is judged, then those
    /// of the others for which its new operations differ.
    fn judge_changed(
        &self,
        recorded: &RecordedWorld,
        changed: Changed,
        open: &[Open],
        threads: usize,
    ) -> Vec<Judged> {
        let known: BTreeMap<usize, &BTreeSet<RowOutcome>> =
            open.iter().map(|(at, taken)| (*at, taken)).collect();
        let mut outcomes = Vec::new();
        let mut groups = groups(changed);
        while !groups.is_empty() {
            let judge = |group: &Changed, _| {
                let aside = SilentProgress(self.judge.options.progress);
                let is_wanted =
                    |row: &RowOutcome| group.iter().any(|(at, _)| !known[at].contains(row));
                let first = recorded.judge(&group[0].1, &is_wanted, &aside);
                let others = group[1..].iter();
                let is_of: Vec<bool> =
                    others.map(|(_, other)| first.is_of(recorded, other)).collect();
                (first.outcome(), is_of)
            };
            let judged = parallel_map(threads, &groups, judge);
            let mut rest = Vec::new();
            for (group, (outcome, is_of)) in groups.into_iter().zip(judged) {
                let of_graph =
                    group[0].1.graph().map(|digest| digest.unwrap_or([group[0].0 as u64; 2]));
                let mut others = Vec::new();
                for ((at, world), is_of) in
                    group.into_iter().zip(std::iter::once(true).chain(is_of))
                {
                    match is_of {
                        true => outcomes.push((at, outcome.clone(), of_graph)),
                        false => others.push((at, world)),
                    }
                }
                rest.extend((!others.is_empty()).then_some(others));
            }
            groups = rest;
        }
        outcomes
    }

    fn effect(&self, recorded: &RecordedWorld, at: usize) -> Effect {
        let ChangedTable { table, reads } = &self.changed[at];
        let named = &self.file.worlds[recorded.place];
        recorded.effect(reads, || {
            let mut options = self.judge.options(Arc::clone(table));
            options.tables.iter_mut().for_each(|table| table.merges_choices = true);
            self.entry.world(self.file, named, &options)
        })
    }

    /// Searches one world of a mutant from nothing.
    fn search(
        &self,
        place: usize,
        states: Option<usize>,
        at: usize,
        threads: usize,
    ) -> WorldOutcome {
        let aside = SilentProgress(self.judge.options.progress);
        if self.judge.options.progress.is_stopped() {
            return WorldOutcome::Truncated;
        }
        let bound = |states| (states as u64).saturating_mul(GROWTH.0).saturating_add(GROWTH.1);
        let asked = self.judge.options.limits.max_states;
        let most = asked.into_iter().chain(states.map(bound)).min();
        let options = self.judge.options(Arc::clone(&self.changed[at].table));
        let options = Options {
            threads,
            limits: Limits { max_states: most, ..options.limits },
            until: StopCondition::AnyFailure,
            progress: &aside,
            ..options
        };
        let named = &self.file.worlds[place];
        let Ok(world) = self.entry.world(self.file, named, &options) else {
            return WorldOutcome::Truncated;
        };
        let names = (self.file.name.as_str(), named.name.as_str());
        let CheckOutput { result, taken } = check(&Arc::new(world), names, &options);
        if bad(&result).next().is_some() {
            WorldOutcome::Killed
        } else if result.complete && states.is_some() {
            WorldOutcome::Survives(taken, None)
        } else {
            // A mutant that cannot be searched is not killed.
            WorldOutcome::Truncated
        }
    }

    /// Kills the mutants of which the worlds together do not take every row.
    fn coverage(&self) {
        let mut statuses = self.statuses();
        let is_open = |status: &MutantStatus| !status.is_killed && !status.is_truncated;
        let open = statuses.iter_mut().enumerate().filter(|(_, status)| is_open(status));
        for (at, status) in open {
            let tables = self.judge.options(Arc::clone(&self.changed[at].table)).tables;
            let not_taken = coverage(&self.entry.tables, &tables, &status.taken).not_taken;
            status.is_killed = !not_taken.is_empty();
            status.is_by_coverage = status.is_killed;
        }
    }
}

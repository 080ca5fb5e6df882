//! The mutants of a table in the worlds of a system, until a check fails.
//!
//! A world is recorded once, and a mutant judged by the operations that read what it changes: none
//! or equal outcomes, and it survives the world without a search. Mutants with equal outcomes are
//! judged as one. What a recording cannot judge is searched from nothing.

use std::collections::{BTreeMap, BTreeSet};

use turnstile_search::bounds::{Limits, StopCondition};
use turnstile_search::interned::VariantOutcome;
use turnstile_spec::system::System;
use turnstile_step::RowOutcome;
use turnstile_world::parts::Tag;

use super::Floor;
use super::baseline::{Baseline, bad};
use super::change::Mutant;
use super::changed_parts::changed_parts;
use super::judge::Judge;
use super::parallel::{SilentProgress, parallel_map, parallel_map_beside};
use super::recorded::{Effect, MutantWorld, RecordedWorld};
use crate::check::{CheckOutput, check};
use crate::coverage::coverage;
use crate::observations::taken;
use crate::options::Options;
use crate::reads::Read;
use crate::registry::SystemEntry;

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
    /// The first world in which some outcome differs.
    pub(super) differs_in: Option<String>,
    /// The outcomes of rows that are sure in the worlds of the current system.
    taken: BTreeSet<RowOutcome>,
}

/// The result of a mutant in one world.
enum WorldOutcome {
    Killed,
    Truncated,
    /// No outcome differs.
    Unchanged(BTreeSet<RowOutcome>),
    Survives(BTreeSet<RowOutcome>),
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
    floor: Floor,
    /// What threads without a mutant to judge do: whether they did something.
    beside: &'j (dyn Fn() -> bool + Sync),
}

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
pub(super) fn in_system(
    (entry, file): (&SystemEntry, &System),
    options: &Options<'_>,
    tables: &mut [TableMutants<'_>],
) -> Vec<String> {
    let mut baseline = Baseline::new((entry, file), options);
    for table in tables.iter_mut() {
        table.statuses.iter_mut().for_each(|status| status.taken.clear());
    }
    let mut nth = 0;
    while let Some(some) = baseline.record() {
        let beside = || baseline.record_next();
        for recorded in &some {
            nth += 1;
            for table in tables.iter_mut() {
                let mut worlds = table.worlds((entry, file), &beside);
                worlds.say(recorded, nth, baseline.worlds(), table.statuses);
                worlds.recorded(recorded, table.statuses);
                *table.floor += worlds.floor;
            }
        }
    }
    let fails = baseline.failing();
    for table in tables.iter_mut().filter(|_| fails.is_empty()) {
        let worlds = table.worlds((entry, file), &|| false);
        for &place in &baseline.unrecorded {
            worlds.unrecorded(place, table.statuses);
        }
        if baseline.unrecorded.len() < baseline.worlds() {
            worlds.coverage(table.statuses);
        }
    }
    fails
}

impl<'j> TableMutants<'j> {
    fn worlds<'w>(
        &self,
        (entry, file): (&'w SystemEntry, &'w System),
        beside: &'w (dyn Fn() -> bool + Sync),
    ) -> InWorlds<'w>
    where
        'j: 'w,
    {
        let Self { judge, mutants, .. } = *self;
        InWorlds { judge, entry, file, mutants, floor: Floor::default(), beside }
    }
}

/// The indices of the mutants that are not killed.
fn alive(statuses: &[MutantStatus]) -> Vec<usize> {
    let alive = statuses.iter().enumerate().filter(|(_, status)| !status.is_killed);
    alive.map(|(at, _)| at).collect()
}

impl InWorlds<'_> {
    fn say(&self, recorded: &RecordedWorld, nth: usize, all: usize, statuses: &[MutantStatus]) {
        let Self { judge, file, mutants, .. } = self;
        judge.options.progress.message(&format!(
            "{}: {} of {} mutants alive, searching {}/{} (world {nth} of {all})",
            judge.sound.vocabulary.machine,
            alive(statuses).len(),
            mutants.len(),
            file.name,
            file.worlds[recorded.place].name,
        ));
    }

    /// Runs the surviving mutants in a recorded world.
    fn recorded(&mut self, recorded: &RecordedWorld, statuses: &mut [MutantStatus]) {
        let open = alive(statuses);
        let (mut outcomes, searched) = match self.judge.does_reuse {
            true => self.judge_by(recorded, &open, statuses),
            false => (Vec::new(), open),
        };
        let found = parallel_map(self.judge.options.threads, &searched, |&at, threads| {
            self.search(recorded.place, Some(recorded.states()), at, threads)
        });
        outcomes.extend(searched.into_iter().zip(found));
        for (at, outcome) in outcomes {
            match outcome {
                WorldOutcome::Killed => statuses[at].is_killed = true,
                WorldOutcome::Truncated => statuses[at].is_truncated = true,
                WorldOutcome::Unchanged(taken) => statuses[at].taken.extend(taken),
                WorldOutcome::Survives(taken) => {
                    statuses[at].taken.extend(taken);
                    let world = || self.file.worlds[recorded.place].name.clone();
                    statuses[at].differs_in.get_or_insert_with(world);
                }
            }
        }
    }

    /// Searches a world that is not recorded: it may kill mutants, and leaves the others open.
    fn unrecorded(&self, place: usize, statuses: &mut [MutantStatus]) {
        let open = alive(statuses);
        let found = parallel_map(self.judge.options.threads, &open, |&at, threads| {
            self.search(place, None, at, threads)
        });
        for (at, outcome) in open.into_iter().zip(found) {
            statuses[at].is_killed = matches!(outcome, WorldOutcome::Killed);
            statuses[at].is_truncated = true;
        }
    }

    /// Judges mutants by a recording; returns those that have to be searched from nothing, too.
    fn judge_by(
        &mut self,
        recorded: &RecordedWorld,
        open: &[usize],
        statuses: &[MutantStatus],
    ) -> (Vec<(usize, WorldOutcome)>, Vec<usize>) {
        let threads = self.judge.options.threads;
        let effects = parallel_map(threads, open, |&at, _| self.effect(recorded, at));
        let (mut outcomes, mut searched, mut changed) = (Vec::new(), Vec::new(), Vec::new());
        for (&at, effect) in open.iter().zip(effects) {
            match effect {
                Effect::None => {
                    outcomes.push((at, WorldOutcome::Unchanged(recorded.taken.clone())));
                }
                Effect::Refused => outcomes.push((at, WorldOutcome::Truncated)),
                Effect::Unknown => searched.push(at),
                Effect::Changes(world) => changed.push((at, world)),
            }
        }
        for (at, judgement) in self.judge_changed(recorded, changed, statuses) {
            match judgement {
                None => searched.push(at),
                Some(VariantOutcome::Fails) => outcomes.push((at, WorldOutcome::Killed)),
                Some(VariantOutcome::Open) => outcomes.push((at, WorldOutcome::Truncated)),
                Some(VariantOutcome::Holds { tags }) => {
                    outcomes.push((at, WorldOutcome::Survives(taken(tags))));
                }
            }
        }
        (outcomes, searched)
    }

    /// Judges mutants that change something. Of those with equal outcomes one is judged, then those
    /// of the others for which its new operations differ.
    fn judge_changed(
        &mut self,
        recorded: &RecordedWorld,
        changed: Changed,
        statuses: &[MutantStatus],
    ) -> Vec<(usize, Option<VariantOutcome<Tag>>)> {
        let threads = self.judge.options.threads;
        let mut outcomes = Vec::new();
        let mut groups = groups(changed);
        while !groups.is_empty() {
            let judge = |group: &Changed| {
                let aside = SilentProgress(self.judge.options.progress);
                let is_wanted = |row: &RowOutcome| {
                    group.iter().any(|(at, _)| !statuses[*at].taken.contains(row))
                };
                let first = recorded.judge(&group[0].1, &is_wanted, &aside);
                let others = group[1..].iter();
                let is_of: Vec<bool> =
                    others.map(|(_, other)| first.is_of(recorded, other)).collect();
                (first.outcome(), is_of)
            };
            let judged = parallel_map_beside(threads, &groups, judge, self.beside);
            let mut rest = Vec::new();
            for (group, (outcome, is_of)) in groups.into_iter().zip(judged) {
                let is_of_graph = group[0].1.changes.is_of_graph();
                if is_of_graph && matches!(outcome, Some(VariantOutcome::Holds { .. })) {
                    self.floor += Floor { searches: 1, states: recorded.states() };
                }
                let mut others = Vec::new();
                for ((at, world), is_of) in
                    group.into_iter().zip(std::iter::once(true).chain(is_of))
                {
                    match is_of {
                        true => outcomes.push((at, outcome.clone())),
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
        let (before, mutant) = (&self.judge.sound.table, &self.mutants[at]);
        let after = mutant.edit.table(before);
        let vocabulary = &self.judge.sound.vocabulary;
        let parts: BTreeSet<Read> = changed_parts(&mutant.edit, vocabulary, (before, &after));
        let named = &self.file.worlds[recorded.place];
        recorded.effect(parts, || {
            let mut options = self.judge.options(after);
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
        let options = self.judge.options(self.mutants[at].edit.table(&self.judge.sound.table));
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
        let CheckOutput { result, taken } = check(&std::sync::Arc::new(world), names, &options);
        if bad(&result).next().is_some() {
            WorldOutcome::Killed
        } else if result.complete && states.is_some() {
            WorldOutcome::Survives(taken)
        } else {
            // A mutant that cannot be searched is not killed.
            WorldOutcome::Truncated
        }
    }

    /// Kills the mutants of which the worlds together do not take every row.
    fn coverage(&self, statuses: &mut [MutantStatus]) {
        let open = alive(statuses).into_iter().filter(|at| !statuses[*at].is_truncated);
        let open: Vec<usize> = open.collect();
        let before: &[MutantStatus] = statuses;
        let results = parallel_map(self.judge.options.threads, &open, |&at, _| {
            let mutant = &self.mutants[at];
            let tables = self.judge.options(mutant.edit.table(&self.judge.sound.table)).tables;
            !coverage(self.entry.tables, &tables, &before[at].taken).not_taken.is_empty()
        });
        for (at, is_killed) in open.into_iter().zip(results) {
            statuses[at].is_killed = is_killed;
            statuses[at].is_by_coverage = is_killed;
        }
    }
}

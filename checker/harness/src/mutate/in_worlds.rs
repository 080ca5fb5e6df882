//! The mutants of a table in the worlds of a system, the smallest world first, until a check fails.
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
use super::parallel::{SilentProgress, parallel_map};
use super::recorded::{Effect, MutantWorld, RecordedWorld, WorldJudgement};
use crate::check::{CheckOutput, check};
use crate::coverage::coverage;
use crate::observations::taken;
use crate::options::{Options, Replacement};
use crate::reads::Read;
use crate::registry::SystemEntry;

/// The bound of a mutant's search from nothing: this factor times the states of the unchanged
/// table, plus this number of states. A larger search is truncated.
const GROWTH: (u64, u64) = (5, 20_000);

/// The result of a mutant in the systems.
#[derive(Clone, Debug, Default)]
pub(super) struct MutantStatus {
    pub(super) is_killed: bool,
    /// A search was truncated.
    pub(super) is_truncated: bool,
    /// The outcomes of rows that are sure in the worlds of the current system.
    taken: BTreeSet<RowOutcome>,
}

/// The result of a mutant in one world.
enum WorldOutcome {
    Killed,
    Truncated,
    Survives(BTreeSet<RowOutcome>),
}

/// A system with its recorded worlds.
struct InWorlds<'j> {
    judge: &'j Judge<'j>,
    entry: &'j SystemEntry,
    file: &'j System,
    mutants: &'j [Mutant],
}

impl Judge<'_> {
    /// Runs the surviving mutants in every default world of a system.
    pub(super) fn system(
        &self,
        (entry, file): (&SystemEntry, &System),
        unchanged: &Baseline,
        mutants: &[Mutant],
        statuses: &mut [MutantStatus],
    ) -> Floor {
        let worlds = InWorlds { judge: self, entry, file, mutants };
        for status in statuses.iter_mut() {
            status.taken.clear();
        }
        let mut floor = Floor::default();
        for (nth, recorded) in unchanged.worlds.iter().enumerate() {
            let open = statuses.iter().enumerate().filter(|(_, status)| !status.is_killed);
            let open: Vec<usize> = open.map(|(at, _)| at).collect();
            self.options.progress.message(&format!(
                "{}: {} of {} mutants alive, searching {}/{} (world {} of {})",
                self.sound.vocabulary.machine,
                open.len(),
                mutants.len(),
                file.name,
                file.worlds[recorded.place].name,
                nth + 1,
                unchanged.worlds.len(),
            ));
            for (at, outcome) in worlds.run(recorded, &open, &mut floor) {
                match outcome {
                    WorldOutcome::Killed => statuses[at].is_killed = true,
                    WorldOutcome::Truncated => statuses[at].is_truncated = true,
                    WorldOutcome::Survives(taken) => statuses[at].taken.extend(taken),
                }
            }
        }
        for &place in &unchanged.unrecorded {
            let open = statuses.iter().enumerate().filter(|(_, status)| !status.is_killed);
            let open: Vec<usize> = open.map(|(at, _)| at).collect();
            let found = parallel_map(self.options.threads, &open, |&at, threads| {
                worlds.search(place, None, at, threads)
            });
            for (at, outcome) in open.into_iter().zip(found) {
                statuses[at].is_killed = matches!(outcome, WorldOutcome::Killed);
                statuses[at].is_truncated = true;
            }
        }
        worlds.coverage(unchanged, statuses);
        floor
    }
}

impl InWorlds<'_> {
    /// Runs mutants in one world.
    fn run(
        &self,
        recorded: &RecordedWorld,
        open: &[usize],
        floor: &mut Floor,
    ) -> Vec<(usize, WorldOutcome)> {
        let threads = self.judge.options.threads;
        if !self.judge.does_reuse {
            let found = parallel_map(threads, open, |&at, threads| {
                self.search(recorded.place, Some(recorded.states()), at, threads)
            });
            return open.iter().copied().zip(found).collect();
        }
        let effects = parallel_map(threads, open, |&at, _| self.effect(recorded, at));
        let mut outcomes = Vec::new();
        let mut searched = Vec::new();
        let mut changed: Vec<(usize, Box<MutantWorld>)> = Vec::new();
        for (&at, effect) in open.iter().zip(effects) {
            match effect {
                Effect::None => {
                    outcomes.push((at, WorldOutcome::Survives(recorded.taken.clone())));
                }
                Effect::Refused => outcomes.push((at, WorldOutcome::Truncated)),
                Effect::Unknown => searched.push(at),
                Effect::Changes(world) => changed.push((at, world)),
            }
        }
        let judged = self.judge_changed(recorded, changed, floor);
        for (at, judgement) in judged {
            match judgement {
                None => searched.push(at),
                Some(VariantOutcome::Fails) => outcomes.push((at, WorldOutcome::Killed)),
                Some(VariantOutcome::Open) => outcomes.push((at, WorldOutcome::Truncated)),
                Some(VariantOutcome::Holds { tags }) => {
                    outcomes.push((at, WorldOutcome::Survives(taken(tags))));
                }
            }
        }
        let found = parallel_map(threads, &searched, |&at, threads| {
            self.search(recorded.place, Some(recorded.states()), at, threads)
        });
        outcomes.extend(searched.into_iter().zip(found));
        outcomes
    }

    /// Judges mutants that change something, those with equal outcomes as one.
    fn judge_changed(
        &self,
        recorded: &RecordedWorld,
        changed: Vec<(usize, Box<MutantWorld>)>,
        floor: &mut Floor,
    ) -> Vec<(usize, Option<VariantOutcome<Tag>>)> {
        let mut groups: Vec<Vec<(usize, Box<MutantWorld>)>> = Vec::new();
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
        let judged = parallel_map(self.judge.options.threads, &groups, |group, _| {
            let aside = SilentProgress(self.judge.options.progress);
            let first = recorded.judge(&group[0].1, &aside);
            // New operations that read what the mutants change may differ.
            let is_of_all =
                |judged: &WorldJudgement, world: &MutantWorld| !world.changes_any(&judged.read);
            let are_alike =
                group.len() == 1 || group.iter().all(|(_, world)| is_of_all(&first, world));
            let others = group.iter().skip(1).map(|(_, world)| match are_alike {
                true => first.clone(),
                false => recorded.judge(world, &aside),
            });
            std::iter::once(first.clone()).chain(others).map(|one| one.outcome).collect::<Vec<_>>()
        });
        for (group, judged) in groups.iter().zip(&judged) {
            let is_floor = group[0].1.changes.is_of_graph()
                && matches!(judged[0], Some(VariantOutcome::Holds { .. }));
            if is_floor {
                *floor += Floor { searches: 1, states: recorded.states() };
            }
        }
        let mutants = groups.into_iter().flatten().map(|(at, _)| at);
        mutants.zip(judged.into_iter().flatten()).collect()
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
    fn coverage(&self, unchanged: &Baseline, statuses: &mut [MutantStatus]) {
        if unchanged.worlds.is_empty() {
            return;
        }
        let open = statuses.iter().enumerate();
        let open = open.filter(|(_, status)| !status.is_killed && !status.is_truncated);
        let open: Vec<usize> = open.map(|(at, _)| at).collect();
        let before: &[MutantStatus] = statuses;
        let results = parallel_map(self.judge.options.threads, &open, |&at, threads| {
            let mutant = &self.mutants[at];
            let tables = self.judge.options(mutant.edit.table(&self.judge.sound.table)).tables;
            let mut taken = before[at].taken.clone();
            let mut worlds = unchanged.worlds.iter();
            // Rows that are not sure to be taken are looked for from nothing.
            while !self.takes_every_row(&tables, &taken) {
                let Some(recorded) = worlds.next() else { return true };
                match self.search(recorded.place, Some(recorded.states()), at, threads) {
                    WorldOutcome::Killed => return true,
                    WorldOutcome::Truncated => {}
                    WorldOutcome::Survives(more) => taken.extend(more),
                }
            }
            false
        });
        for (at, is_killed) in open.into_iter().zip(results) {
            statuses[at].is_killed = is_killed;
        }
    }

    fn takes_every_row(&self, tables: &[Replacement], taken: &BTreeSet<RowOutcome>) -> bool {
        coverage(self.entry.tables, tables, taken).not_taken.is_empty()
    }
}

//! Each mutant of a table at three levels: the reader's lint, the table level, and the worlds of
//! every system that runs it, the smallest first.

use std::collections::BTreeMap;

use turnstile_search::bounds::{Limits, StopCondition};
use turnstile_spec::system::System;
use turnstile_spec::table::RowId;
use turnstile_spec::{AmendedTable, WrittenTable};

use super::baseline::{Baseline, BaselineWorld, Baselines, bad, failures};
use super::change::Mutant;
use super::parallel::{SilentProgress, parallel_map};
use super::{KilledBy, MutationReport, Survivor, mutants};
use crate::fault::FaultReport;
use crate::options::{Options, Replacement};
use crate::registry::SystemEntry;
use crate::result::{RowCoverage, RowRef};
use crate::table;

/// The bound of a mutant's search: this factor times the states of the unchanged table, plus this
/// number of states. A larger search is truncated.
const GROWTH: (u64, u64) = (4, 20_000);

/// The result of a mutant in the systems.
#[derive(Clone, Debug, Default)]
struct MutantStatus {
    is_killed: bool,
    /// A search was truncated.
    is_truncated: bool,
    /// The rows that the worlds of the current system have taken so far.
    by_row: BTreeMap<RowRef, RowCoverage>,
}

/// The result of a mutant by lint and at the table level.
struct LocalChecks {
    lint: bool,
    table: bool,
    /// The table level's search was truncated.
    is_truncated: bool,
}

/// The result of a mutant in one world.
enum WorldOutcome {
    Killed,
    Truncated,
    Survives(BTreeMap<RowRef, RowCoverage>),
}

struct Judge<'a> {
    literal: &'a WrittenTable,
    sound: &'a AmendedTable,
    options: &'a Options<'a>,
}

/// Judges every mutant of an amended table. The other machines run the tables of the options.
#[must_use]
pub fn mutate(
    literal: &WrittenTable,
    sound: &AmendedTable,
    systems: &mut Baselines<'_>,
    options: &Options<'_>,
) -> MutationReport {
    let machine = sound.vocabulary.machine.as_str();
    let mutants = mutants(&sound.vocabulary, &sound.table);
    let mut mutated = MutationReport {
        name: machine.to_owned(),
        mutants: mutants.len(),
        ..MutationReport::default()
    };
    let judge = Judge { literal, sound, options };
    let alone = judge.alone(&mutants, &mut mutated.fails);
    let all = systems.of(machine);
    let mut statuses = vec![MutantStatus::default(); mutants.len()];
    if all.is_empty() {
        // Then the table level decides.
        for (status, alone) in statuses.iter_mut().zip(&alone) {
            (status.is_killed, status.is_truncated) = (alone.table, alone.is_truncated);
        }
    }
    for (entry, file) in &all {
        let unchanged = systems.unchanged((entry, file), options);
        mutated.systems.push(unchanged.name.clone());
        mutated.fails.extend(unchanged.fails.iter().cloned());
        if mutated.fails.is_empty() {
            judge.system((entry, file), unchanged, &mutants, &mut statuses);
        }
    }
    if !mutated.fails.is_empty() {
        return mutated;
    }
    let killed = statuses.iter().filter(|status| status.is_killed).count();
    mutated.killed_by = KilledBy {
        lint: alone.iter().filter(|alone| alone.lint).count(),
        table: alone.iter().filter(|alone| alone.table).count(),
        system: if all.is_empty() { 0 } else { killed },
    };
    for (mutant, status) in mutants.iter().zip(&statuses).filter(|(_, status)| !status.is_killed) {
        let list =
            if status.is_truncated { &mut mutated.incomplete } else { &mut mutated.survivors };
        list.push(judge.survivor(mutant));
    }
    mutated.faults = judge.stale(&mutants, &mutated);
    mutated
}

impl Judge<'_> {
    /// The results by lint and at the table level.
    fn alone(&self, mutants: &[Mutant], fails: &mut Vec<String>) -> Vec<LocalChecks> {
        let AmendedTable { vocabulary, table, .. } = self.sound;
        let aside = SilentProgress(self.options.progress);
        let options = Options { progress: &aside, ..self.options.clone() };
        self.options.progress.message(&format!(
            "{}: {} mutants",
            vocabulary.machine,
            mutants.len()
        ));
        fails.extend(failures(&table::check(vocabulary, table, &options)));
        parallel_map(options.threads, mutants, |mutant, _| {
            if options.bound(0).is_some() {
                return LocalChecks { lint: false, table: false, is_truncated: true };
            }
            let changed = mutant.edit.table(table);
            let result = table::check(vocabulary, &changed, &options);
            LocalChecks {
                lint: !self.literal.lint(&changed).is_empty(),
                table: bad(&result).next().is_some(),
                is_truncated: !result.complete,
            }
        })
    }

    /// Runs the surviving mutants in every default world of a system.
    fn system(
        &self,
        (entry, file): (&SystemEntry, &System),
        unchanged: &Baseline,
        mutants: &[Mutant],
        statuses: &mut [MutantStatus],
    ) {
        for status in statuses.iter_mut() {
            status.by_row.clear();
        }
        for (nth, searched) in unchanged.worlds.iter().enumerate() {
            let world = &file.worlds[searched.place].name;
            let mut open = Vec::new();
            for (at, status) in
                statuses.iter_mut().enumerate().filter(|(_, status)| !status.is_killed)
            {
                if self.is_as_before(&mutants[at], searched) {
                    merge(&mut status.by_row, &searched.by_row);
                } else {
                    open.push(at);
                }
            }
            self.options.progress.message(&format!(
                "{}: {} of {} mutants alive, searching {}/{world} (world {} of {})",
                self.sound.vocabulary.machine,
                open.len(),
                mutants.len(),
                file.name,
                nth + 1,
                unchanged.worlds.len(),
            ));
            let tried = parallel_map(self.options.threads, &open, |at, threads| {
                self.world((entry, file), searched, &mutants[*at], threads)
            });
            for (at, tried) in open.into_iter().zip(tried) {
                match tried {
                    WorldOutcome::Killed => statuses[at].is_killed = true,
                    WorldOutcome::Truncated => statuses[at].is_truncated = true,
                    WorldOutcome::Survives(by_row) => merge(&mut statuses[at].by_row, &by_row),
                }
            }
        }
        // The worlds of a system together must take every row.
        for status in statuses.iter_mut().filter(|status| !status.is_truncated) {
            status.is_killed |=
                status.by_row.values().any(|reached| *reached == RowCoverage::NotTaken);
        }
    }

    /// Whether no trace of a world takes a row that the mutant changes.
    fn is_as_before(&self, mutant: &Mutant, searched: &BaselineWorld) -> bool {
        let AmendedTable { vocabulary, .. } = self.sound;
        let is_taken = |taker: &RowId| {
            let machine = vocabulary.machine.clone();
            let row = RowRef { machine, id: vocabulary.rows[taker.index()].id.clone() };
            searched.by_row.get(&row) == Some(&RowCoverage::Taken)
        };
        searched.is_complete && !mutant.takers.is_empty() && !mutant.takers.iter().any(is_taken)
    }

    /// Runs one mutant in one world.
    fn world(
        &self,
        (entry, file): (&SystemEntry, &System),
        searched: &BaselineWorld,
        mutant: &Mutant,
        threads: usize,
    ) -> WorldOutcome {
        if self.options.progress.is_stopped() {
            return WorldOutcome::Truncated;
        }
        let aside = SilentProgress(self.options.progress);
        let replaced = Replacement {
            vocabulary: self.sound.vocabulary.clone(),
            table: mutant.edit.table(&self.sound.table),
            source: self.literal.source.clone(),
        };
        let others = self.options.tables.iter().cloned();
        let most = searched.states.saturating_mul(GROWTH.0).saturating_add(GROWTH.1);
        let asked = self.options.limits.max_states;
        let most = asked.map_or(most, |asked| asked.min(most));
        let options = Options {
            threads,
            tables: std::iter::once(replaced).chain(others).collect(),
            limits: Limits { max_states: Some(most), ..self.options.limits },
            until: StopCondition::AnyFailure,
            progress: &aside,
            ..self.options.clone()
        };
        match entry.run(file, &file.worlds[searched.place], &options) {
            Ok(result) if bad(&result).next().is_some() => WorldOutcome::Killed,
            Ok(result) if result.complete && searched.is_complete => {
                WorldOutcome::Survives(result.coverage.by_row)
            }
            // A mutant that cannot be searched is not killed.
            Ok(_) | Err(_) => WorldOutcome::Truncated,
        }
    }

    /// A survivor, with the table's reason: that under `survivors`, or why the row is waived.
    fn survivor(&self, mutant: &Mutant) -> Survivor {
        let Mutant { row, change, id, .. } = mutant;
        let mut said = self.literal.survivors.iter();
        let said = said.find(|said| (&said.row, &said.change) == (row, change));
        let rows = &self.sound.vocabulary.rows;
        let excused = || id.and_then(|id| rows[id.index()].waived.clone());
        let explained = said.map(|said| said.because.clone()).or_else(excused);
        Survivor { row: row.clone(), change: change.clone(), explained }
    }

    /// Diagnostics of entries under `survivors` that match no survivor.
    fn stale(&self, mutants: &[Mutant], mutated: &MutationReport) -> Vec<FaultReport> {
        let alive = || mutated.survivors.iter().chain(&mutated.incomplete);
        let mut faults = Vec::new();
        for said in &self.literal.survivors {
            if alive().any(|one| (&one.row, &one.change) == (&said.row, &said.change)) {
                continue;
            }
            let is_made =
                mutants.iter().any(|one| (&one.row, &one.change) == (&said.row, &said.change));
            let (row, change) = (&said.row, &said.change);
            let what = match is_made {
                true => format!("`{row}`, {change}: this mutant is killed"),
                false => format!("`{row}`, {change}: there is no such mutant"),
            };
            faults.push(FaultReport::no_survivor(&self.literal.source, said.span, &what));
        }
        faults
    }
}

/// The combined coverage of several worlds.
fn merge(into: &mut BTreeMap<RowRef, RowCoverage>, more: &BTreeMap<RowRef, RowCoverage>) {
    for (row, reached) in more {
        let most = into.entry(row.clone()).or_insert(*reached);
        *most = (*most).min(*reached);
    }
}

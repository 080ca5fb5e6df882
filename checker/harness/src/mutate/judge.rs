//! Each mutant of a table at three levels: the reader's lint, the table level, and the worlds of
//! every system that runs it ([`in_worlds`](super::in_worlds)).

use turnstile_spec::system::System;
use turnstile_spec::versions::ExplainedMutant;
use turnstile_spec::{AmendedTable, WrittenTable};

use super::baseline::{Baselines, bad, failing_soon, failures};
use super::change::Mutant;
use super::every::{Only, mutants};
use super::in_worlds::{self, MutantStatus, TableMutants};
use super::judged_table::Judge;
use super::report::{KilledBy, MutationReport, Survivor};
use crate::options::{Options, Replacement};
use crate::parallel::{SilentProgress, parallel_map};
use crate::results::fault::FaultReport;
use crate::table;

/// The result of a mutant by lint and at the table level.
struct LocalChecks {
    lint: bool,
    table: bool,
    /// The table level's search was truncated.
    is_truncated: bool,
}

/// Judges mutants of an amended table. The other machines run the tables of the options.
#[must_use]
pub fn mutate(
    table: (&WrittenTable, &AmendedTable),
    only: &Only,
    systems: &Baselines<'_>,
    options: &Options<'_>,
) -> MutationReport {
    let mut reports = mutate_all(&[table], only, systems, options);
    reports.pop().expect("one for each table")
}

/// Judges mutants of amended tables that the same systems run: their worlds are recorded once for
/// all of them.
#[must_use]
pub fn mutate_all(
    tables: &[(&WrittenTable, &AmendedTable)],
    only: &Only,
    systems: &Baselines<'_>,
    options: &Options<'_>,
) -> Vec<MutationReport> {
    reports(tables, (only, true), systems, options)
}

/// The same for one table, with a search from nothing for each mutant in each world: to compare
/// with.
#[must_use]
pub fn mutate_from_nothing(
    table: (&WrittenTable, &AmendedTable),
    only: &Only,
    systems: &Baselines<'_>,
    options: &Options<'_>,
) -> MutationReport {
    let mut reports = reports(&[table], (only, false), systems, options);
    reports.pop().expect("one for each table")
}

/// The results of tables that the same systems run.
fn reports(
    tables: &[(&WrittenTable, &AmendedTable)],
    (only, does_reuse): (&Only, bool),
    systems: &Baselines<'_>,
    options: &Options<'_>,
) -> Vec<MutationReport> {
    // The unchanged tables as data, too: so what they compute is noted.
    let unchanged = tables.iter().map(|(literal, sound)| {
        let AmendedTable { vocabulary, table, .. } = sound;
        Replacement::new(vocabulary.clone(), table.clone(), literal.source.clone())
    });
    let all = unchanged.chain(options.tables.iter().cloned()).collect();
    let options = &Options { tables: all, ..options.clone() };
    let first = tables.first().map(|(_, sound)| sound.vocabulary.machine.as_str());
    let running = first.map(|machine| systems.of(machine)).unwrap_or_default();
    let fails: Vec<String> = running.iter().flat_map(|one| failing_soon(*one, options)).collect();
    let judge = |&(literal, sound)| {
        TableReport::new(Judge { literal, sound, options, does_reuse, only }, fails.clone())
    };
    let mut reports: Vec<TableReport<'_>> = tables.iter().map(judge).collect();
    if running.is_empty() {
        reports.iter_mut().for_each(TableReport::decide_alone);
    }
    for (entry, file) in running {
        let open = reports.iter_mut().filter(|one| one.report.fails.is_empty());
        let mut open: Vec<TableMutants<'_>> = open.map(|one| one.mutants_in(file)).collect();
        if open.is_empty() {
            break;
        }
        let fails = in_worlds::in_system((entry, file), options, &mut open);
        let tried = reports.iter_mut().filter(|one| one.report.fails.is_empty());
        tried.for_each(|one| one.report.fails.clone_from(&fails));
    }
    reports.into_iter().map(TableReport::finish).collect()
}

/// The result of a table while its mutants are judged.
struct TableReport<'a> {
    judge: Judge<'a>,
    /// Every mutant, even if only some are judged.
    all: Vec<Mutant>,
    mutants: Vec<Mutant>,
    alone: Vec<LocalChecks>,
    statuses: Vec<MutantStatus>,
    report: MutationReport,
}

impl<'a> TableReport<'a> {
    /// With the results by lint and at the table level.
    fn new(judge: Judge<'a>, fails: Vec<String>) -> Self {
        let all = mutants(&judge.sound.vocabulary, &judge.sound.table);
        let mutants: Vec<Mutant> =
            all.iter().filter(|mutant| judge.only.takes(mutant)).cloned().collect();
        let mut report = MutationReport {
            name: judge.sound.vocabulary.machine.clone(),
            mutants: mutants.len(),
            fails,
            ..MutationReport::default()
        };
        let alone = judge.alone(&mutants, &mut report.fails);
        let statuses = vec![MutantStatus::default(); mutants.len()];
        Self { judge, all, mutants, alone, statuses, report }
    }

    /// Takes the results of the table level: no system runs the machine.
    fn decide_alone(&mut self) {
        for (status, alone) in self.statuses.iter_mut().zip(&self.alone) {
            (status.is_killed, status.is_truncated) = (alone.table, alone.is_truncated);
        }
    }

    /// The mutants, to be judged in a system.
    fn mutants_in(&mut self, file: &System) -> TableMutants<'_> {
        let Self { judge, mutants, statuses, report, .. } = self;
        report.systems.push(file.name.clone());
        TableMutants { judge, mutants, statuses, floor: &mut report.floor }
    }

    fn finish(self) -> MutationReport {
        let Self { judge, all, mutants, alone, statuses, mut report } = self;
        if !report.fails.is_empty() {
            return report;
        }
        let by_system = statuses.iter().filter(|status| status.is_killed).count();
        let judged = mutants.iter().zip(&statuses).zip(&alone);
        let (killed, open): (Vec<_>, Vec<_>) =
            judged.partition(|((_, status), alone)| alone.lint || status.is_killed);
        report.killed = killed.len();
        report.by_coverage = statuses.iter().filter(|status| status.is_by_coverage).count();
        report.killed_by = KilledBy {
            lint: alone.iter().filter(|alone| alone.lint).count(),
            table: alone.iter().filter(|alone| alone.table).count(),
            system: if report.systems.is_empty() { 0 } else { by_system },
        };
        for ((mutant, status), _) in open {
            let list =
                if status.is_truncated { &mut report.incomplete } else { &mut report.survivors };
            list.push(judge.survivor(mutant, status));
        }
        let killed: Vec<&Mutant> = killed.into_iter().map(|((mutant, _), _)| mutant).collect();
        report.faults = judge.stale(&all, &killed);
        report
    }
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
        if !fails.is_empty() {
            return Vec::new();
        }
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

    /// A survivor, with the table's reason: that under `survivors`, or why the row is waived.
    fn survivor(&self, mutant: &Mutant, status: &MutantStatus) -> Survivor {
        let Mutant { row, change, id, .. } = mutant;
        let mut said = self.literal.survivors.iter();
        let said = said.find(|said| mutant.is(&said.row, &said.change));
        let rows = &self.sound.vocabulary.rows;
        let excused = || id.and_then(|id| rows[id.index()].waived.clone());
        let is_equivalent = said.is_none_or(|said| said.is_equivalent);
        let explained = said.map(|said| said.because.clone()).or_else(excused);
        Survivor {
            row: row.clone(),
            change: change.clone(),
            is_equivalent: explained.is_some() && is_equivalent,
            explained,
            differs: status.differs,
            is_of_actions: mutant.edit.is_of_actions(&self.sound.table),
        }
    }

    /// Diagnostics of entries under `survivors` that match no mutant, or one that is killed.
    fn stale(&self, all: &[Mutant], killed: &[&Mutant]) -> Vec<FaultReport> {
        let mut faults = Vec::new();
        for said in &self.literal.survivors {
            let is_it = |one: &Mutant| one.is(&said.row, &said.change);
            if !all.iter().any(is_it) {
                faults.push(self.no_survivor(said, "there is no such mutant"));
            } else if killed.iter().any(|one| is_it(one)) {
                faults.push(self.no_survivor(said, "this mutant is killed"));
            }
        }
        faults
    }

    fn no_survivor(&self, said: &ExplainedMutant, why: &str) -> FaultReport {
        let ExplainedMutant { row, change, span, .. } = said;
        let what = format!("`{row}`, {change}: {why}");
        FaultReport::no_survivor(&self.literal.source, *span, &what)
    }
}

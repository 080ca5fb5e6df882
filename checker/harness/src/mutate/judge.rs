//! Each mutant of a table at three levels: the reader's lint, the table level, and the worlds of
//! every system that runs it ([`in_worlds`](super::in_worlds)).

use turnstile_spec::versions::ExplainedMutant;
use turnstile_spec::{AmendedTable, WrittenTable};

use super::baseline::{Baselines, bad, failures};
use super::change::Mutant;
use super::in_worlds::MutantStatus;
use super::parallel::{SilentProgress, parallel_map};
use super::{Floor, KilledBy, MutationReport, Only, Survivor, mutants};
use crate::fault::FaultReport;
use crate::options::{Options, Replacement};
use crate::table;

/// The result of a mutant by lint and at the table level.
struct LocalChecks {
    lint: bool,
    table: bool,
    /// The table level's search was truncated.
    is_truncated: bool,
}

/// The table whose mutants are judged.
pub(super) struct Judge<'a> {
    pub(super) literal: &'a WrittenTable,
    pub(super) sound: &'a AmendedTable,
    pub(super) options: &'a Options<'a>,
    /// Whether recordings are reused, instead of a search from nothing for each mutant.
    pub(super) does_reuse: bool,
    /// The mutants that are judged.
    pub(super) only: &'a Only,
}

/// Judges mutants of an amended table. The other machines run the tables of the options.
#[must_use]
pub fn mutate(
    (literal, sound): (&WrittenTable, &AmendedTable),
    only: &Only,
    systems: &Baselines<'_>,
    options: &Options<'_>,
) -> MutationReport {
    Judge { literal, sound, options, does_reuse: true, only }.report(systems)
}

/// The same with a search from nothing for each mutant in each world: to compare with.
#[must_use]
pub fn mutate_from_nothing(
    (literal, sound): (&WrittenTable, &AmendedTable),
    only: &Only,
    systems: &Baselines<'_>,
    options: &Options<'_>,
) -> MutationReport {
    Judge { literal, sound, options, does_reuse: false, only }.report(systems)
}

impl Judge<'_> {
    fn report(&self, systems: &Baselines<'_>) -> MutationReport {
        let (judge, sound) = (self, self.sound);
        let machine = sound.vocabulary.machine.as_str();
        let all = mutants(&sound.vocabulary, &sound.table);
        let mutants: Vec<Mutant> =
            all.iter().filter(|mutant| self.only.takes(mutant)).cloned().collect();
        let mut mutated = MutationReport {
            name: machine.to_owned(),
            mutants: mutants.len(),
            ..MutationReport::default()
        };
        let alone = judge.alone(&mutants, &mut mutated.fails);
        let running = systems.of(machine);
        let mut statuses = vec![MutantStatus::default(); mutants.len()];
        if running.is_empty() {
            // Then the table level decides.
            for (status, alone) in statuses.iter_mut().zip(&alone) {
                (status.is_killed, status.is_truncated) = (alone.table, alone.is_truncated);
            }
        }
        let mut floor = Floor::default();
        for (entry, file) in &running {
            if !mutated.fails.is_empty() {
                break;
            }
            mutated.systems.push(file.name.clone());
            let (searches, fails) = judge.system((entry, file), &mutants, &mut statuses);
            floor += searches;
            mutated.fails.extend(fails);
        }
        mutated.floor = floor;
        if !mutated.fails.is_empty() {
            return mutated;
        }
        let killed = statuses.iter().filter(|status| status.is_killed).count();
        mutated.by_coverage = statuses.iter().filter(|status| status.is_by_coverage).count();
        mutated.killed_by = KilledBy {
            lint: alone.iter().filter(|alone| alone.lint).count(),
            table: alone.iter().filter(|alone| alone.table).count(),
            system: if running.is_empty() { 0 } else { killed },
        };
        for (mutant, status) in
            mutants.iter().zip(&statuses).filter(|(_, status)| !status.is_killed)
        {
            let list =
                if status.is_truncated { &mut mutated.incomplete } else { &mut mutated.survivors };
            list.push(judge.survivor(mutant, status));
        }
        mutated.faults = judge.stale(&all, mutants.iter().zip(&statuses));
        mutated
    }
}

impl<'a> Judge<'a> {
    /// The options, with another table in place of this one.
    pub(super) fn options(&self, table: turnstile_spec::table::Table) -> Options<'a> {
        let vocabulary = self.sound.vocabulary.clone();
        let replaced = Replacement::new(vocabulary, table, self.literal.source.clone());
        let others = self.options.tables.iter().cloned();
        let tables = std::iter::once(replaced).chain(others).collect();
        Options { tables, ..self.options.clone() }
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
            differs_in: status.differs_in.clone(),
        }
    }

    /// Diagnostics of entries under `survivors` that match no mutant, or one that is killed.
    fn stale<'m>(
        &self,
        all: &[Mutant],
        judged: impl Iterator<Item = (&'m Mutant, &'m MutantStatus)>,
    ) -> Vec<FaultReport> {
        let killed = judged.filter(|(_, status)| status.is_killed);
        let killed: Vec<&Mutant> = killed.map(|(mutant, _)| mutant).collect();
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

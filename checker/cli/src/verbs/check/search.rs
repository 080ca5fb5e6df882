//! One search: reads the files, and checks the table or the world.

use std::sync::Arc;

use turnstile_harness::all_worlds;
use turnstile_harness::check::SearchFn;
use turnstile_harness::options::{Options, Refusal};
use turnstile_harness::results::fault::FaultReport;
use turnstile_harness::results::result::{ResultKind, ResultReport};
use turnstile_harness::{SourceFile, table};
use turnstile_spec::system::{System, World};
use turnstile_spec::{Diagnostic, Severity};

use crate::library::{self, Library};
use crate::{replacement, same_table};

use crate::verbs::check::plan::Job;

/// Runs one job of the plan; nothing where the job only combines other results. An error is a
/// usage error.
pub(super) fn search(
    job: &Job,
    library: &Library,
    engine: SearchFn,
    options: &Options<'_>,
) -> Result<Option<ResultReport>, String> {
    let mut result = match job {
        Job::Table(file) => search_table(file, options),
        Job::World { file, system, world, table } => search_world(
            (file, system),
            &system.worlds[*world],
            table.as_ref(),
            (library, engine),
            options,
        )?,
        Job::AllWorlds { .. } => return Ok(None),
        Job::Broken(file) => {
            let mut result = ResultReport::new(ResultKind::System, &file.name, None);
            result.faults = file.system().err().map(FaultReport::errors).unwrap_or_default();
            result.notes.files.push(file.source.name.clone());
            result
        }
    };
    result.as_written = options.as_written;
    Ok(Some(result))
}

/// The combined result of the last `worlds` results, the default worlds of a system. Nothing where
/// one of them is missing, or where they ran tables as written or with other settings.
pub(super) fn whole(
    results: &[ResultReport],
    worlds: usize,
    options: &Options<'_>,
) -> Option<ResultReport> {
    if options.as_written || !options.set.is_empty() {
        return None;
    }
    let worlds = &results[results.len().checked_sub(worlds)?..];
    let first = worlds.first()?;
    let is_one = |result: &ResultReport| {
        result.kind == ResultKind::System && result.name == first.name && result.world.is_some()
    };
    worlds.iter().all(is_one).then(|| all_worlds::all_worlds(worlds)).flatten()
}

/// Level 1.
fn search_table(file: &SourceFile, options: &Options<'_>) -> ResultReport {
    let mut result = match file.written() {
        Err(faults) => faulty(ResultKind::Table, &file.name, None, FaultReport::errors(faults)),
        Ok(literal) if options.as_written => {
            let mut result = table::check(&literal.vocabulary, &literal.table, options);
            result.faults = FaultReport::as_written(&literal.findings, &literal.source);
            result
        }
        Ok(literal) => match file.amended() {
            Ok(sound) => {
                let mut result = table::check(&sound.vocabulary, &sound.table, options);
                let warnings = sound.warnings.iter().filter(|f| f.severity == Severity::Warning);
                let warnings: Vec<Diagnostic> = warnings.cloned().collect();
                result.faults = FaultReport::findings(&warnings, &literal.source);
                result
            }
            Err(faults) => {
                let machine = &literal.vocabulary.machine;
                faulty(ResultKind::Table, machine, None, FaultReport::errors(faults))
            }
        },
    };
    result.notes.files.push(file.source.name.clone());
    result
}

/// Level 2.
fn search_world(
    (file, system): (&Arc<SourceFile>, &System),
    world: &World,
    table: Option<&Arc<SourceFile>>,
    (library, engine): (&Library, SearchFn),
    options: &Options<'_>,
) -> Result<ResultReport, String> {
    let stop = |faults| Ok(faulty(ResultKind::System, &system.name, Some(&world.name), faults));
    let entry = match library.entry(file) {
        Ok(Some(entry)) => entry,
        Ok(None) => {
            let what = library::no_cores(system);
            return stop(vec![FaultReport::not_compiled(&system.source, system.span, &what)]);
        }
        Err(faults) => return stop(faults),
    };
    let tables = match replacement::tables(&entry, table, library, options.as_written) {
        Ok(tables) => tables,
        Err(faults) => return stop(faults),
    };
    let is_known = |key: &str| system.set.iter().any(|setting| setting.name == key);
    let set = options.set.iter().filter(|(key, _)| is_known(key)).cloned().collect();
    let options = Options { tables, set, ..options.clone() };
    options.progress.begin(&format!("{}/{}", system.name, world.name));
    let ran = entry.run_by(engine, system, world, &options);
    options.progress.end();
    match ran {
        Ok(mut result) => {
            let files = std::iter::once(system.source.name.clone());
            let tables = options.tables.iter().map(|table| table.source.name.clone());
            result.notes.files = files.chain(tables).collect();
            if let Some(copy) = table.filter(|_| !options.as_written) {
                let mut bundled = entry.tables.iter().map(|table| &table.file);
                result.notes.same_table = bundled.find_map(|own| same_table::note(copy, own));
            }
            Ok(result)
        }
        Err(Refusal::Usage(what)) => Err(format!("{}: {what}", system.name)),
        Err(Refusal::Faults(faults)) => stop(faults),
    }
}

/// A result that is nothing but faults.
fn faulty(
    kind: ResultKind,
    name: &str,
    world: Option<&str>,
    faults: Vec<FaultReport>,
) -> ResultReport {
    let mut result = ResultReport::new(kind, name, world);
    result.faults = faults;
    result
}

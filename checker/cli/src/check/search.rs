//! One search: the files are read, the table or the system runs, a result comes back.

use turnstile_harness::check::Search;
use turnstile_harness::fault::FaultReport;
use turnstile_harness::options::{Options, Refusal};
use turnstile_harness::result::{Kind, ResultReport};
use turnstile_harness::whole;
use turnstile_harness::{read, table};
use turnstile_spec::system::{System, World};
use turnstile_spec::{Fault, Severity};

use crate::library::{Library, Text};
use crate::replacement;

use super::plan::Job;

/// Does one job of the plan; nothing where that is of other results alone. An error is a complaint
/// about the command.
pub(super) fn search(
    job: &Job,
    library: &Library,
    engine: Search,
    options: &Options<'_>,
) -> Result<Option<ResultReport>, String> {
    let mut result = match job {
        Job::Table(text) => search_table(text, options),
        Job::World { system, world, table } => search_world(
            system,
            &system.worlds[*world],
            table.as_ref(),
            (library, engine),
            options,
        )?,
        Job::Whole { .. } => return Ok(None),
        Job::Broken { text, faults } => {
            let mut result = ResultReport::new(Kind::System, &text.name, None);
            result.faults = FaultReport::errors(faults);
            result.notes.files.push(text.source.name.clone());
            result
        }
    };
    result.as_written = options.as_written;
    Ok(Some(result))
}

/// What the last so many results, the worlds of a system, come to together. Nothing where some of
/// them are missing, or where they are not what the system has by default: a literal table is not
/// meant to be whole.
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
        result.kind == Kind::System && result.name == first.name && result.world.is_some()
    };
    worlds.iter().all(is_one).then(|| whole::whole(worlds)).flatten()
}

/// Level 1.
fn search_table(text: &Text, options: &Options<'_>) -> ResultReport {
    let mut result = match read::literal(&text.source) {
        Err(faults) => faulty(Kind::Table, &text.name, None, FaultReport::errors(&faults)),
        Ok(literal) if options.as_written => {
            let mut result = table::check(&literal.vocabulary, &literal.table, options);
            result.faults = FaultReport::as_written(&literal.findings, &literal.source);
            result
        }
        Ok(literal) => match read::sound(&text.source) {
            Ok(sound) => {
                let mut result = table::check(&sound.vocabulary, &sound.table, options);
                let warnings = sound.warnings.iter().filter(|f| f.severity == Severity::Warning);
                let warnings: Vec<Fault> = warnings.cloned().collect();
                result.faults = FaultReport::findings(&warnings, &literal.source);
                result
            }
            Err(faults) => {
                let machine = &literal.vocabulary.machine;
                faulty(Kind::Table, machine, None, FaultReport::errors(&faults))
            }
        },
    };
    result.notes.files.push(text.source.name.clone());
    result
}

/// Level 2.
fn search_world(
    system: &System,
    world: &World,
    table: Option<&Text>,
    (library, engine): (&Library, Search),
    options: &Options<'_>,
) -> Result<ResultReport, String> {
    let stop = |faults| Ok(faulty(Kind::System, &system.name, Some(&world.name), faults));
    let Some(entry) = library.known.entry(&system.name) else {
        let what = format!("this binary has no cores for the system `{}`", system.name);
        return stop(vec![FaultReport::not_compiled(&system.source, system.span, &what)]);
    };
    let tables = match replacement::tables(entry, table, library, options.as_written) {
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
            Ok(result)
        }
        Err(Refusal::Usage(what)) => Err(format!("{}: {what}", system.name)),
        Err(Refusal::Faults(faults)) => stop(faults),
    }
}

/// A result that is nothing but faults.
fn faulty(kind: Kind, name: &str, world: Option<&str>, faults: Vec<FaultReport>) -> ResultReport {
    let mut result = ResultReport::new(kind, name, world);
    result.faults = faults;
    result
}

//! `turnstile mutate`: mutation testing. Each change of a row, guard, pattern or formula must make
//! a check fail.

use turnstile_harness::Systems;
use turnstile_harness::mutate::{Baselines, KilledBy, MutationReport, Only, Survivor, mutate_all};
use turnstile_harness::results::fault::FaultReport;
use turnstile_harness::results::status::Status;
use turnstile_search::bounds::Progress as _;
use turnstile_spec::{AmendedTable, Diagnostics, WrittenTable};

use crate::report::mutated;
use crate::report::text::Detail;
use serde::Serialize;

use crate::bounds::Bounds;
use crate::output::{self, usage_error, write_stdout};
use crate::selection::{self, Search};
use crate::terminal;

/// The exit statuses, for `--help`.
pub(crate) const STATUSES: &str = "\
Exit status:
  0  every mutant is killed, or explained under `survivors` in its table
  1  a mutant survives unexplained, an explanation matches none, a check fails without any change,
     or a file has an error
  2  bad usage, or unreadable input
  3  a search was truncated
If several apply: 2, then 1, then 3.";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Tables, systems (all their tables) or files [default: every bundled table]
    #[arg(value_name = "NAME|FILE")]
    names: Vec<String>,
    /// Judge only the mutants whose row or change contains TEXT
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// List the survivors that have a reason, too
    #[arg(long)]
    verbose: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    bounds: Bounds,
}

#[derive(Debug, Serialize)]
struct Report {
    version: u32,
    results: Vec<Table>,
}

#[derive(Debug, Serialize)]
struct Table {
    name: String,
    mutants: usize,
    killed_by: KilledBy,
    survivors: Vec<Survivor>,
    /// Mutants that were not killed, where a search was truncated.
    incomplete: Vec<Survivor>,
    /// The checks that fail without any change; then there are no other figures.
    fails: Vec<String>,
    /// Diagnostics of entries under `survivors` that match no survivor.
    faults: Vec<FaultReport>,
}

/// Changes, searches, reports.
pub(crate) fn run(arguments: &Arguments, systems: &Systems) -> Status {
    selection::work(systems, &arguments.names, arguments.json, &arguments.bounds, |work| {
        search(arguments, work)
    })
}

/// A table as written, and as amended.
type ReadTable<'f> = (&'f WrittenTable, Result<&'f AmendedTable, &'f Diagnostics>);

fn search(arguments: &Arguments, work: &Search<'_>) -> Status {
    let Search { selection, options, line, begun } = work;
    let (mut status, paint) = (Status::Holds, terminal::paint());
    let systems = Baselines::new(&selection.known, &selection.systems);
    let only = Only(arguments.only.clone());
    let read = selection.tables.iter();
    let mut left: Vec<ReadTable<'_>> =
        read.filter_map(|file| Some((file.written().ok()?, file.amended()))).collect();
    let mut all = Vec::new();
    let mut judged: Vec<MutationReport> = Vec::new();
    while !left.is_empty() && !output::is_unread() {
        let (literal, sound) = left.remove(0);
        let sound = match sound {
            Ok(sound) => sound,
            Err(faults) => {
                status = status.and(Status::Fails);
                all.extend(unsound(literal, faults, arguments.json));
                continue;
            }
        };
        let name = &literal.vocabulary.machine;
        if !judged.iter().any(|one| one.name == *name) {
            // Tables that the same systems run are judged together, and reported in order.
            let others = left.iter().filter_map(|(literal, sound)| {
                let other = &literal.vocabulary.machine;
                let twins = left.iter().filter(|(one, _)| one.vocabulary.machine == *other);
                let is_one = name != other && twins.count() == 1;
                let is_one = is_one && systems.are_of_the_same(name, other);
                is_one.then_some((*literal, sound.ok()?))
            });
            let together: Vec<_> = std::iter::once((literal, sound)).chain(others).collect();
            judged.extend(mutate_all(&together, &only, &systems, options));
        }
        let nth = judged.iter().position(|one| one.name == *name).expect("it is judged");
        let mutated = judged.remove(nth);
        line.end();
        if !arguments.json {
            let (file, detail) = (&literal.source.name, Detail::of(arguments.verbose));
            let text = mutated::table(&mutated, file, detail, paint);
            status = status.and(write_stdout(&text));
        }
        all.push(mutated);
    }
    status = all.iter().map(mutated::status).fold(status, Status::and);
    if all.is_empty() && !arguments.json {
        return status;
    }
    let text = if arguments.json {
        output::json(&Report { version: 1, results: all.into_iter().map(table).collect() })
    } else {
        mutated::summary(&all, begun.elapsed(), paint)
    };
    status.and(write_stdout(&text))
}

/// Reports a table that cannot be amended: in the JSON, or on standard error.
fn unsound(literal: &WrittenTable, faults: &Diagnostics, is_json: bool) -> Option<MutationReport> {
    if is_json {
        let (name, faults) = (literal.vocabulary.machine.clone(), FaultReport::errors(faults));
        return Some(MutationReport { name, faults, ..MutationReport::default() });
    }
    let (file, text) = (&literal.source.name, turnstile_report::text(faults));
    usage_error(&format!("cannot mutate {file}:\n{text}"));
    None
}

fn table(mutated: MutationReport) -> Table {
    let MutationReport {
        name,
        mutants,
        killed_by,
        killed: _,
        by_coverage: _,
        systems: _,
        floor: _,
        survivors,
        incomplete,
        fails,
        faults,
    } = mutated;
    Table { name, mutants, killed_by, survivors, incomplete, fails, faults }
}

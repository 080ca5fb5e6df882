//! `turnstile mutate`: each row, condition, pattern and formula of a table is changed, and some
//! property must notice.

use turnstile_harness::Systems;
use turnstile_harness::fault::FaultReport;
use turnstile_harness::mutate::{Baselines, KilledBy, Mutated, Survivor, mutate};
use turnstile_harness::status::Status;
use turnstile_search::bounds::Progress as _;

use crate::report::mutated;
use serde::Serialize;

use super::bounds::Bounds;
use super::chosen::{self, Work};
use super::output::{self, complain, put};
use super::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A table, all tables of a system, or a file; none: every table known here
    #[arg(value_name = "NAME|FILE")]
    names: Vec<String>,
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
    /// Those of which a search that was cut does not say whether they survive.
    incomplete: Vec<Survivor>,
    /// What fails without any change; then there are no other figures.
    fails: Vec<String>,
    /// Entries of `survivors` in the file that are none.
    faults: Vec<FaultReport>,
}

/// Changes, searches, reports.
pub(crate) fn run(arguments: &Arguments, systems: Systems) -> Status {
    chosen::work(systems, &arguments.names, arguments.json, &arguments.bounds, |work| {
        search(arguments, work)
    })
}

fn search(arguments: &Arguments, work: &Work<'_>) -> Status {
    let Work { chosen, options, line, begun } = work;
    let (mut status, paint) = (Status::Holds, terminal::paint());
    let mut systems = Baselines::new(chosen.known, &chosen.systems);
    let mut all = Vec::new();
    for literal in chosen.tables.iter().take_while(|_| !output::is_unread()) {
        let sound = match literal.amended() {
            Ok(sound) => sound,
            Err(faults) => {
                status = status.and(Status::Fails);
                if arguments.json {
                    let name = literal.vocabulary.machine.clone();
                    let faults = FaultReport::errors(&faults);
                    all.push(Mutated { name, faults, ..Mutated::default() });
                } else {
                    complain(&format!("cannot change {}:\n{faults}", literal.source.name));
                }
                continue;
            }
        };
        let mutated = mutate(literal, &sound, &mut systems, options);
        line.end();
        if !arguments.json {
            status = status.and(put(&mutated::table(&mutated, &literal.source.name, paint)));
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
    status.and(put(&text))
}

fn table(mutated: Mutated) -> Table {
    let Mutated { name, mutants, killed_by, systems: _, survivors, incomplete, fails, faults } =
        mutated;
    Table { name, mutants, killed_by, survivors, incomplete, fails, faults }
}

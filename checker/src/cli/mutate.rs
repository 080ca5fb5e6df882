//! `turnstile mutate`: each row, condition, pattern and formula of a table is changed, and some
//! property must notice.

use std::time::Instant;

use serde::Serialize;
use turnstile_checker::mutate::{KilledBy, Mutated, Survivor, Systems, mutate};
use turnstile_checker::report::mutated;
use turnstile_checker::report::options::{Options, Progress as _};
use turnstile_checker::report::status::Status;

use super::bounds::Bounds;
use super::chosen::Chosen;
use super::library::Library;
use super::output::{self, complain, put};
use super::terminal::{self, Line};

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
}

/// Changes, searches, reports.
pub(crate) fn run(arguments: &Arguments) -> Status {
    let begun = Instant::now();
    let library = match Library::load() {
        Ok(library) => library,
        Err(error) => return complain(&error),
    };
    let chosen = Chosen::of(&library, &arguments.names);
    let mut status = chosen.status;
    if chosen.tables.is_empty() {
        return status;
    }
    terminal::stop_on_interrupt();
    let line = Line::new();
    let tables = chosen.edited.clone();
    let options = Options { tables, ..arguments.bounds.options(begun, &line) };
    let paint = terminal::paint();
    let remark = library.remark().filter(|_| chosen.is_of_library && !arguments.json);
    if let Some(remark) = remark {
        status = status.and(put(&format!("{}\n\n", paint.dim(&remark))));
    }
    let mut systems = Systems::new(&chosen.systems);
    let mut all = Vec::new();
    for literal in &chosen.tables {
        let sound = match literal.amended() {
            Ok(sound) => sound,
            Err(faults) => {
                complain(&format!("cannot change {}:\n{faults}", literal.source.name));
                status = status.and(Status::Fails);
                continue;
            }
        };
        let mutated = mutate(literal, &sound, &mut systems, &options);
        line.end();
        if !arguments.json {
            status = status.and(put(&mutated::table(&mutated, &literal.source.name, paint)));
        }
        all.push(mutated);
    }
    status = all.iter().map(mutated::status).fold(status, Status::and);
    let text = if arguments.json {
        output::json(&Report { version: 1, results: all.into_iter().map(table).collect() })
    } else {
        mutated::summary(&all, begun.elapsed(), paint)
    };
    status.and(put(&text))
}

fn table(mutated: Mutated) -> Table {
    let Mutated { name, mutants, killed_by, survivors, .. } = mutated;
    Table { name, mutants, killed_by, survivors }
}

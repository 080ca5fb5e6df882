//! `turnstile list`: the tables and systems that can be checked by name.

use std::fmt::Write as _;
use std::sync::Arc;

use turnstile_harness::Systems;
use turnstile_harness::results::status::Status;
use turnstile_spec as spec;
use turnstile_spec::versions::WrittenTable;
use turnstile_world::trace::counted;

use crate::report::paint::{Paint, columns, fold, pad};
use serde::Serialize;

use crate::library::Library;
use crate::output::{self, unreadable, usage_error, write_stdout};
use crate::terminal;

/// How worlds that `check` does not run by default are run.
const LARGE: &str = "run by name or with `check --set size=large`";

/// The last column is not broken into shorter lines than this.
const LAST_MIN: usize = 30;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Listing {
    version: u32,
    tables: Vec<Table>,
    systems: Vec<System>,
}

#[derive(Debug, Serialize)]
struct Table {
    name: String,
    document: String,
    states: usize,
    rows: usize,
    amendments: usize,
    #[serde(skip)]
    readings: usize,
}

#[derive(Debug, Serialize)]
struct System {
    name: String,
    tables: Vec<String>,
    worlds: Vec<String>,
    /// Those with `default: false`.
    #[serde(skip)]
    large: Vec<String>,
}

/// Lists the tables and systems with names.
pub(crate) fn run(arguments: &Arguments, systems: &Systems) -> Status {
    let library = match Library::load(systems, Arc::default()) {
        Ok(library) => library,
        Err(error) => return usage_error(&error),
    };
    let mut status = Status::Holds;
    let mut tables = Vec::new();
    for one in &library.tables {
        match one.file.written() {
            Ok(literal) => tables.push(table(literal)),
            Err(faults) => status = status.and(unreadable(faults)),
        }
    }
    let mut listed = Vec::new();
    for one in &library.systems {
        match one.file.system() {
            Ok(of) => listed.push(system(of, systems)),
            Err(faults) => status = status.and(unreadable(faults)),
        }
    }
    let listing = Listing { version: 1, tables, systems: listed };
    let text = if arguments.json {
        output::json(&listing)
    } else {
        words(&listing, &library, terminal::paint())
    };
    status.and(write_stdout(&text))
}

/// The numbers of states and rows of a table's document, and of its amendments.
fn table(literal: &WrittenTable) -> Table {
    let states = literal.table.states.iter().zip(&literal.vocabulary.states);
    Table {
        name: literal.vocabulary.machine.clone(),
        document: literal.document.as_ref().map_or_else(String::new, |of| of.file.clone()),
        states: states.filter(|(state, name)| state.is_some() && name.declared).count(),
        rows: literal.vocabulary.rows.iter().filter(|row| row.amended_by.is_none()).count(),
        amendments: literal.amendments.len(),
        readings: literal.readings.len(),
    }
}

fn system(system: &spec::System, systems: &Systems) -> System {
    let mut tables: Vec<String> = Vec::new();
    // A role without a table of its own says `none`; the core behind a role may run several.
    let named = system.roles.iter().map(|role| role.machine.as_str());
    let known = systems.entry(&system.name).into_iter();
    let known = known.flat_map(|entry| entry.machines());
    for machine in named.filter(|machine| *machine != "none").chain(known) {
        if !tables.iter().any(|table| table == machine) {
            tables.push(machine.to_owned());
        }
    }
    let worlds = system.worlds.iter().map(|world| world.name.clone()).collect();
    let large = system.worlds.iter().filter(|world| !world.default);
    let large = large.map(|world| world.name.clone()).collect();
    System { name: system.name.clone(), tables, worlds, large }
}

fn words(listing: &Listing, library: &Library, paint: Paint) -> String {
    let tables = listing.tables.iter().map(|table| {
        [
            table.name.clone(),
            table.states.to_string(),
            table.rows.to_string(),
            table.amendments.to_string(),
            table.readings.to_string(),
            table.document.clone(),
        ]
    });
    let head = ["table", "states", "rows", "amendments", "readings", "document"].map(str::to_owned);
    let mut text = grid(std::iter::once(head).chain(tables).collect(), paint);
    for System { name, tables, worlds, large } in &listing.systems {
        let count = counted(worlds.len() as u64, "world");
        let words = format!("system, {count}, tables: {}", tables.join(", "));
        let _ = writeln!(text, "\n{}  {}", paint.strong(name), paint.dim(&words));
        let usual = worlds.iter().filter(|world| !large.contains(world)).cloned();
        let usual = usual.collect::<Vec<_>>().join(", ");
        let large = match large.len() as u64 {
            0 => String::new(),
            many => format!("{}, {LARGE}: {}", counted(many, "large world"), large.join(", ")),
        };
        for words in [usual, large] {
            for line in fold(&words, paint.width.saturating_sub(2)) {
                let _ = writeln!(text, "  {line}");
            }
        }
    }
    if let Some(origin_note) = library.origin_note() {
        let _ = writeln!(text, "\n{}", paint.dim(&origin_note));
    }
    text
}

/// Columns under their heads; those that hold numbers stand at the right, the last is broken where
/// the paper ends.
fn grid<const N: usize>(lines: Vec<[String; N]>, paint: Paint) -> String {
    let widths: Vec<usize> =
        (0..N).map(|at| lines.iter().map(|line| columns(&line[at])).max().unwrap_or(0)).collect();
    let before: usize = widths[..N - 1].iter().map(|width| width + 2).sum();
    let is_number = |at: usize| {
        lines[1..].iter().all(|line| line[at].bytes().all(|letter| letter.is_ascii_digit()))
    };
    let mut text = String::new();
    for (nth, line) in lines.iter().enumerate() {
        let cells = line[..N - 1].iter().zip(&widths).enumerate().map(|(at, (cell, width))| {
            if is_number(at) { format!("{cell:>width$}  ") } else { pad(cell, width + 2) }
        });
        let last = fold(&line[N - 1], paint.width.saturating_sub(before).max(LAST_MIN));
        let line = cells.collect::<String>() + &last.join(&format!("\n{:before$}", ""));
        let line = line.trim_end();
        text.push_str(&if nth == 0 { paint.dim(line) } else { line.to_owned() });
        text.push('\n');
    }
    text
}

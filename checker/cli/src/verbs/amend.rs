//! `turnstile amend --verify`: verifies that every amendment is necessary.

use turnstile_harness::Systems;
use turnstile_harness::amend::{Verification, verify};
use turnstile_harness::results::status::Status;

use crate::report::amended::{self, Shows};
use serde::Serialize;

use crate::bounds::Bounds;
use crate::output::{self, write_stdout};
use crate::selection::{self, Search};
use crate::terminal;

/// The exit statuses, for `--help`.
pub(crate) const STATUSES: &str = "\
Exit status:
  0  every amendment is needed
  1  without some amendment no check named in its `shown-by` fails, or a file has an error
  2  bad usage, or unreadable input
  3  a search was truncated
If several apply: 2, then 1, then 3.";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Tables, systems (all their tables) or files [default: every bundled table]
    #[arg(value_name = "NAME|FILE")]
    names: Vec<String>,
    /// Remove each amendment in turn: a check named in its `shown-by` must fail
    #[arg(long, required = true)]
    verify: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Print each amendment's reason and every check that fails without it, too
    #[arg(long)]
    verbose: bool,
    /// Print the counterexamples, too
    #[arg(long)]
    runs: bool,
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
    amendments: Vec<Amendment>,
}

#[derive(Debug, Serialize)]
struct Amendment {
    id: String,
    shown_by: Vec<String>,
    needed: bool,
}

/// Removes each amendment, searches, and reports the results.
pub(crate) fn run(arguments: &Arguments, systems: &Systems) -> Status {
    selection::work(systems, &arguments.names, arguments.json, &arguments.bounds, |work| {
        search(arguments, work)
    })
}

fn search(arguments: &Arguments, work: &Search<'_>) -> Status {
    let Search { selection, options, begun, .. } = work;
    let (mut status, paint) = (Status::Holds, terminal::paint());
    let shows = match (arguments.runs, arguments.verbose) {
        (true, _) => Shows::Traces,
        (false, true) => Shows::Evidence,
        (false, false) => Shows::Verdicts,
    };
    let mut results = Vec::new();
    let mut all: Vec<Verification> = Vec::new();
    let tables = selection.tables.iter().filter_map(|file| file.written().ok());
    let amended = tables.filter(|literal| !literal.amendments.is_empty());
    for literal in amended.take_while(|_| !output::is_unread()) {
        let mut tell = |text: &str| {
            if !arguments.json {
                status = status.and(write_stdout(text));
            }
        };
        tell(&amended::heading(&literal.vocabulary.machine, &literal.source.name, paint));
        let mut amendments = Vec::new();
        for amendment in literal.amendments.iter().take_while(|_| !output::is_unread()) {
            let verified =
                verify(literal, amendment, (&selection.known, &selection.systems), options);
            tell(&amended::amendment(&verified, shows, paint));
            let shown_by = verified.shown().map(|shown| shown.by.clone()).collect();
            let needed = verified.is_needed();
            amendments.push(Amendment { id: verified.id.clone(), shown_by, needed });
            all.push(verified);
        }
        tell("\n");
        results.push(Table { name: literal.vocabulary.machine.clone(), amendments });
    }
    status = all.iter().map(amended::status).fold(status, Status::and);
    let text = if arguments.json {
        output::json(&Report { version: 1, results })
    } else {
        amended::summary(&all, results.len(), begun.elapsed(), paint)
    };
    status.and(write_stdout(&text))
}

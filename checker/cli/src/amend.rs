//! `turnstile amend --verify`: each amendment is left out, and something must fail then.

use turnstile_harness::Systems;
use turnstile_harness::amend::{Verified, verify};
use turnstile_harness::status::Status;

use crate::report::amended;
use serde::Serialize;

use super::bounds::Bounds;
use super::chosen::{self, Work};
use super::output::{self, put};
use super::terminal;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A table, all tables of a system, or a file; none: every table known here
    #[arg(value_name = "NAME|FILE")]
    names: Vec<String>,
    /// Leave out each amendment, with those that need it, and see what it says of itself fail
    #[arg(long, required = true)]
    verify: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Show the runs that show the amendments, too
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

/// Leaves out, searches, reports.
pub(crate) fn run(arguments: &Arguments, systems: Systems) -> Status {
    chosen::work(systems, &arguments.names, arguments.json, &arguments.bounds, |work| {
        search(arguments, work)
    })
}

fn search(arguments: &Arguments, work: &Work<'_>) -> Status {
    let Work { chosen, options, begun, .. } = work;
    let (mut status, paint) = (Status::Holds, terminal::paint());
    let mut results = Vec::new();
    let mut all: Vec<Verified> = Vec::new();
    let amended = chosen.tables.iter().filter(|literal| !literal.amendments.is_empty());
    for literal in amended.take_while(|_| !output::is_unread()) {
        let mut tell = |text: &str| {
            if !arguments.json {
                status = status.and(put(text));
            }
        };
        tell(&amended::heading(&literal.vocabulary.machine, &literal.source.name, paint));
        let mut amendments = Vec::new();
        for amendment in literal.amendments.iter().take_while(|_| !output::is_unread()) {
            let verified = verify(literal, amendment, (chosen.known, &chosen.systems), options);
            tell(&amended::amendment(&verified, arguments.runs, paint));
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
    status.and(put(&text))
}

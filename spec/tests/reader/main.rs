//! The reader: what it makes of the bundled tables and systems, of names, patterns and conditions,
//! and of each slip. (Damaged and random files, whose time is measured, are the test `robust`.)

mod amendments;
mod bundled;
mod composition;
mod conditions;
mod dropped;
mod faults;
mod file;
mod guard_values;
mod names;
mod patterns;
mod prose;
mod readings;
mod second_reader;
mod system;
mod typos;

use turnstile_spec::{Diagnostic, Source, WrittenTable};

/// The diagnostics of a table as written.
fn diagnostics(text: &str) -> Vec<Diagnostic> {
    match WrittenTable::read(Source::new("table.yaml", text)) {
        Err(diagnostics) => diagnostics.list,
        Ok(table) => table.findings,
    }
}

/// A table with one state, which the rows with these events do not leave.
fn one_state(domain: &str, events: impl IntoIterator<Item = String>) -> String {
    let head = "language: 1\nmachine: m\nstates: { s: { initial: true } }\n";
    let payload = format!("{{ kind: command, payload: {{ n: {domain} }} }}");
    let row = |event| format!("- {{ from: s, to: s, event: {event} }}\n");
    let rows: String = events.into_iter().map(row).collect();
    format!("{head}events: {{ e: {payload} }}\ntransitions:\n{rows}")
}

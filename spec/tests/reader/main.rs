//! What the reader makes of names, patterns, conditions and files, and of slips in them.

mod conditions;
mod file;
mod guard_values;
mod names;
mod patterns;
mod typos;

use turnstile_spec::{Diagnostic, Source, WrittenTable};

/// The diagnostics of a table as written.
fn diagnostics(text: &str) -> Vec<Diagnostic> {
    match WrittenTable::read(Source::new("table.yaml", text)) {
        Err(diagnostics) => diagnostics.list,
        Ok(table) => table.findings,
    }
}

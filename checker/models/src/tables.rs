//! The tables of a system as their documents have them, to be searched in place of compiled ones.

use turnstile_harness::SystemEntry;
use turnstile_harness::options::Replacement;

/// Each table of a bundled system as written, in place of the compiled one.
#[must_use]
pub fn tables(entry: &SystemEntry) -> Vec<Replacement> {
    let tables = entry.tables.iter().map(|table| {
        let literal = table.file.written().expect("bundled tables can be read").clone();
        Replacement::new(literal.vocabulary, literal.table, literal.source)
    });
    tables.collect()
}

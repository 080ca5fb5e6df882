//! The tables of a system as their documents have them, to be searched in place of compiled ones.

use turnstile_harness::SystemEntry;
use turnstile_harness::options::Replacement;
use turnstile_spec::WrittenTable;

pub(crate) fn tables(entry: &SystemEntry) -> Vec<Replacement> {
    let tables = entry.tables.iter().map(|table| {
        let source = table.source();
        let literal = WrittenTable::read(source.clone()).expect("bundled tables can be read");
        Replacement::new(literal.vocabulary, literal.table, source)
    });
    tables.collect()
}

//! The tables of a system as their documents have them, to be searched in place of compiled ones.

use turnstile_checker::report::options::Replacement;
use turnstile_spec::{Literal, Source};

pub(crate) fn tables(machines: &[&str]) -> Vec<Replacement> {
    let tables = machines.iter().map(|name| {
        let table = turnstile_bundled::table(name).expect("every machine of a system is bundled");
        let source = Source::new(table.file, table.text);
        let literal = Literal::read(source.clone()).expect("bundled tables can be read");
        Replacement { vocabulary: literal.vocabulary, table: literal.table, source }
    });
    tables.collect()
}

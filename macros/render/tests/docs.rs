//! `generated/docs` is what the bundled tables give. When this fails, run the command it prints.

use std::path::Path;

use turnstile_render::docs::{COMMAND, Mode, Origin, bundled, put};
use turnstile_spec::{Source, WrittenTable};

#[test]
fn generated_docs_are_fresh() {
    let tables: Vec<WrittenTable> = turnstile_bundled::TABLES
        .iter()
        .map(|table| WrittenTable::read(Source::new(table.file, table.text)))
        .map(|read| read.unwrap_or_else(|faults| panic!("{faults}")))
        .collect();
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../generated/docs");
    let files = bundled(&tables).expect("each has a name of its own");
    if let Err(trouble) = put(&dir, &files, Mode::Check, &Origin::known(COMMAND)) {
        panic!("{trouble}");
    }
}

//! What the generator is given.

use turnstile_spec::Table;
use turnstile_spec::table::Vocabulary;

/// The input of the generator: names, a table over them, and their origin.
#[derive(Clone, Copy, Debug)]
pub struct Machine<'a> {
    /// All names.
    pub vocabulary: &'a Vocabulary,
    /// The table to compile.
    pub table: &'a Table,
    /// The document's title, or empty.
    pub title: &'a str,
    /// The content hash of the table's file.
    pub hash: u64,
    /// The SVG file that rustdoc shows, from the directory of the caller's Cargo.toml.
    pub diagram: Option<&'a str>,
}

//! The document of a table, and its lines that the table does not have.

use crate::span::Span;
use crate::table::Lines;

/// The document that a table transcribes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Its file name.
    pub file: String,
    /// Its title, or empty.
    pub title: String,
    /// The section that contains the table, or empty.
    pub section: String,
    /// The SHA-256 of its text, or empty.
    pub sha256: String,
    /// The lines that the whole table transcribes.
    pub cite: Vec<Lines>,
}

/// Lines of the document that the table does not transcribe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncited {
    /// The lines.
    pub lines: Vec<Lines>,
    /// The reason.
    pub because: String,
    /// Its position in the file.
    pub span: Span,
}

//! Faults: what is wrong with a file, where, and what to do about it.
//!
//! A fault is data; [`Fault::render`] turns it into the text a person reads.

/// A place in a file, in bytes of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// How bad a fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Stops the reader: there is no table.
    Error,
    /// The literal table runs with it; an amended one may not have it.
    Finding,
}

/// A place in the file that a fault points at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there.
    pub text: String,
}

/// One thing that is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Stable code: `T012`.
    pub code: &'static str,
    /// Error or finding.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// The place, first; then the other places that have to do with it.
    pub labels: Vec<Label>,
    /// The edit that mends it.
    pub help: Option<String>,
}

//! How a table differs from its document: amendments and readings.

use crate::diagnostic::Diagnostic;
use crate::span::Span;
use crate::table::{Lines, RowId, Table};

/// A difference from the document, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amendment {
    /// The id.
    pub id: String,
    /// The reason, in one sentence.
    pub because: String,
    /// The checks that fail without it: diagnostic codes, properties of the table,
    /// `system/property`.
    pub shown_by: Vec<String>,
    /// The ids of the amendments that it depends on.
    pub needs: Vec<String>,
    /// The changes, in file order.
    pub changes: Vec<Change>,
    /// Its position in the file.
    pub span: Span,
}

/// What else the document may mean, and what that changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// The id.
    pub id: String,
    /// What the document means in it, in one sentence.
    pub is: String,
    /// The checks that fail in it and hold in the table: properties of the table,
    /// `system/property`. None: it changes no verdict in any world.
    pub differs: Vec<String>,
    /// The ids of the amendments that have no place in it.
    pub without: Vec<String>,
    /// The lines of the document.
    pub cite: Vec<Lines>,
    /// Its position in the file.
    pub span: Span,
}

/// A change that an amendment makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A row replaces another.
    Row {
        /// The replaced row: the document's, or that of an amendment that this one needs.
        before: RowId,
        /// The replacement.
        after: RowId,
    },
    /// A row is added.
    RowAdded(RowId),
    /// A row is removed.
    RowRemoved(RowId),
    /// A declaration or a cell is added, changed or removed.
    Entry {
        /// `added`, `changed` or `removed`.
        how: &'static str,
        /// `states`, `ignore` and so on.
        section: &'static str,
        /// Its name or, for a cell, its states and events.
        name: String,
        /// The reason of a cell, or the text of a declaration's `about`.
        about: String,
    },
}

/// A table with some of its amendments, and its findings.
#[derive(Clone, Debug)]
pub struct PartlyAmended {
    /// The table.
    pub table: Table,
    /// The findings.
    pub findings: Vec<Diagnostic>,
    /// Warnings and notes; none if there are findings.
    pub warnings: Vec<Diagnostic>,
}

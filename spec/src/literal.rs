//! The two tables that only this crate builds: [`Literal`], a document's words with their findings,
//! and [`Sound`], amended and without any.

use crate::fault::{Fault, Faults, Severity, Span, sort};
use crate::raw;
use crate::read::{self, Read};
use crate::source::Source;
use crate::table::{Lines, RowId, Table, Vocabulary};

/// A table as its document has it, with what is wrong with it.
#[derive(Clone, Debug)]
pub struct Literal {
    /// The names of the literal and of the amended table.
    pub vocabulary: Vocabulary,
    /// The table as written.
    pub table: Table,
    /// What is wrong with it, in the order of the file.
    pub findings: Vec<Fault>,
    /// Where it must differ, in the order of the file.
    pub amendments: Vec<Amendment>,
    /// The document that it transcribes.
    pub document: Option<Document>,
    /// The document's lines that nothing cites.
    pub uncited: Vec<Uncited>,
    /// Mutants of the amended table that are said to go unnoticed.
    pub survivors: Vec<Survivor>,
    /// The file.
    pub source: Source,
    read: Read,
}

/// The document that a table transcribes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Document {
    /// Its file name.
    pub file: String,
    /// Its title, or empty.
    pub title: String,
    /// The section that has the table, or empty.
    pub section: String,
    /// The SHA-256 of its text, or empty.
    pub sha256: String,
    /// The lines that the whole table stands for.
    pub cite: Vec<Lines>,
}

/// Lines of the document that nothing cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncited {
    /// The lines.
    pub lines: Vec<Lines>,
    /// Why.
    pub because: String,
    /// Where the file says so.
    pub span: Span,
}

/// A mutant that no property can notice. Whether that is so is the checker's to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survivor {
    /// What is changed, as the checker names it.
    pub row: String,
    /// How.
    pub change: String,
    /// Why it is right that nothing notices.
    pub because: String,
    /// Where the file says so.
    pub span: Span,
}

/// A difference from the document, with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amendment {
    /// Its name.
    pub id: String,
    /// Why, in one sentence.
    pub because: String,
    /// What fails without it: fault codes, properties of the table, `system/property`.
    pub shown_by: Vec<String>,
    /// The amendments that it builds on.
    pub needs: Vec<String>,
    /// What it does, in the order of the file.
    pub changes: Vec<Change>,
    /// Where it stands.
    pub span: Span,
}

/// One thing that an amendment does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A row stands in another's place.
    Row {
        /// The document's, or that of an amendment that this one needs.
        before: RowId,
        /// This one's.
        after: RowId,
    },
    /// A row is added.
    RowAdded(RowId),
    /// A row is gone.
    RowRemoved(RowId),
    /// A declaration or a cell is added, changed or removed.
    Entry {
        /// `added`, `changed` or `removed`.
        how: &'static str,
        /// `states`, `ignore` and so on.
        section: &'static str,
        /// Its name or, for a cell, its states and events.
        name: String,
        /// The reason given for a cell, or the prose on a declaration.
        about: String,
    },
}

/// A table that can be compiled: amended, without findings. Only the reader builds one.
#[derive(Clone, Debug)]
pub struct Sound {
    /// The names of the literal and of the amended table.
    pub vocabulary: Vocabulary,
    /// The amended table.
    pub table: Table,
    /// The document that it transcribes.
    pub document: Option<Document>,
    /// Where it differs.
    pub amendments: Vec<Amendment>,
    /// What is probably a mistake in it, and what is worth knowing of it, in the order of the file.
    pub warnings: Vec<Fault>,
    /// FNV-1a, 64 bits, of the file's text.
    pub hash: u64,
}

/// A table with some of its amendments, and what is wrong with it.
#[derive(Clone, Debug)]
pub struct Partial {
    /// The table.
    pub table: Table,
    /// What is wrong with it.
    pub findings: Vec<Fault>,
    /// Warnings and notes on a table with which nothing is wrong.
    pub warnings: Vec<Fault>,
}

impl Literal {
    /// Reads a file. What stops the reader comes back as [`Faults`], all at once; what does not
    /// stands in [`Literal::findings`].
    pub fn read(source: Source) -> Result<Self, Faults> {
        let read = match read::read(&source) {
            Ok(read) => read,
            Err(list) => return Err(Faults { source, list }),
        };
        let literal = read.literal();
        Ok(Self {
            vocabulary: read.vocabulary.clone(),
            table: literal.table,
            findings: literal.findings,
            amendments: read.amendments(),
            document: read.document(),
            uncited: read.uncited(),
            survivors: read.survivors(),
            source,
            read,
        })
    }

    /// The names that a text has, whatever its faults, without its rows: for one who must go on
    /// after them. A name may be empty, stand twice or be no name at all.
    #[must_use]
    pub fn names(source: &Source) -> Vocabulary {
        read::names(source)
    }

    /// The table with every amendment. A finding that is left is a fault here.
    pub fn amended(&self) -> Result<Sound, Faults> {
        let amended = self.without(&[]);
        if !amended.findings.is_empty() {
            return Err(Faults { source: self.source.clone(), list: amended.findings });
        }
        Ok(Sound {
            vocabulary: self.vocabulary.clone(),
            table: amended.table,
            document: self.document.clone(),
            amendments: self.amendments.clone(),
            warnings: amended.warnings,
            hash: self.source.hash(),
        })
    }

    /// What is wrong with another table in place of the amended one, of its names: one that
    /// differs in its rows, cells and formulas.
    #[must_use]
    pub fn lint(&self, table: &Table) -> Vec<Fault> {
        self.read.lint(table)
    }

    /// The table with every amendment but these, and what is wrong with it.
    #[must_use]
    pub fn without(&self, ids: &[&str]) -> Partial {
        let mut amended = self.read.amended(ids);
        for finding in &mut amended.findings {
            finding.severity = Severity::Error;
        }
        sort(&mut amended.findings);
        amended
    }
}

impl From<raw::Document> for Document {
    fn from(document: raw::Document) -> Self {
        let raw::Document { file, title, section, sha256, cite } = document;
        Self { file, title, section, sha256, cite }
    }
}

//! The two versions of a table, which only this crate builds: [`WrittenTable`], as its document has
//! it, with findings, and [`AmendedTable`], amended, without findings.

mod amendment;
mod document;
mod survivor;

use crate::diagnostic::{Diagnostic, Diagnostics, Severity, sort};
use crate::raw;
use crate::read::{self, Parsed};
use crate::source::Source;
use crate::table::{Table, Vocabulary};
use crate::yaml::{self, Tree};

pub use amendment::{Amendment, Change, PartlyAmended, Reading};
pub use document::{Document, Uncited};
pub use survivor::ExplainedMutant;

/// A table as written in its document, with its findings.
#[derive(Clone, Debug)]
pub struct WrittenTable {
    /// The names of the table as written and of the amended table.
    pub vocabulary: Vocabulary,
    /// The table as written.
    pub table: Table,
    /// The findings, in file order.
    pub findings: Vec<Diagnostic>,
    /// The amendments, in file order.
    pub amendments: Vec<Amendment>,
    /// What else the document may mean, in file order; none in a table that is in a reading.
    pub readings: Vec<Reading>,
    /// The document that it transcribes.
    pub document: Option<Document>,
    /// The lines of the document listed as uncited.
    pub uncited: Vec<Uncited>,
    /// Mutants of the amended table that survive, with the reasons (`survivors`).
    pub survivors: Vec<ExplainedMutant>,
    /// The file.
    pub source: Source,
    parsed: Parsed,
}

/// A table that can be compiled: amended, without findings. Only the reader builds one.
#[derive(Clone, Debug)]
pub struct AmendedTable {
    /// The names of the table as written and of the amended table.
    pub vocabulary: Vocabulary,
    /// The amended table.
    pub table: Table,
    /// The document that it transcribes.
    pub document: Option<Document>,
    /// The amendments.
    pub amendments: Vec<Amendment>,
    /// Warnings and notes, in file order.
    pub warnings: Vec<Diagnostic>,
    /// FNV-1a, 64 bits, of the file's text.
    pub hash: u64,
}

impl WrittenTable {
    /// Reads a file. Errors come back together as [`Diagnostics`]; problems with which the table as
    /// written still runs are its [`WrittenTable::findings`].
    pub fn read(source: Source) -> Result<Self, Diagnostics> {
        let tree = yaml::parse(&source);
        Self::of(source, tree)
    }

    /// The table of a file's tree.
    pub(crate) fn of(source: Source, tree: Tree) -> Result<Self, Diagnostics> {
        let parsed = match read::read(&source, tree) {
            Ok(parsed) => parsed,
            Err(list) => return Err(Diagnostics { source, list }),
        };
        Ok(Self::of_parsed(source, parsed))
    }

    fn of_parsed(source: Source, parsed: Parsed) -> Self {
        let literal = parsed.literal();
        Self {
            vocabulary: parsed.vocabulary.clone(),
            table: literal.table,
            findings: literal.findings,
            amendments: parsed.amendments(),
            document: parsed.document(),
            uncited: parsed.uncited(),
            survivors: parsed.survivors(),
            readings: parsed.readings(),
            source,
            parsed,
        }
    }

    /// The table in the reading of this id, if there is one: as written with the reading, and
    /// amended with it but for the amendments that have no place in it.
    ///
    /// # Errors
    ///
    /// Those of the reading; that it does not fit the table is a finding of the amended table.
    #[must_use]
    pub fn in_reading(&self, id: &str) -> Option<Result<Self, Diagnostics>> {
        let source = self.source.clone();
        Some(match self.parsed.in_reading(id)? {
            Ok(parsed) => Ok(Self::of_parsed(source, parsed)),
            Err(list) => Err(Diagnostics { source, list }),
        })
    }

    /// The names in a text, in spite of its errors, without its rows: for a caller that continues
    /// after errors. A name may be empty, duplicate or invalid.
    #[must_use]
    pub fn names(source: &Source) -> Vocabulary {
        read::names(source)
    }

    /// The amended table; remaining findings are errors.
    pub fn amended(&self) -> Result<AmendedTable, Diagnostics> {
        let amended = self.without(&[]);
        if !amended.findings.is_empty() {
            return Err(Diagnostics { source: self.source.clone(), list: amended.findings });
        }
        Ok(AmendedTable {
            vocabulary: self.vocabulary.clone(),
            table: amended.table,
            document: self.document.clone(),
            amendments: self.amendments.clone(),
            warnings: amended.warnings,
            hash: self.source.hash(),
        })
    }

    /// Lints another table over the same names in place of the amended one, which differs in rows,
    /// cells or formulas.
    #[must_use]
    pub fn lint(&self, table: &Table) -> Vec<Diagnostic> {
        self.parsed.lint(table)
    }

    /// The table with all amendments but these, and its findings.
    #[must_use]
    pub fn without(&self, ids: &[&str]) -> PartlyAmended {
        let mut amended = self.parsed.amended(ids);
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

//! From text to the two tables: YAML tree, shapes, words, names, rows. Lints are in
//! [`crate::lint`].

pub(crate) mod amend;
pub(crate) mod build;
pub(crate) mod cover;
pub(crate) mod draft;
pub(crate) mod formula;
pub(crate) mod pattern;
mod rows;
pub(crate) mod vocabulary;

use std::fmt;

use crate::code;
use crate::fault::{Fault, Span, sort};
use crate::language;
use crate::limit;
use crate::lint::{self, Subject};
use crate::literal::{Amendment, Document, Partial, Survivor, Uncited};
use crate::raw;
use crate::read::draft::{Draft, Lookup};
use crate::shape::{self, Kind};
use crate::source::Source;
use crate::table::{Table, Vocabulary};
use crate::yaml::{self, Node};

/// A file without errors: its words and its names.
#[derive(Clone)]
pub(crate) struct Read {
    raw: raw::Table,
    pub(crate) vocabulary: Vocabulary,
    listed: amend::Listed,
}

impl fmt::Debug for Read {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The words are the file's; deriving this for each of their shapes costs every embedder.
        write!(f, "Read({})", self.raw.machine.text)
    }
}

/// Reads a file up to its names. What stops the reader comes back, with what else is surely wrong.
pub(crate) fn read(source: &Source) -> Result<Read, Vec<Fault>> {
    let (tree, mut faults) = yaml::parse(source);
    let Some(tree) = tree else {
        if faults.is_empty() {
            faults.push(yaml::empty());
        }
        return Err(faults);
    };
    if let Some(fault) = shape::mistaken(&tree, true) {
        return Err(vec![fault]);
    }
    shape::check(source, &tree, Kind::Map(&language::TABLE), &mut faults);
    let raw = raw::table(&tree);
    let mut more = Vec::new();
    lint::errors(&raw, &mut more);
    add_elsewhere(&mut faults, more);
    let is_bounded = faults.iter().all(|fault| fault.code != code::LIMIT);
    let is_legible = is_bounded && has_sections(&tree);
    if !is_legible && !faults.is_empty() {
        return Err(sorted(faults));
    }
    let mut vocabulary = vocabulary::collect(&raw);
    let listed = amend::list(&raw, &mut vocabulary);
    let read = Read { raw, vocabulary, listed };
    if faults.is_empty() {
        return Ok(read);
    }
    let more = read.build(&amend::literal(&read.raw, &read.listed), lint::sure).findings;
    add_elsewhere(&mut faults, more);
    Err(sorted(faults))
}

/// Whether every section is known and there: else half of the names would seem undeclared.
fn has_sections(tree: &Node) -> bool {
    let keys = language::TABLE.keys;
    tree.entries().iter().all(|(word, _)| keys.iter().any(|key| key.name == word.text))
        && keys.iter().all(|key| !key.required || tree.at(key.name).is_some())
}

/// Adds faults but for those of a place that has one: they would only follow from it.
fn add_elsewhere(faults: &mut Vec<Fault>, more: Vec<Fault>) {
    let taken: Vec<Span> = faults.iter().map(Fault::span).collect();
    let is_free =
        |span: Span| taken.iter().all(|other| span.end <= other.start || other.end <= span.start);
    faults.extend(more.into_iter().filter(|fault| is_free(fault.span())));
}

fn sorted(mut faults: Vec<Fault>) -> Vec<Fault> {
    sort(&mut faults);
    faults.truncate(limit::FAULTS);
    faults
}

/// The names that a text has, whatever else is wrong with it; none where it is too large.
pub(crate) fn names(source: &Source) -> Vocabulary {
    let (tree, mut faults) = yaml::parse(source);
    let Some(tree) = tree else { return Vocabulary::default() };
    shape::check(source, &tree, Kind::Map(&language::TABLE), &mut faults);
    let raw = raw::table(&tree);
    lint::errors(&raw, &mut faults);
    if faults.iter().any(|fault| fault.code == code::LIMIT) {
        return Vocabulary::default();
    }
    vocabulary::collect(&raw)
}

impl Read {
    /// The table as written.
    pub(crate) fn literal(&self) -> Partial {
        self.build(&amend::literal(&self.raw, &self.listed), lint::findings)
    }

    /// The table with every amendment but these.
    pub(crate) fn amended(&self, without: &[&str]) -> Partial {
        let draft = amend::amended(&self.raw, &self.listed, without);
        let mut partial = self.build(&draft, |subject| {
            let mut faults = lint::findings(subject);
            faults.extend(lint::amendments(subject));
            faults
        });
        partial.findings.extend(self.listed.faults.iter().cloned());
        sort(&mut partial.findings);
        partial
    }

    /// What is wrong with a table that differs from the amended one in rows, cells and formulas.
    pub(crate) fn lint(&self, table: &Table) -> Vec<Fault> {
        let draft = amend::amended(&self.raw, &self.listed, &[]);
        let lookup = Lookup::new(&self.vocabulary, &draft);
        lint::built(&Subject { raw: &self.raw, lookup: &lookup, table })
    }

    fn build(&self, draft: &Draft, findings: fn(&Subject<'_>) -> Vec<Fault>) -> Partial {
        let table = build::table(&self.vocabulary, draft);
        let lookup = Lookup::new(&self.vocabulary, draft);
        let subject = Subject { raw: &self.raw, lookup: &lookup, table: &table };
        let mut findings = findings(&subject);
        sort(&mut findings);
        Partial { table, findings }
    }

    /// The amendments, in the file's order.
    pub(crate) fn amendments(&self) -> Vec<Amendment> {
        amend::describe(&self.raw, &self.listed)
    }

    /// The lines that nothing cites.
    pub(crate) fn uncited(&self) -> Vec<Uncited> {
        self.raw.uncited.clone()
    }

    /// The mutants that are said to go unnoticed.
    pub(crate) fn survivors(&self) -> Vec<Survivor> {
        self.raw.survivors.clone()
    }

    /// The document.
    pub(crate) fn document(&self) -> Option<Document> {
        self.raw.document.clone().map(Into::into)
    }
}

//! From text to the two tables: YAML tree, shapes, words, names, rows. Lints are in [`crate::lint`].

pub(crate) mod amend;
pub(crate) mod build;
pub(crate) mod cover;
pub(crate) mod draft;
pub(crate) mod pattern;
mod rows;
pub(crate) mod vocabulary;

use crate::code;
use crate::fault::{Fault, sort};
use crate::language;
use crate::lint::{self, Subject};
use crate::literal::{Amendment, Document, Partial, Uncited};
use crate::raw;
use crate::read::draft::{Draft, Lookup};
use crate::shape::{self, Kind};
use crate::source::Source;
use crate::table::Vocabulary;
use crate::yaml;

/// A file without errors: its words and its names.
#[derive(Clone, Debug)]
pub(crate) struct Read {
    raw: raw::Table,
    pub(crate) vocabulary: Vocabulary,
    listed: amend::Listed,
}

/// Reads a file up to its names. What stops the reader comes back.
pub(crate) fn read(source: &Source) -> Result<Read, Vec<Fault>> {
    let (tree, mut faults) = yaml::parse(source);
    if let Some(tree) = &tree {
        shape::check(source, tree, Kind::Map(&language::TABLE), &mut faults);
    }
    let raw = tree.as_ref().map(raw::table).unwrap_or_default();
    if tree.is_some() {
        lint::errors(&raw, &mut faults);
    } else if faults.is_empty() {
        faults.push(yaml::empty());
    }
    if !faults.is_empty() {
        sort(&mut faults);
        return Err(faults);
    }
    let mut vocabulary = vocabulary::collect(&raw);
    let listed = amend::list(&raw, &mut vocabulary);
    Ok(Read { raw, vocabulary, listed })
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

    /// The document.
    pub(crate) fn document(&self) -> Option<Document> {
        self.raw.document.clone().map(Into::into)
    }
}

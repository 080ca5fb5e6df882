//! From text to the two tables: YAML tree, shapes, words, names, rows. Lints are in
//! [`crate::lint`].

pub(crate) mod amend;
mod asked;
pub(crate) mod build;
pub(crate) mod cover;
pub(crate) mod draft;
pub(crate) mod formula;
mod mend;
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
use crate::sorted::Set;
use crate::source::Source;
use crate::table::{Table, Vocabulary};
use crate::yaml::{self, Node, Word};

/// A file without errors: its words and its names.
#[derive(Clone)]
pub(crate) struct Read {
    raw: raw::Table,
    pub(crate) vocabulary: Vocabulary,
    listed: amend::Listed,
    /// The same with its misspelt names replaced, for the lints alone.
    mended: Option<Box<Read>>,
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
    let mut read = Read::of(raw);
    read.mended = mend::mend(&read.raw).map(|raw| Box::new(Read::of(raw)));
    if faults.is_empty() {
        return Ok(read);
    }
    let mut more = read.build(&Read::as_written, &|_, subject| lint::sure(subject)).findings;
    // What the document leaves out and an amendment adds does not stop the reader.
    let amended = read.amended_names();
    more.retain(|fault| {
        let name = fault.message.split('`').nth(1);
        !NAMES.contains(&fault.code) || name.is_none_or(|name| !amended.has(name))
    });
    add_elsewhere(&mut faults, more);
    Err(sorted(faults))
}

/// The codes of names that nothing declares.
const NAMES: [&str; 6] = [
    code::UNDECLARED_STATE,
    code::UNDECLARED_EVENT,
    code::UNDECLARED_ACTION,
    code::UNDECLARED_RESOURCE,
    code::UNDECLARED_GUARD,
    code::UNDECLARED_PREDICATE,
];

/// Whether an amendment does not hit what it is of.
fn is_missed(fault: &Fault) -> bool {
    [code::SELECTS_NOTHING, code::SELECTS_SEVERAL, code::NEEDS].contains(&fault.code)
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
    fn of(raw: raw::Table) -> Self {
        let mut vocabulary = vocabulary::collect(&raw);
        let listed = amend::list(&raw, &mut vocabulary);
        Self { raw, vocabulary, listed, mended: None }
    }

    fn as_written(&self) -> Draft {
        amend::literal(&self.raw, &self.listed)
    }

    /// The table as written.
    pub(crate) fn literal(&self) -> Partial {
        self.build(&Self::as_written, &|_, subject| lint::findings(subject))
    }

    /// The table with every amendment but these.
    pub(crate) fn amended(&self, without: &[&str]) -> Partial {
        let draft = |read: &Self| amend::amended(&read.raw, &read.listed, without);
        self.build(&draft, &|read, subject| {
            let mut faults = lint::amendments(subject, &read.listed);
            faults.extend(read.listed.faults.iter().cloned());
            // Where an amendment hits nothing, what it would have mended follows from that.
            let rest = if faults.iter().any(is_missed) { lint::spelling } else { lint::findings };
            faults.extend(rest(subject));
            faults
        })
    }

    /// What is wrong with a table that differs from the amended one in rows, cells and formulas.
    pub(crate) fn lint(&self, table: &Table) -> Vec<Fault> {
        let draft = amend::amended(&self.raw, &self.listed, &[]);
        let lookup = Lookup::new(&self.vocabulary, &draft);
        lint::built(&Subject { raw: &self.raw, lookup: &lookup, table })
    }

    /// A table of the file and what is wrong with it: its names as they are written, everything
    /// else as if those that are misspelt were not.
    fn build(
        &self,
        draft: &dyn Fn(&Self) -> Draft,
        rest: &dyn Fn(&Self, &Subject<'_>) -> Vec<Fault>,
    ) -> Partial {
        let written = draft(self);
        let table = build::table(&self.vocabulary, &written);
        let lookup = Lookup::new(&self.vocabulary, &written);
        let subject = Subject { raw: &self.raw, lookup: &lookup, table: &table };
        let mut findings = lint::names(&subject);
        let warnings = match &self.mended {
            None => {
                findings.extend(rest(self, &subject));
                if findings.is_empty() { lint::warnings(&subject) } else { Vec::new() }
            }
            Some(mended) => {
                let draft = draft(mended);
                let table = build::table(&mended.vocabulary, &draft);
                let lookup = Lookup::new(&mended.vocabulary, &draft);
                findings.extend(rest(
                    mended,
                    &Subject { raw: &mended.raw, lookup: &lookup, table: &table },
                ));
                Vec::new()
            }
        };
        let removed = self.removed_names();
        let follows = |fault: &Fault| {
            let is_of = |(code, name): &(_, String)| {
                fault.code == *code && fault.message.contains(name.as_str())
            };
            removed.iter().any(is_of)
        };
        if findings.iter().any(|fault| !follows(fault)) {
            // Rows that name what is removed may be left by an amendment that hits nothing.
            findings.retain(|fault| !follows(fault));
        }
        if findings.iter().any(is_missed) {
            // What an amendment would have declared follows from that it hits nothing.
            let states = self.raw.parts.states.iter().filter(|(_, state)| state.undeclared);
            let listed: Vec<String> = states.map(|(word, _)| format!("`{}`", word.text)).collect();
            findings.retain(|fault| {
                fault.code != code::UNDECLARED_STATE
                    || !listed.iter().any(|name| fault.message.contains(name))
            });
        }
        findings.iter_mut().for_each(|fault| fault.row = self.row_of(fault.span()));
        sort(&mut findings);
        findings.truncate(limit::FAULTS);
        Partial { table, findings, warnings }
    }

    /// Names that the document leaves undeclared, as the file says, or that an amendment declares.
    fn amended_names(&self) -> Set<&str> {
        let states = self.raw.parts.states.iter().filter(|(_, state)| state.undeclared);
        let mut names = Set::default();
        names.add_all(states.map(|(word, _)| word.text.as_str()));
        for amendment in &self.raw.amendments {
            names.add_all(amendment.add.names());
        }
        names
    }

    /// States and events that the document declares and an amendment removes, each with the code of
    /// a fault about it.
    fn removed_names(&self) -> Vec<(&'static str, String)> {
        let parts = &self.raw.parts;
        let is_state = |word: &Word| {
            let mut states = parts.states.iter();
            states.any(|(name, state)| name.text == word.text && !state.undeclared)
        };
        let is_event = |word: &Word| parts.events.iter().any(|(name, _)| name.text == word.text);
        let mut names = Vec::new();
        for amendment in &self.raw.amendments {
            let states = amendment.remove.states.iter().filter(|word| is_state(word));
            names.extend(states.map(|word| (code::UNDECLARED_STATE, format!("`{}`", word.text))));
            let events = amendment.remove.events.iter().filter(|word| is_event(word));
            names.extend(events.map(|word| (code::UNDECLARED_EVENT, format!("`{}`", word.text))));
        }
        names
    }

    /// The row in which a place lies.
    fn row_of(&self, span: Span) -> Option<String> {
        let is_within = |row: Span| row.start <= span.start && span.end <= row.end;
        let row = self
            .vocabulary
            .rows
            .iter()
            .find(|row| is_within(row.span) && row.span != Span::default());
        row.map(|row| row.id.clone())
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

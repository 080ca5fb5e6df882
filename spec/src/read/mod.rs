//! Reads a text as a table: YAML, types of values, names, rows, amendments. The lints are in
//! [`crate::lint`].

pub(crate) mod amend;
mod asked;
pub(crate) mod build;
mod correct;
pub(crate) mod cover;
pub(crate) mod draft;
pub(crate) mod formula;
pub(crate) mod pattern;
mod reading;
mod rows;
pub(crate) mod variables;
pub(crate) mod vocabulary;

use std::fmt;

use crate::diagnostic::{Diagnostic, Span, code, sort};
use crate::language::shape::{self, Kind};
use crate::lint::{self, LintContext};
use crate::read::draft::{Draft, Lookup};
use crate::source::Source;
use crate::table::{Table, Vocabulary};
use crate::vec_map::VecSet;
use crate::versions::{Amendment, Document, ExplainedMutant, PartlyAmended, Uncited};
use crate::yaml::{self, Node, Tree, Word};
use crate::{language, limit, raw};

/// A parsed file without errors, with its names.
#[derive(Clone)]
pub(crate) struct Parsed {
    raw: raw::Table,
    pub(crate) vocabulary: Vocabulary,
    listed: amend::RowIndex,
    /// The same file with misspelt names corrected, for the lints only.
    corrected: Option<Box<Parsed>>,
}

impl fmt::Debug for Parsed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Deriving `Debug` for all raw types would cost every embedder compile time.
        write!(f, "Parsed({})", self.raw.machine.text)
    }
}

/// Reads a file's tree. Errors come back with the findings that no error can have caused.
pub(crate) fn read(source: &Source, tree: Tree) -> Result<Parsed, Vec<Diagnostic>> {
    let Tree { root, mut diagnostics, .. } = tree;
    let Some(tree) = root else {
        if diagnostics.is_empty() {
            diagnostics.push(yaml::empty());
        }
        return Err(diagnostics);
    };
    if let Some(diagnostic) = shape::mistaken(&tree, true) {
        return Err(vec![diagnostic]);
    }
    shape::check(source, &tree, Kind::Map(&language::TABLE), &mut diagnostics);
    let raw = raw::table(&tree);
    let mut more = Vec::new();
    lint::errors(&raw, &mut more);
    add_elsewhere(&mut diagnostics, more);
    let is_bounded = diagnostics.iter().all(|diagnostic| diagnostic.code != code::LIMIT);
    let is_legible = is_bounded && has_sections(&tree);
    if !is_legible && !diagnostics.is_empty() {
        return Err(sorted(diagnostics));
    }
    let mut read = Parsed::of(raw);
    read.corrected = correct::correct(&read.raw).map(|raw| Box::new(Parsed::of(raw)));
    if diagnostics.is_empty() {
        return Ok(read);
    }
    let mut more = read.build(&Parsed::as_written, &|_, cx| lint::sure(cx)).findings;
    // Names that the document does not declare and an amendment adds are not errors.
    let amended = read.amended_names();
    more.retain(|diagnostic| {
        let name = diagnostic.message.split('`').nth(1);
        !NAMES.contains(&diagnostic.code) || name.is_none_or(|name| !amended.has(name))
    });
    add_elsewhere(&mut diagnostics, more);
    Err(sorted(diagnostics))
}

/// The codes of undeclared names.
const NAMES: [&str; 6] = [
    code::UNDECLARED_STATE,
    code::UNDECLARED_EVENT,
    code::UNDECLARED_ACTION,
    code::UNDECLARED_RESOURCE,
    code::UNDECLARED_GUARD,
    code::UNDECLARED_PREDICATE,
];

/// Whether an amendment matches nothing.
fn is_missed(diagnostic: &Diagnostic) -> bool {
    [code::MATCHES_NOTHING, code::MATCHES_SEVERAL, code::INVALID_NEEDS].contains(&diagnostic.code)
}

/// Whether all sections are known and present: otherwise many names would seem undeclared.
fn has_sections(tree: &Node) -> bool {
    let keys = language::TABLE.keys;
    tree.entries().iter().all(|(word, _)| keys.iter().any(|key| key.name == word.text))
        && keys.iter().all(|key| !key.required || tree.at(key.name).is_some())
}

/// Adds diagnostics, except where their position overlaps one that probably causes them.
fn add_elsewhere(diagnostics: &mut Vec<Diagnostic>, more: Vec<Diagnostic>) {
    let taken: Vec<Span> = diagnostics.iter().map(Diagnostic::span).collect();
    let is_free =
        |span: Span| taken.iter().all(|other| span.end <= other.start || other.end <= span.start);
    diagnostics.extend(more.into_iter().filter(|diagnostic| is_free(diagnostic.span())));
}

fn sorted(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    sort(&mut diagnostics);
    diagnostics.truncate(limit::DIAGNOSTICS);
    diagnostics
}

/// The names in a text in spite of its errors; none if it is too large.
pub(crate) fn names(source: &Source) -> Vocabulary {
    let Tree { root, mut diagnostics, .. } = yaml::parse(source);
    let Some(tree) = root else { return Vocabulary::default() };
    shape::check(source, &tree, Kind::Map(&language::TABLE), &mut diagnostics);
    let raw = raw::table(&tree);
    lint::errors(&raw, &mut diagnostics);
    if diagnostics.iter().any(|diagnostic| diagnostic.code == code::LIMIT) {
        return Vocabulary::default();
    }
    vocabulary::collect(&raw)
}

impl Parsed {
    fn of(raw: raw::Table) -> Self {
        let mut vocabulary = vocabulary::collect(&raw);
        let listed = amend::list(&raw, &mut vocabulary);
        Self { raw, vocabulary, listed, corrected: None }
    }

    fn as_written(&self) -> Draft {
        amend::written(&self.raw, &self.listed)
    }

    /// The table as written.
    pub(crate) fn literal(&self) -> PartlyAmended {
        self.build(&Self::as_written, &|_, cx| lint::findings(cx))
    }

    /// The table with every amendment but these.
    pub(crate) fn amended(&self, without: &[&str]) -> PartlyAmended {
        let draft = |read: &Self| amend::amended(&read.raw, &read.listed, without);
        self.build(&draft, &|read, cx| {
            let mut diagnostics = lint::amendments(cx, &read.listed);
            diagnostics.extend(read.listed.diagnostics.iter().cloned());
            // An amendment that matches nothing causes the findings that it would have fixed.
            let rest =
                if diagnostics.iter().any(is_missed) { lint::spelling } else { lint::findings };
            diagnostics.extend(rest(cx));
            diagnostics
        })
    }

    /// Lints a table that differs from the amended one in rows, cells or formulas.
    pub(crate) fn lint(&self, table: &Table) -> Vec<Diagnostic> {
        let draft = amend::amended(&self.raw, &self.listed, &[]);
        let lookup = Lookup::new(&self.vocabulary, &draft);
        lint::built(&LintContext { raw: &self.raw, lookup: &lookup, table })
    }

    /// Builds a version of the table and lints it: names as written, everything else with
    /// misspelt names corrected.
    fn build(
        &self,
        draft: &dyn Fn(&Self) -> Draft,
        rest: &dyn Fn(&Self, &LintContext<'_>) -> Vec<Diagnostic>,
    ) -> PartlyAmended {
        let written = draft(self);
        let table = build::table(&self.vocabulary, &written);
        let lookup = Lookup::new(&self.vocabulary, &written);
        let cx = LintContext { raw: &self.raw, lookup: &lookup, table: &table };
        let mut findings = lint::names(&cx);
        let warnings = match &self.corrected {
            None => {
                findings.extend(rest(self, &cx));
                if findings.is_empty() { lint::warnings(&cx) } else { Vec::new() }
            }
            Some(corrected) => {
                let draft = draft(corrected);
                let table = build::table(&corrected.vocabulary, &draft);
                let lookup = Lookup::new(&corrected.vocabulary, &draft);
                findings.extend(rest(
                    corrected,
                    &LintContext { raw: &corrected.raw, lookup: &lookup, table: &table },
                ));
                Vec::new()
            }
        };
        let removed = self.removed_names();
        let follows = |diagnostic: &Diagnostic| {
            let is_of = |(code, name): &(_, String)| {
                diagnostic.code == *code && diagnostic.message.contains(name.as_str())
            };
            removed.iter().any(is_of)
        };
        if findings.iter().any(|diagnostic| !follows(diagnostic)) {
            // An amendment that matches nothing may leave rows that use a removed name.
            findings.retain(|diagnostic| !follows(diagnostic));
        }
        if findings.iter().any(is_missed) {
            // An amendment that matches nothing causes the names that it would have declared.
            let states = self.raw.parts.states.iter().filter(|(_, state)| state.undeclared);
            let listed: Vec<String> = states.map(|(word, _)| format!("`{}`", word.text)).collect();
            findings.retain(|diagnostic| {
                diagnostic.code != code::UNDECLARED_STATE
                    || !listed.iter().any(|name| diagnostic.message.contains(name))
            });
        }
        findings.iter_mut().for_each(|diagnostic| diagnostic.row = self.row_of(diagnostic.span()));
        sort(&mut findings);
        findings.truncate(limit::DIAGNOSTICS);
        PartlyAmended { table, findings, warnings }
    }

    /// Names with `undeclared: true`, and names that amendments declare.
    fn amended_names(&self) -> VecSet<&str> {
        let states = self.raw.parts.states.iter().filter(|(_, state)| state.undeclared);
        let mut names = VecSet::default();
        names.add_all(states.map(|(word, _)| word.text.as_str()));
        for amendment in &self.raw.amendments {
            names.add_all(amendment.add.names());
        }
        names
    }

    /// States and events that the document declares and an amendment removes, each with the code of
    /// its diagnostic.
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

    /// The row that contains a position.
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

    /// The lines listed as uncited.
    pub(crate) fn uncited(&self) -> Vec<Uncited> {
        self.raw.uncited.clone()
    }

    /// The mutants that are declared equivalent.
    pub(crate) fn survivors(&self) -> Vec<ExplainedMutant> {
        self.raw.survivors.clone()
    }

    /// The document.
    pub(crate) fn document(&self) -> Option<Document> {
        self.raw.document.clone().map(Into::into)
    }
}

//! The lint passes, one per file: each checks a whole table and reports what it finds.

mod amendments;
mod balance;
mod cells;
mod citations;
mod completions;
mod conflicts;
mod counts;
mod covered;
mod final_states;
mod formulas;
mod generic;
mod impossible;
mod names;
mod patterns;
mod payloads;
mod reach;
mod resources;
mod texts;
mod timers;
mod undeclared;
mod unknowns;
mod unspecified;
mod unused;
mod variables;

use crate::diagnostic::{Diagnostic, Span};
use crate::limit;
use crate::raw;
use crate::read::amend::RowIndex;
use crate::read::draft::Lookup;
use crate::table::{ActionId, EventId, ResourceId, RowId, StateId, Table};

/// The input of the passes: the file, its names and the table built from them.
pub(crate) struct LintContext<'a> {
    /// The file.
    pub(crate) raw: &'a raw::Table,
    /// The declarations and rows of this version of the table, and all names.
    pub(crate) lookup: &'a Lookup<'a>,
    /// The table built from them.
    pub(crate) table: &'a Table,
}

/// Errors in files whose keys and values all have the right types.
pub(crate) fn errors(raw: &raw::Table, diagnostics: &mut Vec<Diagnostic>) {
    counts::check(raw, diagnostics);
    names::title(raw, diagnostics);
    payloads::check(raw, diagnostics);
}

/// Findings that are reported even if the file has errors, because no misspelt key elsewhere can
/// cause them.
pub(crate) fn sure(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    run(cx, &[names::check, patterns::check, conflicts::check])
}

/// Findings about names before misspelt ones are corrected: undeclared names, each once, and
/// duplicates in lists.
pub(crate) fn names(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    run(cx, &[undeclared::check, formulas::names, resources::lists])
}

/// Findings about names and patterns alone.
pub(crate) fn spelling(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    run(cx, &[names::check, patterns::check])
}

/// Warnings and notes on a table without findings.
pub(crate) fn warnings(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    run(cx, &[covered::check, impossible::check, unspecified::check, texts::check])
}

/// All findings on a table.
pub(crate) fn findings(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    let passes: &[Pass] = &[
        names::check,
        patterns::check,
        formulas::check,
        conflicts::check,
        cells::check,
        reach::check,
        final_states::check,
        completions::check,
        generic::check,
        resources::check,
        timers::check,
        variables::check,
        unused::check,
        citations::check,
    ];
    run(cx, passes)
}

/// Findings on a table that was changed after it was built: the passes that read only the table,
/// not the file.
pub(crate) fn built(cx: &LintContext<'_>) -> Vec<Diagnostic> {
    let passes: &[Pass] = &[
        conflicts::check,
        cells::check,
        reach::built,
        final_states::check,
        completions::built,
        resources::check,
    ];
    run(cx, passes)
}

type Pass = fn(&LintContext<'_>, &mut Vec<Diagnostic>);

fn run(cx: &LintContext<'_>, passes: &[Pass]) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for pass in passes {
        pass(cx, &mut diagnostics);
        diagnostics.truncate(limit::DIAGNOSTICS);
    }
    diagnostics
}

/// Findings on the amendments, except for those that match no row.
pub(crate) fn amendments(cx: &LintContext<'_>, listed: &RowIndex) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    amendments::check(cx, listed, &mut diagnostics);
    diagnostics
}

impl LintContext<'_> {
    fn state(&self, id: StateId) -> &str {
        self.lookup.vocabulary.states.get(id.index()).map_or("", |name| &name.name)
    }

    fn event(&self, id: EventId) -> &str {
        self.lookup.vocabulary.events.get(id.index()).map_or("", |event| &event.name.name)
    }

    fn action(&self, id: ActionId) -> &str {
        self.lookup.vocabulary.actions.get(id.index()).map_or("", |name| &name.name)
    }

    fn resource(&self, id: ResourceId) -> &str {
        let resource = self.lookup.vocabulary.resources.get(id.index());
        resource.map_or("", |resource| &resource.name.name)
    }

    /// Where a state is declared in this table.
    fn declared_at(&self, id: StateId) -> Option<Span> {
        let name = self.state(id);
        let states = &self.lookup.draft.parts.states;
        let found = states.iter().find(|(word, state)| word.text == name && !state.undeclared);
        found.map(|(word, _)| word.span)
    }

    /// The position of a row in the file.
    fn row_at(&self, id: RowId) -> Span {
        self.lookup.vocabulary.rows.get(id.index()).map(|row| row.span).unwrap_or_default()
    }

    /// The name of a row in messages.
    fn row(&self, id: RowId) -> String {
        let id = self.lookup.vocabulary.rows.get(id.index()).map_or("", |row| row.id.as_str());
        format!("row {id}")
    }
}

/// Names in backquotes, the last after "and".
fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

//! The lint passes, one a file: each looks at a whole table and adds what it finds. None changes
//! it.

mod account;
mod amendments;
mod cells;
mod citations;
mod conflicts;
mod counts;
mod covered;
mod doubt;
mod finals;
mod formulas;
mod general;
mod names;
mod patterns;
mod payloads;
mod reach;
mod resources;
mod timers;
mod undeclared;
mod unused;

use crate::fault::{Fault, Span};
use crate::limit;
use crate::raw;
use crate::read::amend::Listed;
use crate::read::draft::Lookup;
use crate::table::{EventId, ResourceId, RowId, StateId, Table};

/// What the passes look at: the words, the names and the table built from them.
pub(crate) struct Subject<'a> {
    /// The file.
    pub(crate) raw: &'a raw::Table,
    /// The declarations and rows of this table, and all names.
    pub(crate) lookup: &'a Lookup<'a>,
    /// What was built from them.
    pub(crate) table: &'a Table,
}

/// What stops the reader although every shape is right.
pub(crate) fn errors(raw: &raw::Table, faults: &mut Vec<Fault>) {
    counts::check(raw, faults);
    names::title(raw, faults);
    payloads::check(raw, faults);
}

/// What is wrong with a table whatever is wrong with its file: what these find does not follow from
/// a key that is misspelled elsewhere.
pub(crate) fn sure(subject: &Subject<'_>) -> Vec<Fault> {
    run(subject, &[names::check, patterns::check, conflicts::check])
}

/// What is wrong with names as they are written: those that nothing declares, each once, and those
/// that a list has twice.
pub(crate) fn names(subject: &Subject<'_>) -> Vec<Fault> {
    run(subject, &[undeclared::check, formulas::names, resources::lists])
}

/// What is wrong with names and patterns, wherever they lead.
pub(crate) fn spelling(subject: &Subject<'_>) -> Vec<Fault> {
    run(subject, &[names::check, patterns::check])
}

/// What is probably a mistake in a table with which nothing is wrong.
pub(crate) fn warnings(subject: &Subject<'_>) -> Vec<Fault> {
    run(subject, &[covered::check])
}

/// What is wrong with a table that can be built.
pub(crate) fn findings(subject: &Subject<'_>) -> Vec<Fault> {
    let passes: &[Pass] = &[
        names::check,
        patterns::check,
        formulas::check,
        conflicts::check,
        cells::check,
        reach::check,
        finals::check,
        general::check,
        resources::check,
        timers::check,
        unused::check,
        citations::check,
    ];
    run(subject, passes)
}

/// What is wrong with a table that was changed after it was built: the passes that look at the
/// table alone. Where rows lead is asked of the table, not of its words.
pub(crate) fn built(subject: &Subject<'_>) -> Vec<Fault> {
    run(subject, &[conflicts::check, cells::check, reach::built, finals::check, resources::check])
}

type Pass = fn(&Subject<'_>, &mut Vec<Fault>);

fn run(subject: &Subject<'_>, passes: &[Pass]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for pass in passes {
        pass(subject, &mut faults);
        faults.truncate(limit::FAULTS);
    }
    faults
}

/// What is wrong with the amendments, beside selectors that hit nothing.
pub(crate) fn amendments(subject: &Subject<'_>, listed: &Listed) -> Vec<Fault> {
    let mut faults = Vec::new();
    amendments::check(subject, listed, &mut faults);
    faults
}

impl Subject<'_> {
    fn state(&self, id: StateId) -> &str {
        self.lookup.vocabulary.states.get(id.index()).map_or("", |name| &name.name)
    }

    fn event(&self, id: EventId) -> &str {
        self.lookup.vocabulary.events.get(id.index()).map_or("", |event| &event.name.name)
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

    /// Where a row is written.
    fn row_at(&self, id: RowId) -> Span {
        self.lookup.vocabulary.rows.get(id.index()).map(|row| row.span).unwrap_or_default()
    }

    /// A row by its id, as faults call it.
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

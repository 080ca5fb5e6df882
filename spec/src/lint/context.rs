//! What every pass reads, and how names stand in messages.

use crate::diagnostic::Span;
use crate::raw;
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

impl LintContext<'_> {
    pub(super) fn state(&self, id: StateId) -> &str {
        self.lookup.vocabulary.states.get(id.index()).map_or("", |name| &name.name)
    }

    pub(super) fn event(&self, id: EventId) -> &str {
        self.lookup.vocabulary.events.get(id.index()).map_or("", |event| &event.name.name)
    }

    pub(super) fn action(&self, id: ActionId) -> &str {
        self.lookup.vocabulary.actions.get(id.index()).map_or("", |name| &name.name)
    }

    pub(super) fn resource(&self, id: ResourceId) -> &str {
        let resource = self.lookup.vocabulary.resources.get(id.index());
        resource.map_or("", |resource| &resource.name.name)
    }

    /// Where a state is declared in this table.
    pub(super) fn declared_at(&self, id: StateId) -> Option<Span> {
        let name = self.state(id);
        let states = &self.lookup.draft.parts.states;
        let found = states.iter().find(|(word, state)| word.text == name && !state.undeclared);
        found.map(|(word, _)| word.span)
    }

    /// The position of a row in the file.
    pub(super) fn row_at(&self, id: RowId) -> Span {
        self.lookup.vocabulary.rows.get(id.index()).map(|row| row.span).unwrap_or_default()
    }

    /// The name of a row in messages.
    pub(super) fn row(&self, id: RowId) -> String {
        let id = self.lookup.vocabulary.rows.get(id.index()).map_or("", |row| row.id.as_str());
        format!("row {id}")
    }
}

/// Names in backquotes, the last after "and".
pub(super) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

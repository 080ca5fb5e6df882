//! An index of the rows and cells of a table by state and event.

use crate::guard_values::{Example, GuardValues};
use crate::read::{cover, pattern};
use crate::table::{EventId, Pattern, Row, StateId, Table, Vocabulary};
use crate::vec_map::VecMap;

pub use crate::cell_entry::CellEntry;

/// The rows and cells of a table by state and event.
#[derive(Clone, Debug)]
pub struct CellIndex<'t> {
    /// In the order of the states.
    entries: Vec<VecMap<EventId, CellEntry<'t>>>,
    empty: CellEntry<'t>,
    values: GuardValues<'t>,
    /// Whether each state is always left at once.
    is_left: Vec<bool>,
}

impl<'t> CellIndex<'t> {
    /// Indexes a table.
    #[must_use]
    pub fn new(words: &'t Vocabulary, table: &'t Table) -> Self {
        let mut entries: Vec<VecMap<EventId, CellEntry<'t>>> = Vec::new();
        entries.resize_with(table.states.len(), VecMap::default);
        for row in table.rows.iter().enumerate() {
            entries[row.1.from.index()].entry(row.1.event).rows.push(row);
        }
        for cell in table.cells.iter().enumerate() {
            entries[cell.1.state.index()].entry(cell.1.event).cells.push(cell);
        }
        let values = GuardValues::new(words, table);
        let mut index = Self { entries, empty: CellEntry::default(), values, is_left: Vec::new() };
        if let Some(completion) = words.completion() {
            let whole = pattern::whole(&words.events[completion.index()]);
            let states = (0..).take(table.states.len()).map(StateId);
            let is_left = states.map(|state| {
                let place = index.at(state, completion);
                !place.rows.is_empty() && index.unhandled(place, &whole).0.is_empty()
            });
            index.is_left = is_left.collect();
        }
        index
    }

    /// The payloads of `of` that no row and no entry of one of the entries handles, for some values
    /// that the guards can have together.
    pub(crate) fn unhandled(&self, place: &CellEntry<'_>, of: &Pattern) -> Pattern {
        cover::unhandled(&self.values, place, of)
    }

    /// Values for which no row handles what is left of an entry.
    pub(crate) fn example(&self, place: &CellEntry<'_>, left: &Pattern) -> Example {
        cover::example(&self.values, place, left)
    }

    /// Values for which two rows can both be taken.
    pub(crate) fn example_of_both(&self, one: &Row, other: &Row, payload: &Pattern) -> Example {
        cover::example_of_both(&self.values, [&one.guard, &other.guard], payload)
    }

    /// Whether two rows of one state and event can both be taken for some payload of a pattern.
    pub(crate) fn can_both(&self, one: &Row, other: &Row, payload: &Pattern) -> bool {
        cover::can_both(&self.values, (&one.guard, &other.guard), payload)
    }

    /// The entry of a state and an event; empty if the table has nothing for it.
    #[must_use]
    pub fn at(&self, state: StateId, event: EventId) -> &CellEntry<'t> {
        let events = self.entries.get(state.index());
        events.and_then(|events| events.get(&event)).unwrap_or(&self.empty)
    }

    /// Whether rows without an event leave a state whatever the guards are, so that no other event
    /// arrives in it.
    #[must_use]
    pub fn never_rests(&self, state: StateId) -> bool {
        self.is_left.get(state.index()).copied().unwrap_or(false)
    }

    /// Every state and event with a row or a cell.
    pub fn all(&self) -> impl Iterator<Item = (StateId, EventId, &CellEntry<'t>)> {
        let states = (0u16..).map(StateId).zip(&self.entries);
        states.flat_map(|(state, events)| {
            events.iter().map(move |(event, place)| (state, *event, place))
        })
    }
}

//! What a table says of each state and event, found without looking through all of it.

use crate::sorted::{Set, Sorted};
use crate::table::{Cell, EventId, Row, StateId, Table};

/// The rows and cells of one state and event, each with its place in the table.
#[derive(Clone, Debug, Default)]
pub struct Place<'t> {
    /// By their places in [`Table::rows`].
    pub rows: Vec<(usize, &'t Row)>,
    /// By their places in [`Table::cells`].
    pub cells: Vec<(usize, &'t Cell)>,
}

impl Place<'_> {
    /// The numbers between two, both included, cut wherever a pattern begins or ends: the table
    /// says the same of all numbers of a piece.
    #[must_use]
    pub fn pieces(&self, (least, greatest): (u16, u16)) -> Vec<(u16, u16)> {
        let rows = self.rows.iter().map(|(_, row)| &row.pattern);
        let patterns = rows.chain(self.cells.iter().map(|(_, cell)| &cell.pattern));
        let mut starts = Set::of([least]);
        for range in patterns.flat_map(|pattern| &pattern.0) {
            starts.add(*range.start());
            starts.add_all(range.end().checked_add(1));
        }
        let mut starts = starts.into_keys();
        starts.retain(|start| (least..=greatest).contains(start));
        let ends = starts.iter().skip(1).map(|next| next - 1).chain([greatest]);
        starts.iter().copied().zip(ends).collect()
    }
}

/// Everything said of each state and event.
#[derive(Clone, Debug)]
pub struct Places<'t> {
    /// In the order of the states.
    said: Vec<Sorted<EventId, Place<'t>>>,
    nothing: Place<'t>,
}

impl<'t> Places<'t> {
    /// All of a table.
    #[must_use]
    pub fn new(table: &'t Table) -> Self {
        let mut said: Vec<Sorted<EventId, Place<'t>>> = Vec::new();
        said.resize_with(table.states.len(), Sorted::default);
        for row in table.rows.iter().enumerate() {
            said[row.1.from.index()].entry(row.1.event).rows.push(row);
        }
        for cell in table.cells.iter().enumerate() {
            said[cell.1.state.index()].entry(cell.1.event).cells.push(cell);
        }
        Self { said, nothing: Place::default() }
    }

    /// What is said of one state and event.
    #[must_use]
    pub fn at(&self, state: StateId, event: EventId) -> &Place<'t> {
        let events = self.said.get(state.index());
        events.and_then(|events| events.get(&event)).unwrap_or(&self.nothing)
    }

    /// Each state and event of which something is said.
    pub fn all(&self) -> impl Iterator<Item = (StateId, EventId, &Place<'t>)> {
        let states = (0u16..).map(StateId).zip(&self.said);
        states.flat_map(|(state, events)| {
            events.iter().map(move |(event, place)| (state, *event, place))
        })
    }
}

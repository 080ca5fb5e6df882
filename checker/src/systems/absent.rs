//! The events that a table is without: those of amendments that are left out. A core may say them
//! all the same.

use turnstile_spec::table::{Cell, CellKind, EventId, Pattern, StateId, Table, Vocabulary};

/// What becomes of them: nothing, in any state.
pub(crate) fn cells(vocabulary: &Vocabulary, table: &Table) -> Vec<Cell> {
    let absent = (0..).map(EventId).zip(&vocabulary.events);
    let absent = absent.filter(|(id, _)| !table.events.contains(id));
    let cells = absent.flat_map(|(event, declared)| {
        let payload = declared.payload.as_ref();
        let (first, last) = payload.map_or((0, 0), |payload| payload.domain.bounds());
        let states = (0..).map(StateId).zip(&vocabulary.states);
        states.map(move |(state, _)| Cell {
            state,
            event,
            pattern: Pattern(vec![first..=last]),
            kind: CellKind::Ignore,
            because: "the table has no such event".to_owned(),
            is_covered: true,
            span: declared.name.span,
        })
    });
    cells.collect()
}

//! From a table to its diagram. Rows between the same two states share an arrow; a row that stays
//! in its state stands in the state's box.

use turnstile_spec::table::{EventKind, ResourceKind, Row, StateId};

use crate::diagram::{Arrow, Cause, Diagram, Entry, Node, Phase, View};
use crate::sheet::Sheet;

/// The diagram of a table.
#[must_use]
pub fn draw(sheet: &Sheet<'_>) -> Diagram {
    let states: Vec<StateId> = sheet.states().collect();
    let mut diagram = Diagram {
        title: sheet.title(),
        subtitle: sheet.subtitle(),
        nodes: states.iter().map(|state| node(sheet, *state)).collect(),
        arrows: Vec::new(),
        view: View::Whole,
    };
    let place = |state: StateId| states.iter().position(|other| *other == state);
    for row in &sheet.table.rows {
        let (Some(from), Some(to)) = (place(row.from), place(row.to)) else { continue };
        let entry = entry(sheet, row);
        if from == to {
            add(&mut diagram.nodes[from].loops, entry);
            continue;
        }
        match diagram.arrows.iter_mut().find(|arrow| (arrow.from, arrow.to) == (from, to)) {
            Some(arrow) => add(&mut arrow.entries, entry),
            None => diagram.arrows.push(Arrow { from, to, entries: vec![entry] }),
        }
    }
    diagram
}

/// A row whose actions stand under conditions is several rows in the table and one on the page.
fn add(entries: &mut Vec<Entry>, entry: Entry) {
    if !entries.contains(&entry) {
        entries.push(entry);
    }
}

fn node(sheet: &Sheet<'_>, id: StateId) -> Node {
    let name = &sheet.vocabulary.states[id.index()];
    let state = sheet.state(id);
    let literal = sheet.literal.map(|of| of.table.states.get(id.index()).and_then(Option::as_ref));
    Node {
        name: name.name.clone(),
        about: name.about.clone(),
        holds: sheet.holds(id),
        phase: phase(sheet, id),
        initial: state.is_some_and(|state| state.initial),
        amended: literal.is_some_and(|literal| literal != state),
        loops: Vec::new(),
        notes: Vec::new(),
    }
}

fn phase(sheet: &Sheet<'_>, id: StateId) -> Phase {
    let kinds = sheet.held_kinds(id);
    if sheet.is_final(id) {
        Phase::End
    } else if !sheet.vocabulary.states[id.index()].declared {
        Phase::Undeclared
    } else if sheet.state(id).is_some_and(|state| state.initial) {
        Phase::Rest
    } else if kinds.contains(&ResourceKind::Request) {
        Phase::Answer
    } else if kinds.contains(&ResourceKind::Timer) {
        Phase::Time
    } else {
        Phase::Rest
    }
}

fn entry(sheet: &Sheet<'_>, row: &Row) -> Entry {
    let written = sheet.written(row.id);
    Entry {
        row: written.id.clone(),
        event: sheet.event_words(row),
        guard: written.guard.clone(),
        cause: cause(sheet, row),
        does: written.actions.clone(),
        amended_by: written.amended_by.clone(),
    }
}

fn cause(sheet: &Sheet<'_>, row: &Row) -> Cause {
    let event = &sheet.vocabulary.events[row.event.index()];
    let consumed = row.consumes.first().or(event.consumes.first());
    match (event.kind, consumed.map(|id| sheet.vocabulary.resources[id.index()].kind)) {
        (EventKind::Command, _) => Cause::Command,
        (EventKind::Consuming, Some(ResourceKind::Timer)) => Cause::Time,
        (EventKind::Message | EventKind::Consuming, _) => Cause::Answer,
        (EventKind::Completion, _) => Cause::Completion,
    }
}

//! What `any` among `ignore` and `impossible` covers: how many cells, and which of them look like
//! rows that were forgotten.

use crate::code;
use crate::fault::{CellWords, Fault};
use crate::limit;
use crate::lint::cells::words;
use crate::lint::{Subject, listed};
use crate::sorted::{Set, Sorted};
use crate::table::{Cell, EventKind, ResourceId, Row, State, StateId};

/// Cells with the same reason to look at them: event, reason, states.
type Groups<'s> = Sorted<(String, String), Set<&'s str>>;

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let parts = &subject.lookup.draft.parts;
    for (key, cells) in [("ignore", &parts.ignore), ("impossible", &parts.impossible)] {
        for entry in cells.iter().filter(|cell| cell.states.iter().any(|word| word.text == "any")) {
            let is_of = |cell: &&Cell| cell.is_covered && cell.span == entry.span;
            let covered: Vec<&Cell> = subject.table.cells.iter().filter(is_of).collect();
            let states: Vec<&str> = entry.states.iter().map(|word| word.text.as_str()).collect();
            let place = entry.states.iter().find(|word| word.text == "any");
            let span = place.map_or(entry.span, |word| word.span);
            let fault = entry_fault(subject, key, &covered)
                .label(span, format!("`{}` covers {}", states.join(", "), many(covered.len())));
            faults.push(fault);
            if faults.len() >= limit::FAULTS {
                return;
            }
        }
    }
}

fn many(cells: usize) -> String {
    if cells == 1 { "1 cell".to_owned() } else { format!("{cells} cells") }
}

/// A note of all cells of an entry, or a warning of those that look forgotten.
fn entry_fault(subject: &Subject<'_>, key: &str, covered: &[&Cell]) -> Fault {
    let mut doubtful = Vec::new();
    let mut groups = Groups::default();
    for cell in covered {
        if let Some(reason) = reason(subject, cell) {
            let CellWords { state: _, event } = in_words(subject, cell);
            groups.entry((event, reason)).add(subject.state(cell.state));
            doubtful.push(in_words(subject, cell));
        }
    }
    if doubtful.is_empty() {
        let message = format!("`any` covers {} under `{key}`", many(covered.len()));
        let cells = covered.iter().map(|cell| in_words(subject, cell));
        let help = "name the states instead of `any`, and a row that is forgotten is noticed";
        return Fault::note(code::COVERED, message).help(help).cells(cells.collect());
    }
    let message = format!(
        "`any` covers {} under `{key}`, and a row may be forgotten in {} of them",
        many(covered.len()),
        doubtful.len()
    );
    let mut help = vec![format!("add the rows, or name under `{key}` the states that are meant:")];
    for ((event, reason), states) in groups.iter() {
        let states = states.iter().take(limit::LISTED).map(|(state, ())| *state);
        help.push(format!("  {event} in {}: {reason}", listed(states)));
    }
    Fault::warning(code::COVERED, message).help(help.join("\n")).cells(doubtful)
}

fn in_words(subject: &Subject<'_>, cell: &Cell) -> CellWords {
    let event = &subject.lookup.vocabulary.events[cell.event.index()];
    let event = words(event, &cell.pattern).trim_matches('"').to_owned();
    CellWords { state: subject.state(cell.state).to_owned(), event }
}

/// Why a cell looks forgotten.
fn reason(subject: &Subject<'_>, cell: &Cell) -> Option<String> {
    let state = subject.table.states[cell.state.index()].as_ref()?;
    let event = &subject.lookup.vocabulary.events[cell.event.index()];
    match event.kind {
        EventKind::Consuming => {
            let causes = event.consumes.iter().filter(|id| holds(state, **id));
            let causes: Vec<&str> = causes.map(|id| subject.resource(*id)).collect();
            (!causes.is_empty()).then(|| format!("it is caused by {}, held there", listed(causes)))
        }
        EventKind::Command | EventKind::Message => {
            let rows: Vec<&Row> =
                subject.table.rows.iter().filter(|row| row.event == cell.event).collect();
            if rows.is_empty() {
                return Some("no row at all takes it".to_owned());
            }
            if let Some(own) = rows.iter().find(|row| row.from == cell.state) {
                let row = subject.row(own.id);
                return Some(format!("{row} takes it there with other values, or sometimes"));
            }
            if let Some(twin) = rows.iter().find(|row| is_twin(subject, row, cell, state)) {
                let (row, other) = (subject.row(twin.id), subject.state(twin.from));
                return Some(format!("{row} takes it in `{other}`, which holds the same"));
            }
            let (mut takers, mut states) = (0, 0);
            for id in (0u16..).map(StateId).take(subject.table.states.len()) {
                let takes = |row: &&Row| row.from == id && row.pattern.meets(&cell.pattern);
                if is_open(subject, id) {
                    states += 1;
                    takers += usize::from(rows.iter().any(takes));
                }
            }
            let is_usual = 2 * takers > states;
            is_usual.then(|| format!("rows take it in {takers} of {states} states"))
        }
    }
}

fn holds(state: &State, id: ResourceId) -> bool {
    state.holds.contains(&id) || state.may_hold.contains(&id)
}

/// Whether a state is declared and not final.
fn is_open(subject: &Subject<'_>, id: StateId) -> bool {
    let state = subject.table.states.get(id.index()).and_then(Option::as_ref);
    subject.declared_at(id).is_some() && state.is_some_and(|state| !state.is_final)
}

/// Whether a row takes the cell's event in another state that is not final and holds the same.
fn is_twin(subject: &Subject<'_>, row: &Row, cell: &Cell, state: &State) -> bool {
    let other = subject.table.states[row.from.index()].as_ref();
    row.from != cell.state
        && subject.declared_at(row.from).is_some()
        && row.pattern.meets(&cell.pattern)
        && other.is_some_and(|other| {
            !other.is_final && (&other.holds, &other.may_hold) == (&state.holds, &state.may_hold)
        })
}

//! The cells that `any` covers under `ignore` and `impossible`: how many, and which of them
//! probably lack a row.

use crate::diagnostic::code;
use crate::diagnostic::{CellWords, Diagnostic};
use crate::limit;
use crate::lint::context::{LintContext, listed};
use crate::lint::coverage::cells::words;
use crate::table::{Cell, CellKind, EventKind, ResourceId, Row, State, StateId};
use crate::vec_map::{VecMap, VecSet};

/// The states of suspicious cells, by event and reason.
type Groups<'s> = VecMap<(String, String), VecSet<&'s str>>;

pub(crate) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let parts = &cx.lookup.draft.parts;
    let sections = parts.cell_sections().into_iter();
    for (key, _, cells) in sections.filter(|(_, kind, _)| *kind != CellKind::Unspecified) {
        for entry in cells.iter().filter(|cell| cell.states.iter().any(|word| word.text == "any")) {
            let is_of = |cell: &&Cell| cell.is_covered && cell.span == entry.span;
            let covered: Vec<&Cell> = cx.table.cells.iter().filter(is_of).collect();
            let states: Vec<&str> = entry.states.iter().map(|word| word.text.as_str()).collect();
            let place = entry.states.iter().find(|word| word.text == "any");
            let span = place.map_or(entry.span, |word| word.span);
            let diagnostic = entry_fault(cx, key, &covered)
                .label(span, format!("`{}` covers {}", states.join(", "), many(covered.len())));
            diagnostics.push(diagnostic);
            if diagnostics.len() >= limit::DIAGNOSTICS {
                return;
            }
        }
    }
}

fn many(cells: usize) -> String {
    if cells == 1 { "1 cell".to_owned() } else { format!("{cells} cells") }
}

/// A note on the cells of an entry, or a warning about those that probably lack a row.
fn entry_fault(cx: &LintContext<'_>, key: &str, covered: &[&Cell]) -> Diagnostic {
    let mut doubtful = Vec::new();
    let mut groups = Groups::default();
    for cell in covered {
        if let Some(reason) = reason(cx, cell) {
            let CellWords { state: _, event } = in_words(cx, cell);
            groups.entry((event, reason)).add(cx.state(cell.state));
            doubtful.push(in_words(cx, cell));
        }
    }
    if doubtful.is_empty() {
        let message = format!("`any` covers {} under `{key}`", many(covered.len()));
        let cells = covered.iter().map(|cell| in_words(cx, cell));
        let help = "name the states instead of `any`, so that a missing row is reported";
        return Diagnostic::note(code::COVERED_CELLS, message).help(help).cells(cells.collect());
    }
    let message = format!(
        "`any` covers {} under `{key}`; in {} of them a row may be missing",
        many(covered.len()),
        doubtful.len()
    );
    let mut help =
        vec![format!("add the rows, or name the intended states under `{key}` instead of `any`:")];
    for ((event, reason), states) in groups.iter() {
        let states = states.iter().take(limit::LISTED).map(|(state, ())| *state);
        help.push(format!("  {event} in {}: {reason}", listed(states)));
    }
    Diagnostic::warning(code::COVERED_CELLS, message).help(help.join("\n")).cells(doubtful)
}

fn in_words(cx: &LintContext<'_>, cell: &Cell) -> CellWords {
    let event = &cx.lookup.vocabulary.events[cell.event.index()];
    let event = words(event, &cell.pattern).trim_matches('"').to_owned();
    CellWords { state: cx.state(cell.state).to_owned(), event }
}

/// Why a cell probably lacks a row.
fn reason(cx: &LintContext<'_>, cell: &Cell) -> Option<String> {
    let state = cx.table.states[cell.state.index()].as_ref()?;
    let event = &cx.lookup.vocabulary.events[cell.event.index()];
    match event.kind {
        EventKind::Consuming | EventKind::Completion => {
            let causes = event.consumes.iter().filter(|id| holds(state, **id));
            let causes: Vec<&str> = causes.map(|id| cx.resource(*id)).collect();
            (!causes.is_empty()).then(|| format!("the state holds its cause {}", listed(causes)))
        }
        EventKind::Command | EventKind::Message => {
            let rows: Vec<&Row> =
                cx.table.rows.iter().filter(|row| row.event == cell.event).collect();
            if rows.is_empty() {
                return Some("no row handles it in any state".to_owned());
            }
            if let Some(own) = rows.iter().find(|row| row.from == cell.state) {
                let row = cx.row(own.id);
                return Some(format!("{row} handles other values there, or under a condition"));
            }
            if let Some(twin) = rows.iter().find(|row| is_twin(cx, row, cell, state)) {
                let (row, other) = (cx.row(twin.id), cx.state(twin.from));
                return Some(format!(
                    "{row} handles it in `{other}`, which holds the same resources"
                ));
            }
            let (mut takers, mut states) = (0, 0);
            for id in (0u16..).map(StateId).take(cx.table.states.len()) {
                let takes = |row: &&Row| row.from == id && row.pattern.meets(&cell.pattern);
                if is_open(cx, id) {
                    states += 1;
                    takers += usize::from(rows.iter().any(takes));
                }
            }
            let is_usual = 2 * takers > states;
            is_usual.then(|| format!("rows handle it in {takers} of {states} states"))
        }
    }
}

fn holds(state: &State, id: ResourceId) -> bool {
    state.holds.contains(&id) || state.may_hold.contains(&id)
}

/// Whether a state is declared and not final.
fn is_open(cx: &LintContext<'_>, id: StateId) -> bool {
    let state = cx.table.states.get(id.index()).and_then(Option::as_ref);
    cx.declared_at(id).is_some() && state.is_some_and(|state| !state.is_final)
}

/// Whether a row handles the cell's event in another non-final state with the same resources.
fn is_twin(cx: &LintContext<'_>, row: &Row, cell: &Cell, state: &State) -> bool {
    let other = cx.table.states[row.from.index()].as_ref();
    row.from != cell.state
        && cx.declared_at(row.from).is_some()
        && row.pattern.meets(&cell.pattern)
        && other.is_some_and(|other| {
            !other.is_final && (&other.holds, &other.may_hold) == (&state.holds, &state.may_hold)
        })
}

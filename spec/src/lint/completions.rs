//! Rows without an event: cycles of them, and what a state that they always leave cannot take.

use crate::cell_index::CellIndex;
use crate::diagnostic::{Diagnostic, Span, code};
use crate::lint::context::{LintContext, listed};
use crate::table::{COMPLETION, EventId, EventKind, Row, RowId, StateId};
use crate::vec_map::VecSet;

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    named(cx, diagnostics);
    built(cx, diagnostics);
}

/// The same for a table whose rows differ from those of the file.
pub(super) fn built(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let Some(completion) = cx.lookup.vocabulary.completion() else { return };
    cycle(cx, completion, diagnostics);
    initial(cx, completion, diagnostics);
    untaken(cx, diagnostics);
}

/// Uses of the name that such rows have in reports.
fn named(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let parts = &cx.lookup.draft.parts;
    let rows = cx.lookup.draft.rows.iter().map(|(_, row)| row);
    if !rows.clone().any(|row| row.is_completion()) {
        return;
    }
    let of_rows = rows.filter(|row| !row.is_completion()).flat_map(|row| &row.event);
    let of_cells = parts.cell_sections().into_iter().flat_map(|(_, _, cells)| cells);
    let used = of_rows.chain(of_cells.flat_map(|cell| &cell.events));
    let declared =
        parts.events.iter().filter(|(_, event)| event.is_declared()).map(|(word, _)| word);
    for word in declared.chain(used).filter(|word| word.text == COMPLETION) {
        let message = format!("`{COMPLETION}` is reserved for rows without an event");
        let diagnostic = Diagnostic::finding(code::INVALID_NAME, message)
            .label(word.span, "reserved or ambiguous name")
            .help("choose another name, or leave out `event`");
        diagnostics.push(diagnostic);
    }
}

/// A cycle of states that rows without an event lead through: the machine would never rest.
fn cycle(cx: &LintContext<'_>, completion: EventId, diagnostics: &mut Vec<Diagnostic>) {
    let rows: Vec<&Row> = cx.table.rows.iter().filter(|row| row.event == completion).collect();
    let mut left: VecSet<StateId> = VecSet::of(rows.iter().map(|row| row.from));
    // A state stays in `left` only if such a row leads from it to one that stays.
    loop {
        let leads_on = |id: &StateId| rows.iter().any(|row| row.from == *id && left.has(&row.to));
        let ids: Vec<StateId> = left.iter().map(|(id, ())| *id).collect();
        let kept: Vec<StateId> = ids.iter().copied().filter(leads_on).collect();
        if kept.len() == ids.len() {
            break;
        }
        left = VecSet::of(kept);
    }
    let Some((first, ())) = left.iter().next() else { return };
    let mut path: Vec<&Row> = Vec::new();
    let mut at = *first;
    let begin = loop {
        if let Some(begin) = path.iter().position(|row| row.from == at) {
            break begin;
        }
        let next = rows.iter().find(|row| row.from == at && left.has(&row.to));
        let next = next.expect("each state that is left leads to another one");
        path.push(next);
        at = next.to;
    };
    let path = &path[begin..];
    let names = listed(path.iter().map(|row| cx.state(row.from)));
    let message = format!("cycle of rows without an event through {names}");
    let mut diagnostic = Diagnostic::finding(code::COMPLETION_CYCLE, message);
    let mut spans: VecSet<RowId> = VecSet::default();
    for row in path.iter().filter(|row| spans.add(row.id)) {
        let label = format!("leads from `{}` to `{}`", cx.state(row.from), cx.state(row.to));
        diagnostic = diagnostic.label(cx.row_at(row.id), label);
    }
    diagnostics.push(diagnostic.help("give one of these rows an event"));
}

/// Rows without an event that leave an initial state.
fn initial(cx: &LintContext<'_>, completion: EventId, diagnostics: &mut Vec<Diagnostic>) {
    let is_initial =
        |id: StateId| cx.table.states[id.index()].as_ref().is_some_and(|state| state.initial);
    let rows = cx.table.rows.iter().filter(|row| row.event == completion);
    for row in rows.filter(|row| is_initial(row.from)) {
        let (from, to) = (cx.state(row.from), cx.state(row.to));
        let message = format!("a row without an event leaves the initial state `{from}`");
        let help = match is_initial(row.to) {
            true => format!("name the states in `from` without `{from}`, or give the row an event"),
            false => format!("make `{to}` initial, or give the row an event"),
        };
        let diagnostic = Diagnostic::finding(code::INITIAL_LEFT, message)
            .label(cx.row_at(row.id), "no step would take it")
            .help(help);
        diagnostics.push(diagnostic);
    }
}

/// Rows and cells of events in states that the machine leaves at once.
fn untaken(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let words = cx.lookup.vocabulary;
    let places = CellIndex::new(words, cx.table);
    let is_left = |state: StateId| places.never_rests(state);
    let is_of_event = |event: EventId| words.events[event.index()].kind != EventKind::Completion;
    let mut said: VecSet<RowId> = VecSet::default();
    for row in cx.table.rows.iter().filter(|row| is_of_event(row.event) && is_left(row.from)) {
        let mut others = cx.table.rows.iter().filter(|other| other.id == row.id);
        if others.all(|other| is_left(other.from)) && said.add(row.id) {
            let label = format!("{} is never taken", cx.row(row.id));
            diagnostics.push(diagnostic(cx, row.from, (cx.row_at(row.id), &label), "row"));
        }
    }
    let cells = cx.table.cells.iter().filter(|cell| is_left(cell.state) && !cell.is_covered);
    let mut spans: Vec<Span> = Vec::new();
    for cell in cells {
        if !spans.contains(&cell.span) {
            spans.push(cell.span);
            let label = "no event arrives there";
            diagnostics.push(diagnostic(cx, cell.state, (cell.span, label), "entry"));
        }
    }
}

fn diagnostic(
    cx: &LintContext<'_>,
    state: StateId,
    (span, label): (Span, &str),
    what: &str,
) -> Diagnostic {
    let name = cx.state(state);
    let message = format!("no event arrives in `{name}`: rows without an event leave it at once");
    let help = format!("remove the {what}, or give a row without an event in `{name}` a condition");
    Diagnostic::finding(code::LEFT_AT_ONCE, message).label(span, label).help(help)
}

//! Unhandled events: cells without a row or an entry under `ignore` or `impossible`; and cells that
//! are declared twice.

use crate::cell_index::CellIndex;
use crate::code;
use crate::diagnostic::{CellWords, Diagnostic};
use crate::limit;
use crate::lint::unknowns::Unknowns;
use crate::lint::{LintContext, listed};
use crate::read::cover;
use crate::read::draft::NOT_EXIST;
use crate::read::pattern;
use crate::table::{CellKind, Event, EventId, EventKind, Pattern, State, StateId};
use crate::vec_map::VecMap;

pub(super) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let places = CellIndex::new(cx.table);
    missing(cx, &places, diagnostics);
    twice(cx, &places, diagnostics);
}

/// How many states a label names.
const NAMED: usize = 3;

/// States grouped by the payloads of an event that they do not handle.
type Groups<'s> = VecMap<String, Vec<&'s str>>;

fn missing(cx: &LintContext<'_>, places: &CellIndex<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let unknowns = Unknowns::of(cx);
    for (event, declared) in (0u16..).map(EventId).zip(&cx.lookup.vocabulary.events) {
        if cx.lookup.event(event).is_none() {
            continue;
        }
        let (mut open, mut closed) = (Groups::default(), Groups::default());
        for (id, state) in (0u16..).map(StateId).zip(&cx.table.states) {
            let Some(state) = state.as_ref().filter(|state| !state.is_final) else { continue };
            let is_exempt = cx.declared_at(id).is_none() || cx.state(id) == NOT_EXIST;
            if is_exempt || unknowns.is_open(id, event) {
                continue;
            }
            let left = cover::unhandled(places.at(id, event), &pattern::whole(declared));
            if !left.0.is_empty() {
                let groups = if can_come(declared, state) { &mut open } else { &mut closed };
                groups.entry(words(declared, &left)).push(cx.state(id));
            }
        }
        if !open.is_empty() || !closed.is_empty() {
            diagnostics.push(diagnostic(cx, declared, &open, &closed));
        }
        if diagnostics.len() >= limit::DIAGNOSTICS {
            return;
        }
    }
}

/// Whether the state holds a resource that the event consumes, or the event consumes none.
fn can_come(event: &Event, state: &State) -> bool {
    event.kind != EventKind::Consuming
        || event.consumes.iter().any(|id| state.holds.contains(id) || state.may_hold.contains(id))
}

pub(super) fn words(event: &Event, left: &Pattern) -> String {
    match &event.payload {
        Some(payload) if *left != pattern::whole(event) => {
            let words = format!("{} ({})", event.name.name, pattern::text(left, &payload.domain));
            if words.contains(',') { format!("\"{words}\"") } else { words }
        }
        Some(_) | None => event.name.name.clone(),
    }
}

fn diagnostic(
    cx: &LintContext<'_>,
    event: &Event,
    open: &Groups<'_>,
    closed: &Groups<'_>,
) -> Diagnostic {
    let mut cells = Vec::new();
    for (event, states) in open.iter().chain(closed.iter()) {
        for state in states {
            let (state, event) = ((*state).to_owned(), event.trim_matches('"').to_owned());
            cells.push(CellWords { state, event });
        }
    }
    let name = &event.name.name;
    let states =
        if cells.len() == 1 { "one state".to_owned() } else { format!("{} states", cells.len()) };
    let mut help = Vec::new();
    if !open.is_empty() {
        help.push(
            "add a row, or, where the event changes nothing, an entry under `ignore`:".to_owned(),
        );
        help.extend(lines(open));
    }
    if !closed.is_empty() {
        help.push(
            "no resource that causes it is held there: add an entry under `impossible`:".to_owned(),
        );
        help.extend(lines(closed));
    }
    let at = cx.lookup.draft.parts.events.iter().find(|(word, _)| word.text == *name);
    let span = at.map_or(event.name.span, |(word, _)| word.span);
    let message = format!("unhandled event: `{name}` has no transition in {states}");
    Diagnostic::finding(code::UNHANDLED_EVENT, message)
        .label(span, format!("no row, `ignore` or `impossible` in {}", some(&cells)))
        .help(help.join("\n"))
        .cells(cells)
}

/// The states of some cells; only the first few by name.
fn some(cells: &[CellWords]) -> String {
    let mut names: Vec<&str> = cells.iter().map(|cell| cell.state.as_str()).collect();
    names.dedup();
    match names.get(NAMED..) {
        Some([_, ..]) => {
            let first: Vec<String> =
                names[..NAMED].iter().map(|name| format!("`{name}`")).collect();
            format!("{} and {} more", first.join(", "), names.len() - NAMED)
        }
        _ => listed(names),
    }
}

/// Entries to copy under `ignore` or `impossible`.
fn lines(groups: &Groups<'_>) -> Vec<String> {
    let line = |(event, states): &(String, Vec<&str>)| {
        let mut names = states.iter().take(limit::LISTED).copied().collect::<Vec<_>>().join(", ");
        if states.len() > limit::LISTED {
            names.push_str(", …");
        }
        format!("  - {{ state: [{names}], event: {event}, because: … }}")
    };
    groups.iter().map(line).collect()
}

fn twice(cx: &LintContext<'_>, places: &CellIndex<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for (state, event, place) in places.all() {
        for (nth, (_, cell)) in place.cells.iter().enumerate() {
            let what = format!("`{}` in `{}`", cx.event(event), cx.state(state));
            let row = place
                .rows
                .iter()
                .map(|(_, row)| row)
                .find(|row| cover::is_always(&row.guard) && meet(&row.pattern, &cell.pattern));
            let mut earlier = place.cells[..nth].iter().map(|(_, cell)| cell);
            let twin = earlier.find(|twin| meet(&twin.pattern, &cell.pattern));
            let first = match (row, twin) {
                (Some(row), _) => (cx.row_at(row.id), "handled by this row"),
                (None, Some(twin)) => (twin.span, "first declared here"),
                (None, None) => continue,
            };
            let kind = match cell.kind {
                CellKind::Ignore => "ignored",
                CellKind::Impossible => "impossible",
            };
            let message = match row {
                Some(_) => format!("{what} has a row and is declared as {kind}"),
                None => format!("{what} is declared twice"),
            };
            let diagnostic = Diagnostic::finding(code::DUPLICATE_CELL, message)
                .label(cell.span, format!("declared as {kind} here"))
                .label(first.0, first.1)
                .help("remove one of them");
            diagnostics.push(diagnostic);
        }
    }
}

fn meet(a: &Pattern, b: &Pattern) -> bool {
    !pattern::both(a, b).0.is_empty()
}

//! Unhandled events: cells without a row or an entry under `ignore` or `impossible`; and cells that
//! are declared twice.

use crate::cell_index::{CellEntry, CellIndex};
use crate::diagnostic::code;
use crate::diagnostic::{CellWords, Diagnostic};
use crate::limit;
use crate::lint::context::{LintContext, listed};
use crate::lint::coverage::timers;
use crate::lint::naming::unknowns::Unknowns;
use crate::read::cover;
use crate::read::draft::NOT_EXIST;
use crate::read::pattern;
use crate::scalar::scalar;
use crate::table::{CellKind, Event, EventId, EventKind, Pattern, State, StateId};
use crate::vec_map::VecMap;

pub(crate) fn check(cx: &LintContext<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let places = CellIndex::new(cx.lookup.vocabulary, cx.table);
    missing(cx, &places, diagnostics);
    twice(cx, &places, diagnostics);
}

/// How many states a label names.
const NAMED: usize = 3;

/// States grouped by the payloads of an event that they do not handle.
type Groups<'s> = VecMap<String, Vec<&'s str>>;

/// The states that do not handle an event, by what the author can add.
#[derive(Default)]
struct Missing<'s> {
    /// A row only: a timer of the state expires.
    rows: Groups<'s>,
    /// A row or an entry under `ignore`.
    open: Groups<'s>,
    /// An entry under `impossible`: the state does not hold the cause.
    closed: Groups<'s>,
    /// The first state whose rows leave out some values, and these.
    left_out: Option<(&'s str, String)>,
}

fn missing(cx: &LintContext<'_>, places: &CellIndex<'_>, diagnostics: &mut Vec<Diagnostic>) {
    let unknowns = Unknowns::of(cx);
    for (event, declared) in (0u16..).map(EventId).zip(&cx.lookup.vocabulary.events) {
        if cx.lookup.event(event).is_none() || declared.kind == EventKind::Completion {
            continue;
        }
        let mut missing = Missing::default();
        for (id, state) in (0u16..).map(StateId).zip(&cx.table.states) {
            let Some(state) = state.as_ref().filter(|state| !state.is_final) else { continue };
            let is_exempt = cx.declared_at(id).is_none() || cx.state(id) == NOT_EXIST;
            let is_left = places.never_rests(id);
            if is_exempt || is_left || unknowns.is_open(id, event) {
                continue;
            }
            let left = places.unhandled(places.at(id, event), &pattern::whole(declared));
            if left.0.is_empty() {
                continue;
            }
            let groups = if timers::needs_row(cx, places, id, state, declared) {
                &mut missing.rows
            } else if can_come(declared, state) {
                &mut missing.open
            } else {
                &mut missing.closed
            };
            groups.entry(words(declared, &left)).push(cx.state(id));
            let place = places.at(id, event);
            if missing.left_out.is_none() && !place.rows.is_empty() {
                let example = places.example(place, &left).words(cx.lookup.vocabulary, declared);
                missing.left_out = Some((cx.state(id), example));
            }
        }
        if missing.groups().any(|groups| !groups.is_empty()) {
            diagnostics.push(diagnostic(cx, declared, &missing));
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

pub(crate) fn words(event: &Event, left: &Pattern) -> String {
    match &event.payload {
        Some(payload) if *left != pattern::whole(event) => {
            format!("{} ({})", event.name.name, pattern::text(left, &payload.domain))
        }
        Some(_) | None => event.name.name.clone(),
    }
}

fn diagnostic(cx: &LintContext<'_>, event: &Event, missing: &Missing<'_>) -> Diagnostic {
    let mut cells = Vec::new();
    for (event, states) in missing.groups().flat_map(VecMap::iter) {
        for state in states {
            let (state, event) = ((*state).to_owned(), event.trim_matches('"').to_owned());
            cells.push(CellWords { state, event });
        }
    }
    let name = &event.name.name;
    let states =
        if cells.len() == 1 { "one state".to_owned() } else { format!("{} states", cells.len()) };
    let at = cx.lookup.draft.parts.events.iter().find(|(word, _)| word.text == *name);
    let span = at.map_or(event.name.span, |(word, _)| word.span);
    let none = match event.kind {
        EventKind::Command => "no row or `ignore`",
        EventKind::Message | EventKind::Consuming | EventKind::Completion => {
            "no row, `ignore` or `impossible`"
        }
    };
    let message = format!("unhandled event: `{name}` has no transition in {states}");
    let label = match &missing.left_out {
        Some((state, example)) if cells.len() == 1 => {
            format!("the rows of `{state}` leave a case out{example}")
        }
        Some((state, example)) if !example.is_empty() => {
            format!("{none} in {}; those of `{state}` leave a case out{example}", some(&cells))
        }
        Some(_) | None => format!("{none} in {}", some(&cells)),
    };
    Diagnostic::finding(code::UNHANDLED_EVENT, message)
        .label(span, label)
        .help(missing.help(event))
        .cells(cells)
}

impl<'s> Missing<'s> {
    fn groups(&self) -> impl Iterator<Item = &Groups<'s>> {
        [&self.rows, &self.open, &self.closed].into_iter()
    }

    /// What to add, ready to copy.
    fn help(&self, event: &Event) -> String {
        let open = match event.kind {
            EventKind::Command => {
                "add a row, or, where the command changes nothing, an entry under `ignore`; a \
                 command may arrive in any state:"
            }
            EventKind::Message => {
                "add a row, or an entry under `ignore` if the message changes nothing, or under \
                 `impossible` if it cannot arrive:"
            }
            EventKind::Consuming | EventKind::Completion => {
                "add a row, or, where the event changes nothing, an entry under `ignore`:"
            }
        };
        let row = |event: &str, states: &str| {
            format!("  - {{ from: [{states}], to: …, event: {event} }}")
        };
        let cell = |event: &str, states: &str| {
            format!("  - {{ state: [{states}], event: {event}, because: … }}")
        };
        let mut help = Vec::new();
        if !self.rows.is_empty() {
            help.push("the timer runs there and expires: add a row:".to_owned());
            help.extend(lines(&self.rows, &row));
        }
        if !self.open.is_empty() {
            help.push(open.to_owned());
            help.extend(lines(&self.open, &cell));
        }
        if !self.closed.is_empty() {
            let reason = "no resource that causes it is held there";
            help.push(format!("{reason}: add an entry under `impossible`:"));
            help.extend(lines(&self.closed, &cell));
        }
        let states =
            |groups: &Groups<'_>| -> usize { groups.iter().map(|(_, states)| states.len()).sum() };
        let any = "`state: any` covers every state that declares nothing else for the event";
        if states(&self.open) > NAMED {
            help.push(format!("{any}; lint warns where a row may be missing"));
        } else if states(&self.closed) > NAMED {
            help.push(any.to_owned());
        }
        help.join("\n")
    }
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

/// Rows or entries to copy, one a group.
fn lines(groups: &Groups<'_>, text: &dyn Fn(&str, &str) -> String) -> Vec<String> {
    let line = |(event, states): &(String, Vec<&str>)| {
        let names = states.iter().take(limit::LISTED).map(|name| scalar(name));
        let mut names = names.collect::<Vec<_>>().join(", ");
        if states.len() > limit::LISTED {
            names.push_str(", …");
        }
        text(&scalar(event), &names)
    };
    groups.iter().map(line).collect()
}

fn twice(cx: &LintContext<'_>, places: &CellIndex<'_>, diagnostics: &mut Vec<Diagnostic>) {
    for (state, event, place) in places.all().filter(|(_, _, place)| !place.cells.is_empty()) {
        let rows = CellEntry { rows: place.rows.clone(), cells: Vec::new() };
        for (nth, (_, cell)) in place.cells.iter().enumerate() {
            let what = format!("`{}` in `{}`", cx.event(event), cx.state(state));
            let row = place
                .rows
                .iter()
                .map(|(_, row)| row)
                .find(|row| cover::is_always(&row.guard) && meet(&row.pattern, &cell.pattern));
            let is_covered = || places.unhandled(&rows, &cell.pattern).0.is_empty();
            let first_row = place.rows.first().map(|(_, row)| row);
            let row = row.or_else(|| first_row.filter(|_| is_covered()));
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
                CellKind::Unspecified => "unspecified",
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

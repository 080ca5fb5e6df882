//! Every state, event and payload is a row, ignored, impossible, or stands here: cells of which
//! nothing is said, and cells that are said twice.

use crate::code;
use crate::fault::{CellWords, Fault};
use crate::limit;
use crate::lint::Subject;
use crate::lint::doubt::Doubt;
use crate::places::Places;
use crate::read::cover;
use crate::read::draft::NOT_EXIST;
use crate::read::pattern;
use crate::sorted::Sorted;
use crate::table::{Event, EventId, EventKind, Pattern, State, StateId};

pub(super) fn check(subject: &Subject<'_>, faults: &mut Vec<Fault>) {
    let places = Places::new(subject.table);
    missing(subject, &places, faults);
    twice(subject, &places, faults);
}

/// States in which the same payloads of an event are missing.
type Groups<'s> = Sorted<String, Vec<&'s str>>;

fn missing(subject: &Subject<'_>, places: &Places<'_>, faults: &mut Vec<Fault>) {
    let doubt = Doubt::of(subject);
    for (event, declared) in (0u16..).map(EventId).zip(&subject.lookup.vocabulary.events) {
        if subject.lookup.event(event).is_none() {
            continue;
        }
        let (mut open, mut closed) = (Groups::default(), Groups::default());
        for (id, state) in (0u16..).map(StateId).zip(&subject.table.states) {
            let Some(state) = state.as_ref().filter(|state| !state.is_final) else { continue };
            let is_exempt = subject.declared_at(id).is_none() || subject.state(id) == NOT_EXIST;
            if is_exempt || doubt.is_open(id, event) {
                continue;
            }
            let left = cover::unsaid(places.at(id, event), &pattern::whole(declared));
            if !left.0.is_empty() {
                let groups = if can_come(declared, state) { &mut open } else { &mut closed };
                groups.entry(words(declared, &left)).push(subject.state(id));
            }
        }
        if !open.is_empty() || !closed.is_empty() {
            faults.push(fault(subject, declared, &open, &closed));
        }
        if faults.len() >= limit::FAULTS {
            return;
        }
    }
}

/// Whether the state holds what the event consumes, or the event consumes nothing.
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

fn fault(subject: &Subject<'_>, event: &Event, open: &Groups<'_>, closed: &Groups<'_>) -> Fault {
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
            "it can come here: add rows, or say under `ignore` why nothing happens".to_owned(),
        );
        help.extend(lines(open));
    }
    if !closed.is_empty() {
        let why = if open.is_empty() { "nothing" } else { "and nothing" };
        help.push(format!(
            "{why} that causes it is held here: say under `impossible` why it cannot come"
        ));
        help.extend(lines(closed));
    }
    let at = subject.lookup.draft.parts.events.iter().find(|(word, _)| word.text == *name);
    let span = at.map_or(event.name.span, |(word, _)| word.span);
    Fault::finding(code::MISSING_CELL, format!("nothing is said of `{name}` in {states}"))
        .label(span, format!("{states} without a row, `ignore` or `impossible`"))
        .help(help.join("\n"))
        .cells(cells)
}

/// Ready to be put under `ignore` or `impossible`.
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

fn twice(subject: &Subject<'_>, places: &Places<'_>, faults: &mut Vec<Fault>) {
    for (state, event, place) in places.all() {
        for (nth, (_, cell)) in place.cells.iter().enumerate() {
            let what = format!("`{}` in `{}`", subject.event(event), subject.state(state));
            let row = place
                .rows
                .iter()
                .map(|(_, row)| row)
                .find(|row| cover::is_always(&row.guard) && meet(&row.pattern, &cell.pattern));
            let mut earlier = place.cells[..nth].iter().map(|(_, cell)| cell);
            let twin = earlier.find(|twin| meet(&twin.pattern, &cell.pattern));
            let first = match (row, twin) {
                (Some(row), _) => (subject.row_at(row.id), "a row takes it"),
                (None, Some(twin)) => (twin.span, "it is said here, too"),
                (None, None) => continue,
            };
            let fault = Fault::finding(code::CELL_TWICE, format!("{what} is said twice"))
                .label(cell.span, "here no row is to be")
                .label(first.0, first.1)
                .help("keep one of them");
            faults.push(fault);
        }
    }
}

fn meet(a: &Pattern, b: &Pattern) -> bool {
    !pattern::both(a, b).0.is_empty()
}

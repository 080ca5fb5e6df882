//! From rows to declarations: what the words say of states, events, timers, requests and payloads.
//! Each conclusion that the document does not state is a guess, said in words.

mod causes;
mod holds;
mod idents;
mod payloads;
mod requests;
mod states;
mod timers;

use turnstile_spec::{Diagnostic, limit};

use crate::code;
use crate::collect::Remarks;
use crate::draft::{ActionDraft, Draft, EventDraft, START};
use crate::fault::error;
use crate::grid::Word;

/// Completes the draft.
///
/// `cells` adds cells without a row, once the events are known.
pub(crate) fn infer(
    draft: &mut Draft,
    remarks: &Remarks,
    cells: impl FnOnce(&mut Draft),
    faults: &mut Vec<Diagnostic>,
) {
    states::declare(draft);
    if is_large(draft, faults) {
        return;
    }
    start(draft, faults);
    payloads::infer(draft);
    events(draft, remarks);
    actions(draft, remarks);
    if is_large(draft, faults) {
        return;
    }
    cells(draft);
    timers::infer(draft);
    requests::infer(draft);
    causes::infer(draft, remarks);
    if !draft.has_holds {
        holds::infer(draft);
    }
    // In the order in which the rows name them.
    draft.events.sort_by_key(|event| event.name.span.start);
    idents::infer(draft);
    names(draft, faults);
}

/// The rows without an event: from the initial state it is `start`; others have none, if the
/// document has a place for it.
fn start(draft: &mut Draft, faults: &mut Vec<Diagnostic>) {
    let initial = draft.states.iter().find(|state| state.is_initial);
    let initial = initial.map_or_else(String::new, |state| state.name.text.clone());
    for row in &mut draft.rows {
        if !row.event.text.is_empty() {
            continue;
        }
        if row.from.iter().any(|word| word.text != initial) {
            if !row.has_place {
                let fault = error(code::NO_NAME, row.event.span, "the row has no event");
                faults.push(fault.label("nothing says when it is taken").help("name what happens"));
            }
            let name = |word: &Word| match word.text.as_str() {
                "any" => "any state".to_owned(),
                state => format!("`{state}`"),
            };
            let states = row.from.iter().map(name).collect::<Vec<String>>().join(" or ");
            row.guesses.push(format!("no event: the row is taken as soon as {states} is entered"));
            continue;
        }
        START.clone_into(&mut row.event.text);
        draft.has_start = true;
        row.guesses.push(format!("no event: the machine leaves its initial state by `{START}`"));
    }
}

/// The events of the rows, and of the cells without one.
fn events(draft: &mut Draft, remarks: &Remarks) {
    let of_rows = draft.rows.iter().map(|row| row.event.with(row.event_name.as_str()));
    let of_cells = draft.cells.iter().flat_map(|cell| cell.events.clone());
    let named = of_rows.chain(of_cells).filter(|name| !name.text.is_empty());
    for name in named.collect::<Vec<Word>>() {
        let (base, _) = payloads::split(&name.text);
        if draft.event(&name.text).is_none() && draft.event(&base).is_none() {
            let about = about(remarks, &name.text);
            draft.events.push(EventDraft { name, about, ..EventDraft::default() });
        }
    }
}

fn actions(draft: &mut Draft, remarks: &Remarks) {
    let mut known = std::collections::BTreeSet::new();
    for name in draft.rows.iter().flat_map(|row| row.actions.clone()).collect::<Vec<Word>>() {
        if known.insert(name.text.clone()) {
            let about = about(remarks, &name.text);
            draft.actions.push(ActionDraft { name, about, ..ActionDraft::default() });
        }
    }
}

fn about(remarks: &Remarks, name: &str) -> String {
    remarks.by_name.get(name).map_or_else(String::new, |(about, _)| about.clone())
}

/// Names that no table file can have.
fn names(draft: &Draft, faults: &mut Vec<Diagnostic>) {
    let states = draft.states.iter().map(|state| ("state", &state.name));
    let events = draft.events.iter().map(|event| ("event", &event.name));
    let actions = draft.actions.iter().map(|action| ("action", &action.name));
    let guards = draft.guards.iter().map(|guard| ("guard", &guard.name));
    let resources = draft.resources.iter().map(|resource| ("resource", &resource.name));
    let all = states.chain(events).chain(actions).chain(guards).chain(resources);
    for (what, name) in all {
        let text = name.text.as_str();
        let is_reserved = what == "state" && ["any", "same"].contains(&text)
            || what == "resource" && ["timer", "request", "note"].contains(&text);
        let is_long = text.len() > limit::NAME_BYTES;
        if is_reserved || is_long || text.is_empty() {
            let message = match (is_long, is_reserved) {
                (true, _) => format!("the {what} has a name of {} bytes", text.len()),
                (false, true) => format!("`{text}` is a word of the table language"),
                (false, false) => format!("the {what} has no name"),
            };
            let fault = error(code::INVALID_NAME, name.span, message).label("this name");
            faults.push(fault.help("give it another name, of 200 bytes at most"));
        }
    }
}

/// Whether the document has more than a table file can have.
fn is_large(draft: &Draft, faults: &mut Vec<Diagnostic>) -> bool {
    let sections = [
        ("states", draft.states.len(), limit::NAMES),
        ("events", draft.events.len(), limit::NAMES),
        ("actions", draft.actions.len(), limit::NAMES),
        ("guards", draft.guards.len(), limit::NAMES),
        ("cells without a row", draft.cells.len(), limit::CELLS),
    ];
    let mut is_large = false;
    for (what, many, most) in sections {
        if many > most {
            let message = format!("{many} {what}; a table file has at most {most}");
            let fault = error(code::UNREADABLE, Default::default(), message);
            faults.push(fault.label("in this document").help("split the machine into several"));
            is_large = true;
        }
    }
    is_large
}

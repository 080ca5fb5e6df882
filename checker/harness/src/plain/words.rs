//! States, events and rows in the words of their table.

use turnstile_machine::ResourceKind;
use turnstile_spec::table::{
    ActionCall, Event, EventId, Pattern, PayloadDomain, ResourceId, RowId, StateId, Vocabulary,
};

/// A number of a payload: `503`, `true`, a word.
#[must_use]
pub fn value(domain: &PayloadDomain, number: u16) -> String {
    match domain {
        PayloadDomain::Number(_) => number.to_string(),
        PayloadDomain::Bool => (number == 1).to_string(),
        PayloadDomain::Words(words) => {
            let word = words.get(usize::from(number));
            word.map_or_else(|| number.to_string(), |word| word.name.clone())
        }
    }
}

/// `response (503)`, or the name alone for an event that carries nothing.
#[must_use]
pub fn event(event: &Event, number: u16) -> String {
    match &event.payload {
        Some(payload) => format!("{} ({})", event.name.name, value(&payload.domain, number)),
        None => event.name.name.clone(),
    }
}

/// `response (100..199, 300..399)`.
#[must_use]
pub fn event_class(event: &Event, pattern: &Pattern) -> String {
    let Some(payload) = &event.payload else { return event.name.name.clone() };
    let bounds = payload.domain.bounds();
    if pattern.0.iter().any(|range| (*range.start(), *range.end()) == bounds) {
        return event.name.name.clone();
    }
    let ranges: Vec<String> = pattern
        .0
        .iter()
        .map(|range| match (&payload.domain, range.start() == range.end()) {
            (_, true) => value(&payload.domain, *range.start()),
            (PayloadDomain::Number(_), false) => format!("{}..{}", range.start(), range.end()),
            (PayloadDomain::Bool | PayloadDomain::Words(_), false) => {
                let each: Vec<_> =
                    range.clone().map(|number| value(&payload.domain, number)).collect();
                each.join(", ")
            }
        })
        .collect();
    format!("{} ({})", event.name.name, ranges.join(", "))
}

/// The state's spelling.
#[must_use]
pub fn state(vocabulary: &Vocabulary, state: StateId) -> &str {
    &vocabulary.states[state.index()].name
}

/// The resource's spelling.
#[must_use]
pub fn resource(vocabulary: &Vocabulary, resource: ResourceId) -> &str {
    &vocabulary.resources[resource.index()].name.name
}

/// The row's id.
#[must_use]
pub fn row(vocabulary: &Vocabulary, row: RowId) -> &str {
    &vocabulary.rows[row.index()].id
}

/// How a resource that is there is said to be there.
#[must_use]
pub fn is_there(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::Timer => "armed",
        ResourceKind::Request => "outstanding",
        ResourceKind::Note => "noted",
    }
}

/// An action of a row: `delete retry timer`, `for each member: tell`.
#[must_use]
pub fn call(vocabulary: &Vocabulary, call: &ActionCall) -> String {
    let name = &vocabulary.actions[call.action.index()].name;
    match call.each {
        None => name.clone(),
        Some(each) => {
            let list = &vocabulary.formulas.collections[each.collection.index()].name.name;
            format!("for each {list}: {name}")
        }
    }
}

/// `Registering × response (204)`.
#[must_use]
pub fn cell(vocabulary: &Vocabulary, at: StateId, of: EventId, pattern: &Pattern) -> String {
    let event = event_class(&vocabulary.events[of.index()], pattern);
    format!("{} × {event}", state(vocabulary, at))
}

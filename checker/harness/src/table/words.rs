//! Configurations and occurrences in the words of the table.

use turnstile_spec::table::{
    ActionCall, Event, EventId, Pattern, PayloadDomain, ResourceId, ResourceKind, RowId, StateId,
    Vocabulary,
};

use turnstile_world::trace::{EffectReport, StepReport};

use super::cell::CellOutcome;
use super::environment::{Configuration, Environment, Occurrence, id};

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
pub fn is_there(vocabulary: &Vocabulary, resource: ResourceId) -> &'static str {
    match vocabulary.resources[resource.index()].kind {
        ResourceKind::Timer => "armed",
        ResourceKind::Request => "outstanding",
        ResourceKind::Note => "noted",
    }
}

/// A step, taken from a configuration to the next.
#[must_use]
pub fn step(
    environment: &Environment<'_>,
    from: &Configuration,
    occurrence: Occurrence,
    to: &Configuration,
) -> StepReport {
    let vocabulary = environment.vocabulary;
    let mut words = event(&vocabulary.events[occurrence.event.index()], occurrence.number);
    let mut effects = Vec::new();
    let mut taken = String::new();
    match occurrence.outcome {
        CellOutcome::Row(place) => {
            let id = environment.table.rows[place].id;
            let written = &vocabulary.rows[id.index()];
            taken.clone_from(&written.id);
            if !written.guard.is_empty() {
                words = format!("{words} if {}", written.guard);
            }
            let calls = &environment.table.rows[place].actions;
            effects
                .extend(calls.iter().map(|call| EffectReport::Does(call_words(vocabulary, call))));
        }
        CellOutcome::Ignored(_) => effects.push(EffectReport::Does("ignored".to_owned())),
        CellOutcome::Impossible(_) => {
            effects.push(EffectReport::Does("declared impossible".into()))
        }
        CellOutcome::Missing => effects.push(EffectReport::Does("unhandled".to_owned())),
    }
    if let Some(cause) = occurrence.cause.filter(|cause| is_late(environment, from, *cause)) {
        words = format!("{words} from the leaked {}", resource(vocabulary, cause));
    }
    StepReport {
        node: vocabulary.machine.clone(),
        event: words,
        row: taken,
        rows: Vec::new(),
        from: None,
        effects,
        state: (!to.is_over()).then(|| state(vocabulary, to.state).to_owned()),
    }
}

/// An action of a row: `delete retry timer`, `for each member: tell`.
fn call_words(vocabulary: &Vocabulary, call: &ActionCall) -> String {
    let name = &vocabulary.actions[call.action.index()].name;
    match call.each {
        None => name.clone(),
        Some(each) => {
            let list = &vocabulary.formulas.collections[each.collection.index()].name.name;
            format!("for each {list}: {name}")
        }
    }
}

/// Whether a resource that causes an event is one that the state does not hold.
fn is_late(environment: &Environment<'_>, at: &Configuration, cause: ResourceId) -> bool {
    environment.bounds(at.state, cause).1 == 0
}

/// What is there and not held, or held and not there; nothing where all is as it should be.
#[must_use]
pub fn differences(environment: &Environment<'_>, at: &Configuration) -> Vec<String> {
    let vocabulary = environment.vocabulary;
    (0..id(at.there.len()))
        .map(ResourceId)
        .filter_map(|one| {
            let (least, most) = environment.bounds(at.state, one);
            let count = at.there[one.index()];
            let name = resource(vocabulary, one);
            let there = is_there(vocabulary, one);
            match count {
                0 if least > 0 => Some(format!("{name} is not {there}")),
                1 if most == 0 => Some(format!("leak: {name} is still {there}")),
                _ if count > most && most == 0 => {
                    Some(format!("leak: {name} is still {there} {count} times"))
                }
                _ if count > most => Some(format!("{name} is {there} {count} times, not once")),
                _ => None,
            }
        })
        .collect()
}

/// `Registering × response (204)`.
#[must_use]
pub fn cell(vocabulary: &Vocabulary, at: StateId, of: EventId, pattern: &Pattern) -> String {
    let event = event_class(&vocabulary.events[of.index()], pattern);
    format!("{} × {event}", state(vocabulary, at))
}

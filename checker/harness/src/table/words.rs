//! Steps of the table level, and resources that differ from those of the state, as text.

use turnstile_spec::table::ResourceId;
use turnstile_world::trace::{EffectReport, StepReport};

use super::environment::{Configuration, Environment, Occurrence, id};
use crate::plain::cell::CellOutcome;
use crate::plain::words;

/// A step, taken from a configuration to the next.
#[must_use]
pub(super) fn step(
    environment: &Environment<'_>,
    from: &Configuration<'_>,
    occurrence: &Occurrence,
    to: &Configuration<'_>,
) -> StepReport {
    let vocabulary = environment.vocabulary;
    let mut text = words::event(&vocabulary.events[occurrence.event.index()], occurrence.number);
    let mut effects = Vec::new();
    let mut taken = String::new();
    match occurrence.outcome {
        CellOutcome::Row(place) => {
            let id = environment.table.rows[place].id;
            let written = &vocabulary.rows[id.index()];
            taken.clone_from(&written.id);
            if !written.guard.is_empty() {
                text = format!("{text} if {}", written.guard);
            }
            let calls = &environment.table.rows[place].actions;
            effects
                .extend(calls.iter().map(|call| EffectReport::Does(words::call(vocabulary, call))));
        }
        CellOutcome::Ignored(_) => effects.push(EffectReport::Does("ignored".to_owned())),
        CellOutcome::Impossible(_) => {
            effects.push(EffectReport::Does("declared impossible".into()))
        }
        CellOutcome::Missing => effects.push(EffectReport::Does("unhandled".to_owned())),
    }
    let mut rows = vec![taken];
    for row in occurrence.settled.iter().map(|place| &environment.table.rows[*place]) {
        rows.push(words::row(vocabulary, row.id).to_owned());
        effects.extend(
            row.actions.iter().map(|call| EffectReport::Does(words::call(vocabulary, call))),
        );
    }
    if let Some(cause) = occurrence.cause.filter(|cause| is_late(environment, from, *cause)) {
        text = format!("{text} from the leaked {}", words::resource(vocabulary, cause));
    }
    StepReport {
        node: vocabulary.machine.clone(),
        event: text,
        row: rows.join(", "),
        rows: Vec::new(),
        from: None,
        effects,
        state: (!to.is_over()).then(|| words::state(vocabulary, to.state).to_owned()),
    }
}

/// Whether a resource that causes an event is one that the state does not hold.
fn is_late(environment: &Environment<'_>, at: &Configuration<'_>, cause: ResourceId) -> bool {
    environment.bounds(at.state, cause).1 == 0
}

/// What is there and not held, or held and not there; nothing where all is as it should be.
#[must_use]
pub(super) fn differences(environment: &Environment<'_>, at: &Configuration<'_>) -> Vec<String> {
    let vocabulary = environment.vocabulary;
    (0..id(at.held.len()))
        .map(ResourceId)
        .filter_map(|one| {
            let (least, most) = environment.bounds(at.state, one);
            let count = at.held[one.index()];
            let name = words::resource(vocabulary, one);
            let there = words::is_there(vocabulary, one);
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

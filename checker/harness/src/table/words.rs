//! Steps of the table level, and resources that differ from those of the state, as text.

use turnstile_machine::Dynamic;
use turnstile_plain::{PlainRules as _, State as PlainState};
use turnstile_world::WorldTrace;
use turnstile_world::state::{Action, State};
use turnstile_world::trace::{EffectReport, StepReport};
use turnstile_world::words::{starting_words, step_words};

use super::environment::{Environment, Occurrence, is_over, machine};
use crate::plain::cell::CellOutcome;
use crate::plain::rules::TableRules;
use crate::plain::words;

/// A trace, with the state in which it begins if there are several.
pub(super) fn trace(environment: &Environment<'_>, trace: &WorldTrace) -> Vec<StepReport> {
    let before = std::iter::once(&trace.first).chain(trace.steps.iter().map(|(_, state)| state));
    let steps = before.zip(&trace.steps);
    let steps = steps.map(|(from, ((action, _), to))| step(environment, (from, action, to)));
    starting_words(&environment.world, &trace.first).into_iter().chain(steps).collect()
}

/// A step: the guard of its row, the actions of all rows, and whether a leak caused it.
pub(super) fn step(
    Environment { vocabulary, table, world, node }: &Environment<'_>,
    (from, action, to): (&State, &Action, &State),
) -> StepReport {
    let rules = node.rules();
    let mut step = step_words(world, from, action);
    let taken = std::mem::take(&mut step.rows).len();
    let occurrence = Occurrence::of(from, action);
    let given = (occurrence.command.event, occurrence.choice);
    let rows = rules.rows_taken(occurrence.from, given, taken);
    let rows: Vec<_> = rows.into_iter().map(|place| &table.rows[place]).collect();
    let effects = match occurrence.outcome(rules) {
        CellOutcome::Row(_) => {
            let calls = rows.iter().flat_map(|row| &row.actions);
            calls.map(|call| words::call(vocabulary, call)).collect()
        }
        CellOutcome::Ignored(_) => vec!["ignored".to_owned()],
        CellOutcome::Impossible(_) => vec!["declared impossible".to_owned()],
        CellOutcome::Missing => vec!["unhandled".to_owned()],
    };
    step.effects = effects.into_iter().map(EffectReport::Does).collect();
    let guard = rows.first().map_or("", |row| &vocabulary.rows[row.id.index()].guard);
    if !guard.is_empty() {
        step.event = format!("{} if {guard}", step.event);
    }
    let is_leaked = |one: &_| rules.bounds(occurrence.from.at, *one).1 == 0;
    if let Some(leaked) = occurrence.command.answers.filter(is_leaked) {
        step.event = format!("{} from the leaked {leaked}", step.event);
    }
    step.state = (!is_over(to)).then(|| machine(to).at.to_string());
    step
}

/// What is there and not held, or held and not there; nothing where all is as it should be.
pub(super) fn differences(rules: &TableRules, at: &PlainState<Dynamic>) -> Vec<String> {
    let resources = rules.wiring().resources.iter().zip(&at.held);
    let differences = resources.filter_map(|(name, &count)| {
        let (least, most) = rules.bounds(at.at, *name);
        let there = words::is_there(rules.wiring().kind(*name));
        match count {
            0 if least > 0 => Some(format!("{name} is not {there}")),
            1 if most == 0 => Some(format!("leak: {name} is still {there}")),
            _ if count > most && most == 0 => {
                Some(format!("leak: {name} is still {there} {count} times"))
            }
            _ if count > most => Some(format!("{name} is {there} {count} times, not once")),
            _ => None,
        }
    });
    differences.collect()
}

//! Observations of a search as text: the faults that occurred, the rows taken, and what the search
//! could not cover.

use std::collections::BTreeSet;

use turnstile_step::RowOutcome;
use turnstile_world::World;
use turnstile_world::monitor::{Violation, ViolationKind};
use turnstile_world::nodes::node::CUTS_MAX;
use turnstile_world::parts::{Part, Tag};
use turnstile_world::property::{Property, TemporalFormula};
use turnstile_world::state::State;
use turnstile_world::words::unhandled_words;

use crate::results::result::PropertyReport;

/// Describes the violation in the last state of a counterexample. An unhandled event is the finding
/// only if the property would hold without it; otherwise it is listed in addition.
pub fn end_words(world: &World, property: &Property, end: &State, report: &mut PropertyReport) {
    let Some(violation) = &end.monitor().violation else { return };
    let mut calm = end.clone();
    for part in &mut calm.0 {
        if let Part::Monitor(monitor) = part {
            monitor.violation = None;
        }
    }
    let holds_without = world.view(&calm.0, |view| property.evaluate(view).holds);
    if holds_without && matches!(property.formula, TemporalFormula::Always { .. }) {
        report.finding = Some(violation_words(world, violation));
    } else {
        report.besides.push(violation_words(world, violation));
    }
}

/// The budgets that were spent.
pub fn exercised(marks: &BTreeSet<Tag>) -> Vec<String> {
    let spent = marks.iter().filter_map(|mark| match mark {
        Tag::Spent(name) => Some(name.clone()),
        Tag::Row(_) | Tag::Overflowed { .. } | Tag::CutsExceeded { .. } => None,
    });
    spent.collect()
}

/// The outcomes of rows.
pub fn taken(marks: BTreeSet<Tag>) -> BTreeSet<RowOutcome> {
    let taken = marks.into_iter().filter_map(|mark| match mark {
        Tag::Row(taken) => Some(taken),
        Tag::Spent(_) | Tag::Overflowed { .. } | Tag::CutsExceeded { .. } => None,
    });
    taken.collect()
}

/// What a search could not cover: the states after a full link dropped a message; a step with too
/// many effects to be torn after each.
pub fn overflow(world: &World, marks: &BTreeSet<Tag>) -> Option<String> {
    marks.iter().find_map(|mark| match mark {
        Tag::Overflowed { link } => {
            let link = &world.links[*link];
            let (from, to) = (&world.nodes[link.from].name, &world.nodes[link.to].name);
            Some(format!(
                "a message from {from} to {to} was dropped because the link is full: raise its \
                 `slots` or `capacity`, or say by `when full` what happens"
            ))
        }
        Tag::CutsExceeded { node } => Some(format!(
            "a step of {} has more than {CUTS_MAX} effects and is not torn after each of them",
            world.nodes[*node].name
        )),
        Tag::Row(_) | Tag::Spent(_) => None,
    })
}

/// The text of a violation.
pub fn violation_words(world: &World, violation: &Violation) -> String {
    let taken = match &violation.what {
        ViolationKind::Table(taken) => taken,
        ViolationKind::NoLink(text) => return text.clone(),
        ViolationKind::Panic(text) => return format!("the core panicked: {text}"),
    };
    match taken {
        RowOutcome::Unexpected { machine, state, event, number } => {
            let event = unhandled_words(world, violation.node, event, *number);
            format!("{machine}: unhandled event `{event}` in state `{state}`")
        }
        RowOutcome::ActionFailed { machine, action, reason } => {
            format!("{machine}: action `{action}` failed: {reason}")
        }
        RowOutcome::Row { .. } | RowOutcome::Ignored { .. } => {
            unreachable!("no violation: {violation:?}")
        }
    }
}

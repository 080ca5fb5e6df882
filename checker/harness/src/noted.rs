//! What a search notes on its way, in words: faults that happened, what tables said, what it could
//! not take account of.

use std::collections::BTreeSet;

use turnstile_step::RowOutcome;
use turnstile_world::World;
use turnstile_world::monitor::{Violation, ViolationKind};
use turnstile_world::node::CUTS_MAX;
use turnstile_world::parts::{Mark, Part};
use turnstile_world::property::{Claim, Property};
use turnstile_world::state::State;

use crate::result::PropertyReport;

/// What the state at the end of a run says of a property that fails there. A row that is missing
/// is what fails only if the property would hold without it; else it is said besides.
pub fn end_words(world: &World, property: &Property, end: &State, report: &mut PropertyReport) {
    let Some(violation) = &end.monitor().violation else { return };
    let mut calm = end.clone();
    for part in &mut calm.0 {
        if let Part::Monitor(monitor) = part {
            monitor.violation = None;
        }
    }
    let holds_without = world.view(&calm.0, |view| property.ask(view).holds);
    if holds_without && matches!(property.claim, Claim::Always { .. }) {
        report.finding = Some(violation_words(violation));
    } else {
        report.besides.push(violation_words(violation));
    }
}

/// The budgets that were taken from.
pub fn exercised(marks: &BTreeSet<Mark>) -> Vec<String> {
    let spent = marks.iter().filter_map(|mark| match mark {
        Mark::Spent(name) => Some(name.clone()),
        Mark::Taken(_) | Mark::Overflowed { .. } | Mark::Long { .. } => None,
    });
    spent.collect()
}

/// What tables said.
pub fn taken(marks: BTreeSet<Mark>) -> BTreeSet<RowOutcome> {
    let taken = marks.into_iter().filter_map(|mark| match mark {
        Mark::Taken(taken) => Some(taken),
        Mark::Spent(_) | Mark::Overflowed { .. } | Mark::Long { .. } => None,
    });
    taken.collect()
}

/// What a search could not take account of: a message without room, after which comes what would
/// not have come; a step too long to be torn everywhere.
pub fn overflow(world: &World, marks: &BTreeSet<Mark>) -> Option<String> {
    marks.iter().find_map(|mark| match mark {
        Mark::Overflowed { link } => {
            let link = &world.links[*link];
            let (from, to) = (&world.nodes[link.from].name, &world.nodes[link.to].name);
            Some(format!(
                "a message from {from} to {to} found no room and was dropped: give that link more \
                 `slots` or `capacity`"
            ))
        }
        Mark::Long { node } => Some(format!(
            "a step of {} has more than {CUTS_MAX} effects and is not torn after each of them",
            world.nodes[*node].name
        )),
        Mark::Taken(_) | Mark::Spent(_) => None,
    })
}

/// What does not fit, in words.
pub fn violation_words(violation: &Violation) -> String {
    let taken = match &violation.what {
        ViolationKind::Table(taken) => taken,
        ViolationKind::NoLink(text) => return text.clone(),
    };
    match taken {
        RowOutcome::Unexpected { machine, state, event, number: 0 } => {
            format!("{machine}: no row for `{event}` in `{state}`")
        }
        RowOutcome::Unexpected { machine, state, event, number } => {
            format!("{machine}: no row for `{event} ({number})` in `{state}`")
        }
        RowOutcome::ActionFailed { machine, action, because } => {
            format!("{machine}: `{action}` cannot be done: {because}")
        }
        RowOutcome::Row { .. } | RowOutcome::Ignored { .. } => {
            unreachable!("no violation: {violation:?}")
        }
    }
}

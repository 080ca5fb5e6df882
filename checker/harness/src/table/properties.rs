//! What holds in every state of a table that runs alone, as properties of its world: for the
//! Explorer, and for the engines that search any world.

use turnstile_machine::Dynamic;
use turnstile_plain::State;
use turnstile_step::RowOutcome;
use turnstile_world::monitor::ViolationKind;
use turnstile_world::property::View;
use turnstile_world::{Predicate, Property, Reads, TemporalFormula};

use crate::plain::rules::TableRules;

/// Resources match the state, unless the trace ended.
pub(super) const RESOURCES: &str = "resources match state";
/// Every event has a row.
pub(super) const UNHANDLED: &str = "no unhandled event";
/// No declaration is wrong.
pub(super) const IMPOSSIBLE: &str = "no impossible cell is reached";

/// The properties of the world of a table.
pub(super) fn all(rules: &TableRules) -> [Property; 3] {
    let always = |name: &str, sentence: &str, holds: Predicate| Property {
        name: name.to_owned(),
        sentence: sentence.to_owned(),
        formula: TemporalFormula::Always { holds, antecedent: Predicate::new(|_| true) },
        reads: Reads::Nodes,
        without: Vec::new(),
    };
    let of = rules.clone();
    let resources = Predicate::new(move |view: &View<'_>| match view.violation() {
        Some(violation) => violation.is_unexpected(),
        None => of.matches_state(view.state(0)),
    });
    let of = rules.clone();
    let unhandled = Predicate::new(move |view| unexpected(&of, view) != Some(Unexpected::NoRow));
    let of = rules.clone();
    let is_impossible = Some(Unexpected::DeclaredImpossible);
    let impossible = Predicate::new(move |view| unexpected(&of, view) != is_impossible);
    [
        always(
            RESOURCES,
            "in every reachable state exactly the resources that the state holds are active",
            resources,
        ),
        always(
            UNHANDLED,
            "every event has a transition in every state in which it can arrive",
            unhandled,
        ),
        always(IMPOSSIBLE, "no cell declared impossible is reachable", impossible),
    ]
}

/// An event that ended the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unexpected {
    NoRow,
    DeclaredImpossible,
}

fn unexpected(rules: &TableRules, view: &View<'_>) -> Option<Unexpected> {
    let ViolationKind::Table(RowOutcome::Unexpected { event, number, .. }) = view.violation()?.what
    else {
        return None;
    };
    let state: &State<Dynamic> = view.state(0);
    Some(match rules.is_impossible(state.at, (event, number)) {
        true => Unexpected::DeclaredImpossible,
        false => Unexpected::NoRow,
    })
}

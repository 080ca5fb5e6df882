//! The properties of a table that runs alone, as those of its world, for every engine.

use turnstile_machine::Dynamic;
use turnstile_plain::State;
use turnstile_spec::table::Table;
use turnstile_step::RowOutcome;
use turnstile_world::monitor::{Violation, ViolationKind};
use turnstile_world::property::View;
use turnstile_world::{Predicate, Property, Reads, TemporalFormula};

use crate::plain::node::TableNode;
use crate::plain::rules::TableRules;

/// Exactly the resources that the state holds are armed or outstanding.
pub(super) const RESOURCES: &str = "resources match state";
/// Every event that can arrive has a transition.
pub(super) const UNHANDLED: &str = "no unhandled event";
/// A final state is reachable from everywhere; in a table without final states, some row can be
/// taken. A state that may end is as good as a final one.
pub(super) const DEADLOCK: &str = "no deadlock";
/// Each row is taken on some trace, or waived; judged by the coverage.
pub(super) const EVERY_ROW: &str = "every row is taken";
/// No cell declared impossible is reachable.
pub(super) const IMPOSSIBLE: &str = "no impossible cell is reached";

/// The sentence of a property.
pub(super) fn sentence(property: &str, table: &Table) -> String {
    let sentence = match property {
        RESOURCES => {
            "in every reachable state exactly the resources that the state holds are active"
        }
        UNHANDLED => "every event has a transition in every state in which it can arrive",
        DEADLOCK if has_final_state(table) => {
            "from every reachable state a final state is reachable"
        }
        DEADLOCK => {
            "no deadlock: in every reachable state some event is enabled (no state is final)"
        }
        EVERY_ROW => "every row is taken on some trace",
        _ => "no cell declared impossible is reachable",
    };
    sentence.to_owned()
}

/// Whether a table has a final state.
pub(super) fn has_final_state(table: &Table) -> bool {
    table.states.iter().flatten().any(|state| state.is_final)
}

/// The properties of the world of a table.
pub(super) fn all(node: &TableNode, table: &Table) -> [Property; 4] {
    let property = |name: &str, formula| Property {
        name: name.to_owned(),
        sentence: sentence(name, table),
        formula,
        reads: Reads::Nodes,
        without: Vec::new(),
    };
    let always = |name: &str, holds: Predicate| {
        let antecedent = Predicate::new(|_| true);
        property(name, TemporalFormula::Always { holds, antecedent })
    };
    let of = node.clone();
    let resources = Predicate::new(move |view: &View<'_>| match view.violation() {
        Some(_) => is_over(view),
        None => of.matches_state(view.state(0)),
    });
    let unhandled = |is_declared| {
        let of = node.rules().clone();
        Predicate::new(move |view| unhandled(&of, view) != Some(is_declared))
    };
    let (of, ends) = (node.clone(), has_final_state(table));
    let goal = Predicate::new(move |view| {
        let state: &State<Dynamic> = view.state(0);
        // Where a step was left out, the end may lie behind it.
        let is_end = of.may_end(state) || of.is_beyond(state);
        !is_over(view) && (is_end || !ends && of.goes_on(state))
    });
    // A trace that ended in an unhandled event is judged by `no unhandled event`.
    let antecedent = Predicate::new(|view| !is_over(view));
    [
        always(RESOURCES, resources),
        always(UNHANDLED, unhandled(false)),
        property(DEADLOCK, TemporalFormula::CanReach { antecedent, goal }),
        always(IMPOSSIBLE, unhandled(true)),
    ]
}

/// Whether the trace ended, because no row handles the event.
fn is_over(view: &View<'_>) -> bool {
    view.violation().is_some_and(Violation::is_unexpected)
}

/// Of an event that ended the trace, whether its cell is declared impossible; otherwise it has no
/// row.
fn unhandled(rules: &TableRules, view: &View<'_>) -> Option<bool> {
    let ViolationKind::Table(RowOutcome::Unexpected { event, number, .. }) = view.violation()?.what
    else {
        return None;
    };
    let state: &State<Dynamic> = view.state(0);
    Some(rules.is_impossible(state.at, (event, number)))
}

//! The properties that every system of tables has.

use std::sync::Arc;

use turnstile_world::nodes::node::{Event, NodePart, NodeStatus};
use turnstile_world::property::View;
use turnstile_world::system::{Input, System as _};
use turnstile_world::{NodeId, PossibleAction, Predicate, Property, Reads, TemporalFormula};

use super::system::TableSystem;

/// The names of the properties that every system of tables has.
pub const INHERENT: [&str; 5] =
    ["no unhandled event", "no action fails", "timers match state", "no deadlock", "no full link"];

/// The properties that every system of tables has.
pub(super) fn inherent(system: &Arc<TableSystem>) -> Vec<Property> {
    let always = |name: &str, sentence: &str, reads, predicate: Predicate| Property {
        name: name.to_owned(),
        sentence: sentence.to_owned(),
        formula: TemporalFormula::Always { holds: predicate, antecedent: Predicate::new(|_| true) },
        reads,
        without: Vec::new(),
    };
    let unhandled = Predicate::new(|view| view.violation().is_none_or(|one| !one.is_unexpected()));
    let failed = Predicate::new(|view| view.violation().is_none_or(|one| one.is_unexpected()));
    let of = Arc::clone(system);
    let timers =
        Predicate::new(move |view| {
            view.violation().is_some()
                || view.nodes.iter().enumerate().all(|(node, part)| {
                    !part.is_up() || of.table(node).matches_state(part.state.of())
                })
        });
    let of = Arc::clone(system);
    let deadlock = Predicate::new(move |view| {
        let mut nodes = view.nodes.iter().enumerate();
        view.violation().is_some()
            || view.possible().any(|action| goes_on(&of, view, &action))
            || !has_stuck_message(&of, view)
                && nodes.all(|(node, part)| is_at_rest(&of, node, part))
    });
    let full = Predicate::new(|view| view.links.iter().all(|link| !link.overflowed));
    vec![
        always(
            INHERENT[0],
            "Every event that reaches a node has a row in its table, or is ignored there.",
            Reads::Monitor,
            unhandled,
        ),
        always(
            INHERENT[1],
            "No action deletes, restarts or abandons what is not there, sends without a link, or \
             answers without a request.",
            Reads::Monitor,
            failed,
        ),
        always(
            INHERENT[2],
            "Each timer, request and note is there exactly as the state holds it.",
            Reads::Nodes,
            timers,
        ),
        always(
            INHERENT[3],
            "In every reachable state some event is enabled, or no message waits and every machine \
             is in a final state or one that is marked `may end`.",
            Reads::Links,
            deadlock,
        ),
        always(INHERENT[4], "No message is sent on a link that is full.", Reads::Links, full),
    ]
}

fn is_at_rest(system: &TableSystem, node: NodeId, part: &NodePart) -> bool {
    part.status == NodeStatus::Down || system.table(node).may_end(part.state.of())
}

/// Whether an action is neither a fault, nor a restart, which need not come, nor a command that is
/// ignored. A command whose budget is spent could come again: the budget only bounds the search.
fn goes_on(system: &TableSystem, view: &View<'_>, one: &PossibleAction) -> bool {
    if one.is_loss || one.spends.iter().any(|budget| !system.rationed.contains(budget)) {
        return false;
    }
    match one.action.event() {
        Some((node, Event::Takes(Input::Command(command), _))) => {
            !system.node(node).ignores(&view.nodes[node].state, command)
        }
        Some((_, Event::Restarts(_))) => false,
        Some(_) | None => true,
    }
}

/// Whether a message waits for a node that is up: it cannot take it, now or ever, if nothing can
/// happen.
fn has_stuck_message(system: &TableSystem, view: &View<'_>) -> bool {
    system.links.iter().zip(view.links).any(|(link, part)| {
        part.messages((link.from, link.to)).any(|((_, to), _)| view.nodes[to].is_up())
    })
}

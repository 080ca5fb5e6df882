//! The formulas of a system of tables as predicates, and the properties that every such system has.

use std::sync::Arc;

use turnstile_machine::{Dynamic, Name as _};
use turnstile_plain::{Message, State};
use turnstile_spec::system::composition::{Flight, NodeTerm, ProcessStatus, StateFormula, Value};
use turnstile_world::nodes::node::{NodePart, NodeStatus};
use turnstile_world::property::View;
use turnstile_world::{NodeId, Ordered, Predicate};

use super::system::TableSystem;

/// A formula as a predicate of a world; `of`: the node that is its first variable.
pub(super) fn predicate(
    system: &Arc<TableSystem>,
    formula: &StateFormula,
    of: Option<NodeId>,
) -> Predicate {
    let (system, formula) = (Arc::clone(system), formula.clone());
    Predicate::new(move |view| holds(&system, view, &formula, &mut of.into_iter().collect()))
}

/// A formula as the goal of paths. A trace ends at a violation, which is reported by itself: what
/// would have come after it is not.
pub(super) fn goal(
    system: &Arc<TableSystem>,
    formula: &StateFormula,
    of: Option<NodeId>,
) -> Predicate {
    let (system, formula) = (Arc::clone(system), formula.clone());
    Predicate::new(move |view| {
        let mut bound = of.into_iter().collect();
        view.violation().is_some() || holds(&system, view, &formula, &mut bound)
    })
}

fn holds(
    system: &TableSystem,
    view: &View<'_>,
    formula: &StateFormula,
    bound: &mut Vec<NodeId>,
) -> bool {
    let node = |term: &NodeTerm, bound: &[NodeId]| match term {
        NodeTerm::Only(role) => {
            system.role_of.iter().position(|of| of == role).expect("the role has one node")
        }
        NodeTerm::Variable(place) => bound[*place],
    };
    match formula {
        StateFormula::In(term, states) => {
            let node = node(term, bound);
            let at = view.state::<State<Dynamic>>(node).at;
            !is_down(view, node) && states.iter().any(|state| state.index() == at.index())
        }
        StateFormula::Has(term, resource) => {
            let node = node(term, bound);
            let held = view.state::<State<Dynamic>>(node).held[resource.index()];
            !is_down(view, node) && held > 0
        }
        StateFormula::Is(one, relation, other) => {
            let value = |value: &Value| match value {
                Value::Number(number) => *number,
                Value::Variable(term, variable) => {
                    variables(view, node(term, bound))[variable.index()]
                }
            };
            relation.holds(value(one), value(other))
        }
        StateFormula::Status(term, status) => *status == status_of(view.nodes[node(term, bound)]),
        StateFormula::InFlight(flight) => {
            let [from, to] =
                [&flight.from, &flight.to].map(|term| term.as_ref().map(|term| node(term, bound)));
            in_flight(system, view, flight, (from, to))
        }
        StateFormula::Same(one, other) => node(one, bound) == node(other, bound),
        StateFormula::All(parts) => parts.iter().all(|part| holds(system, view, part, bound)),
        StateFormula::Any(parts) => parts.iter().any(|part| holds(system, view, part, bound)),
        StateFormula::Not(part) => !holds(system, view, part, bound),
        StateFormula::Iff(one, other) => {
            holds(system, view, one, bound) == holds(system, view, other, bound)
        }
        StateFormula::Every(role, part) => {
            nodes(system, *role).all(|node| with(system, view, part, (bound, node)))
        }
        StateFormula::Some(role, part) => {
            nodes(system, *role).any(|node| with(system, view, part, (bound, node)))
        }
    }
}

fn status_of(part: &NodePart) -> ProcessStatus {
    match part.status {
        NodeStatus::Up => ProcessStatus::Up,
        NodeStatus::Down => ProcessStatus::Down,
        NodeStatus::Paused => ProcessStatus::Paused,
    }
}

/// Whether a node has crashed: then it is in no state and has no resource.
fn is_down(view: &View<'_>, node: NodeId) -> bool {
    view.nodes[node].status == NodeStatus::Down
}

/// The variables of a node; of one that has crashed, those that it would start again with.
fn variables<'v>(view: &View<'v>, node: NodeId) -> &'v [u16] {
    match &view.nodes[node].saved {
        Some(saved) if is_down(view, node) => &saved.of::<State<Dynamic>>().variables,
        Some(_) | None => &view.state::<State<Dynamic>>(node).variables,
    }
}

/// Whether a message is on a link between these nodes.
fn in_flight(
    system: &TableSystem,
    view: &View<'_>,
    flight: &Flight,
    (from, to): (Option<NodeId>, Option<NodeId>),
) -> bool {
    let is_meant = |message: &Ordered| {
        let message = message.of::<Message>();
        *message.event == *flight.event
            && flight
                .payload
                .as_deref()
                .is_none_or(|payload| message.payload.as_deref() == Some(payload))
    };
    system.links.iter().zip(view.links).any(|(link, part)| {
        part.messages((link.from, link.to)).any(|(ends, message)| {
            from.is_none_or(|from| from == ends.0)
                && to.is_none_or(|to| to == ends.1)
                && is_meant(message)
        })
    })
}

fn nodes(system: &TableSystem, role: usize) -> impl Iterator<Item = NodeId> + '_ {
    (0..system.role_of.len()).filter(move |node| system.role_of[*node] == role)
}

/// Whether a formula holds with one more variable.
fn with(
    system: &TableSystem,
    view: &View<'_>,
    part: &StateFormula,
    (bound, node): (&mut Vec<NodeId>, NodeId),
) -> bool {
    bound.push(node);
    let is_so = holds(system, view, part, bound);
    bound.pop();
    is_so
}

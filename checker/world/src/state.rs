//! A state of a World as a value, and an action in it.

use turnstile_search::transition_system::Place;

use crate::budget::RemainingBudgets;
use crate::links::link_part::LinkPart;
use crate::links::network::NodeId;
use crate::monitor::MonitorPart;
use crate::nodes::node::{Event, NodePart};
use crate::parts::{Op, Part, TimeConstraint};

/// A state: its nodes, its links, the monitor and the remaining budgets, in this order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State(pub Vec<Part>);

impl State {
    /// The nodes, in their order.
    pub fn nodes(&self) -> impl Iterator<Item = &NodePart> {
        self.0.iter().filter_map(|part| match part {
            Part::Node(part) => Some(part),
            Part::Link(_) | Part::Monitor(_) | Part::Budgets(_) => None,
        })
    }

    /// A node.
    #[must_use]
    pub fn node(&self, node: NodeId) -> &NodePart {
        self.nodes().nth(node).expect("a node of its world")
    }

    /// A link.
    #[must_use]
    pub fn link(&self, link: usize) -> &LinkPart {
        let mut links = self.0.iter().filter_map(|part| match part {
            Part::Link(part) => Some(part),
            Part::Node(_) | Part::Monitor(_) | Part::Budgets(_) => None,
        });
        links.nth(link).expect("a link of its world")
    }

    /// The monitor.
    #[must_use]
    pub fn monitor(&self) -> &MonitorPart {
        let mut monitors = self.0.iter().filter_map(|part| match part {
            Part::Monitor(part) => Some(part),
            Part::Node(_) | Part::Link(_) | Part::Budgets(_) => None,
        });
        monitors.next().expect("every state has a monitor")
    }

    /// The remaining budgets.
    #[must_use]
    pub fn budgets(&self) -> RemainingBudgets {
        let mut lefts = self.0.iter().filter_map(|part| match part {
            Part::Budgets(left) => Some(*left),
            Part::Node(_) | Part::Link(_) | Part::Monitor(_) => None,
        });
        lefts.next().expect("every state has budgets")
    }
}

/// An action: the operation that starts it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// The part where it starts.
    pub at: Place,
    /// The operation.
    pub op: Op,
}

impl Action {
    /// The event of a node, and which node, if there is one.
    #[must_use]
    pub fn event(&self) -> Option<(NodeId, &Event)> {
        if let Op::NodeEvent { event, .. } = &self.op {
            return Some((self.at.index(), event));
        }
        let Op::LinkEvent { delivers: Some((node, event)), .. } = &self.op else { return None };
        Some((*node, event))
    }

    /// Whether clock drift lets an event violate a time relation.
    #[must_use]
    pub fn is_drift(&self) -> bool {
        matches!(
            self.op,
            Op::NodeEvent {
                constraint: TimeConstraint::Before(_) | TimeConstraint::BeforeMessages(_),
                ..
            }
        )
    }
}

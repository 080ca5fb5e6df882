//! A state of a World as a value, and its actions: for counterexamples, Explorer and stateright's
//! searches.

use turnstile_search::transition_system::{
    Fairness, Place, ReachedState, TransitionSystem as _, cascade,
};

use crate::World;
use crate::budget::RemainingBudgets;
use crate::link_part::LinkPart;
use crate::monitor::MonitorPart;
use crate::network::NodeId;
use crate::node::{Event, NodePart};
use crate::parts::{Op, Part, Tag, TimeConstraint};
use crate::property::View;

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

impl World {
    /// The actions that a part of a state enables, in a fixed order: nodes by number, each with its
    /// timers, commands and faults, then links by number. Another part may refuse some of them.
    #[must_use]
    pub fn actions_of(&self, state: &State) -> Vec<Action> {
        self.fair_actions_of(state).into_iter().map(|(action, _)| action).collect()
    }

    /// The same, each with its fairness.
    #[must_use]
    pub fn fair_actions_of(&self, state: &State) -> Vec<(Action, Fairness)> {
        let left = state.budgets();
        let mut actions = Vec::new();
        for (at, part) in (0..).map(Place).zip(&state.0) {
            actions.extend(self.enabled(at, part).into_iter().filter_map(|enabled| {
                let (Op::NodeEvent { budget: cost, .. } | Op::LinkEvent { budget: cost, .. }) =
                    &enabled.op
                else {
                    return Some((Action { at, op: enabled.op }, enabled.fairness));
                };
                let is_left = cost.is_none_or(|budget| left.of(budget) != Some(0));
                is_left.then_some((Action { at, op: enabled.op }, enabled.fairness))
            }));
        }
        actions
    }

    /// The state after an action, with its coverage; `None` if a part refuses the action.
    #[must_use]
    pub fn reached(&self, state: &State, action: &Action) -> Option<ReachedState<Part, Tag>> {
        let mut ends = cascade(self, &state.0, action.at, &action.op);
        assert!(ends.len() <= 1, "which row is taken is part of the event");
        ends.pop()
    }

    /// The state after an action; `None` if it changes nothing or a part refuses it.
    #[must_use]
    pub fn after(&self, state: &State, action: &Action) -> Option<State> {
        let next = State(self.reached(state, action)?.state);
        (next != *state).then_some(next)
    }

    /// Calls a function with the view of a state.
    pub fn view<'p, R>(
        &self,
        parts: impl IntoIterator<Item = &'p Part>,
        look: impl FnOnce(&View<'_>) -> R,
    ) -> R {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let mut links = Vec::new();
        let (mut monitor, mut left) = (None, None);
        for part in parts {
            match part {
                Part::Node(part) => nodes.push(part),
                Part::Link(part) => links.push(part),
                Part::Monitor(part) => monitor = Some(part),
                Part::Budgets(part) => left = Some(*part),
            }
        }
        look(&View {
            nodes: &nodes,
            links: &links,
            monitor: monitor.expect("every state has a monitor"),
            remaining: left.expect("every state has budgets"),
            budgets: &self.budgets,
        })
    }
}

//! A whole state of a World as a value, and what may happen in it: the form that counterexamples,
//! Explorer and stateright's searches use.

use turnstile_search::parts::{Fairness, Parts as _, Place, Reached, cascade};

use crate::World;
use crate::budget::Left;
use crate::link_part::LinkPart;
use crate::monitor::MonitorPart;
use crate::node::{Event, NodePart};
use crate::parts::{Mark, Op, Part, TimeConstraint};
use crate::property::View;
use crate::wiring::NodeId;

/// A whole state: its nodes, its links, what the properties remember, what is left of the budgets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State(pub Vec<Part>);

impl State {
    /// The nodes, in their order.
    pub fn nodes(&self) -> impl Iterator<Item = &NodePart> {
        self.0.iter().filter_map(|part| match part {
            Part::Node(part) => Some(part),
            Part::Link(_) | Part::Monitor(_) | Part::Left(_) => None,
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
            Part::Node(_) | Part::Monitor(_) | Part::Left(_) => None,
        });
        links.nth(link).expect("a link of its world")
    }

    /// What the properties remember.
    #[must_use]
    pub fn monitor(&self) -> &MonitorPart {
        let mut monitors = self.0.iter().filter_map(|part| match part {
            Part::Monitor(part) => Some(part),
            Part::Node(_) | Part::Link(_) | Part::Left(_) => None,
        });
        monitors.next().expect("every state remembers")
    }

    /// What is left of the budgets.
    #[must_use]
    pub fn left(&self) -> Left {
        let mut lefts = self.0.iter().filter_map(|part| match part {
            Part::Left(left) => Some(*left),
            Part::Node(_) | Part::Link(_) | Part::Monitor(_) => None,
        });
        lefts.next().expect("every state has budgets")
    }
}

/// Something that may happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Action {
    /// Where it begins.
    pub at: Place,
    /// With which operation.
    pub op: Op,
}

impl Action {
    /// What happens to a node, and to which, if anything does.
    #[must_use]
    pub fn event(&self) -> Option<(NodeId, &Event)> {
        if let Op::Happens { event, .. } = &self.op {
            return Some((self.at.index(), event));
        }
        let Op::Moves { delivers: Some((node, event)), .. } = &self.op else { return None };
        Some((*node, event))
    }

    /// Whether a timer fires although a time relation forbids it.
    #[must_use]
    pub fn is_drift(&self) -> bool {
        matches!(
            self.op,
            Op::Happens { wait: TimeConstraint::Passes(_) | TimeConstraint::BeforeMessages(_), .. }
        )
    }
}

impl World {
    /// What may begin in a state, in a fixed order: nodes by number, each with its timers,
    /// commands and faults, then links by number. Some of it is refused by another part.
    #[must_use]
    pub fn actions_of(&self, state: &State) -> Vec<Action> {
        self.fair_actions_of(state).into_iter().map(|(action, _)| action).collect()
    }

    /// The same, each with how long it may be put off.
    #[must_use]
    pub fn fair_actions_of(&self, state: &State) -> Vec<(Action, Fairness)> {
        let left = state.left();
        let mut actions = Vec::new();
        for (at, part) in (0..).map(Place).zip(&state.0) {
            actions.extend(self.offers(at, part).into_iter().filter_map(|offer| {
                let (Op::Happens { budget: cost, .. } | Op::Moves { budget: cost, .. }) = &offer.op
                else {
                    return Some((Action { at, op: offer.op }, offer.fairness));
                };
                let is_left = cost.is_none_or(|budget| left.of(budget) != Some(0));
                is_left.then_some((Action { at, op: offer.op }, offer.fairness))
            }));
        }
        actions
    }

    /// The state after an action, with what was noted on the way; `None` where a part refuses it.
    #[must_use]
    pub fn reached(&self, state: &State, action: &Action) -> Option<Reached<Part, Mark>> {
        let mut ends = cascade(self, &state.0, action.at, &action.op);
        assert!(ends.len() <= 1, "which row is taken is part of the event");
        ends.pop()
    }

    /// The state after an action; `None` where nothing changes or a part refuses it.
    #[must_use]
    pub fn after(&self, state: &State, action: &Action) -> Option<State> {
        let next = State(self.reached(state, action)?.state);
        (next != *state).then_some(next)
    }

    /// Calls `look` with a view of a state.
    pub fn view<'p, R>(
        &self,
        parts: impl IntoIterator<Item = &'p Part>,
        look: impl FnOnce(&View<'_>) -> R,
    ) -> R {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        let (mut monitor, mut left) = (None, None);
        for part in parts {
            match part {
                Part::Node(part) => nodes.push(part),
                Part::Link(_) => {}
                Part::Monitor(part) => monitor = Some(part),
                Part::Left(part) => left = Some(*part),
            }
        }
        look(&View {
            nodes: &nodes,
            monitor: monitor.expect("every state remembers"),
            left: left.expect("every state has budgets"),
            budgets: &self.budgets,
        })
    }
}

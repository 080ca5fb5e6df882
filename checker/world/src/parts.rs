//! The parts of a World's state, nodes, links, the monitor and the remaining budgets, and the
//! operations on them.

use turnstile_search::transition_system::{Outcome, Place};
use turnstile_step::RowOutcome;

use crate::budget::{BudgetId, RemainingBudgets};
use crate::links::link::LinkOp;
use crate::links::link_part::LinkPart;
use crate::links::network::NodeId;
use crate::monitor::{MonitorPart, Observation, Violation};
use crate::nodes::node::{Event, NodePart};

/// A part of a World's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// A node.
    Node(NodePart),
    /// A link.
    Link(LinkPart),
    /// The monitor.
    Monitor(MonitorPart),
    /// The remaining budgets.
    Budgets(RemainingBudgets),
}

/// An operation on a part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// On a node: an event that is not the delivery of a message.
    NodeEvent {
        /// The event.
        event: Event,
        /// The budget it takes from.
        budget: Option<BudgetId>,
        /// The time relations that apply.
        constraint: TimeConstraint,
    },
    /// On a node: the delivery of a message, and whether its link made a reply late.
    Deliver(Event, bool),
    /// On a node: the timer of another node is about to fire. Refused by a node with an armed timer
    /// that must fire first.
    AllowFire(Box<PendingTimer>),
    /// The same with clock drift: refused by a node without such a timer.
    Overtakes(Box<PendingTimer>),
    /// On a link: a timer that must fire after all messages is about to fire. Refused by a link on
    /// which a message can still arrive.
    RequireQuiet,
    /// The same with clock drift: refused by a link on which no message can arrive.
    RequireBusy,
    /// On a node: refused unless the node is up, or unless it is not.
    RequireUp(bool),
    /// On a link: a delivery or a fault.
    LinkEvent {
        /// The operation.
        op: LinkOp,
        /// The event that it delivers, and to which node.
        delivers: Option<(NodeId, Event)>,
        /// The budget it takes from.
        budget: Option<BudgetId>,
    },
    /// On a link: the remaining operations of a node's step, the first on this link, and whether
    /// one before made a reply late.
    Operate(Vec<(usize, LinkOp)>, bool),
    /// On the monitor: the observations of a step.
    Observe(Vec<Observation>),
    /// On the monitor: a violation that a link finds in a step that has been observed.
    Violate(Violation),
    /// On the budgets: takes one from a budget.
    Spend(BudgetId),
}

/// The time relations that constrain an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeConstraint {
    /// None.
    Free,
    /// It comes after the earlier timers of these nodes, as bits.
    After(u64),
    /// With clock drift: it comes before an earlier timer of this node, which may be its own.
    Before(NodeId),
    /// It comes after all messages, and after the earlier timers of these nodes, as bits.
    AfterMessages(u64),
    /// With clock drift: it comes before a message on this link.
    BeforeMessages(usize),
}

/// A timer that is about to fire.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PendingTimer {
    pub(super) node: NodeId,
    pub(super) part: NodePart,
    pub(super) event: Event,
}

/// A coverage tag of an operation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// The outcome of a row.
    Row(RowOutcome),
    /// Something was taken from this budget.
    Spent(String),
    /// A link dropped a message for lack of capacity: the search is incomplete.
    Overflowed {
        /// The index of the link.
        link: usize,
    },
    /// A step has more effects than the positions at which it can be torn: not all were tried.
    CutsExceeded {
        /// The node.
        node: NodeId,
    },
}

/// An outcome of an operation of a World.
pub(super) type PartOutcome = Outcome<Part, Op, Tag>;

pub(super) fn place(index: usize) -> Place {
    Place(u16::try_from(index).expect("a world has few parts"))
}

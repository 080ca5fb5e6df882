//! The monitor: history variables of the properties, updated by the observations of each step. It
//! never reads a core's state.

use turnstile_step::{IdClass, RowOutcome, Symbolic};

use crate::links::network::NodeId;
use crate::step_rules::Breaches;
use crate::value::{Ordered, Value};

/// An observation of a step of a node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Observation {
    /// The node's user gave a command.
    Asked(NodeId, Ordered),
    /// The node's user got a notice.
    Told(NodeId, Value),
    /// The node crashed and lost what it had not saved.
    Crashed(NodeId),
    /// The node restarted.
    Restarted(NodeId),
    /// The step is a violation.
    Violation(Violation),
    /// The step breaks these rules about single steps.
    Breaches(Breaches),
}

/// A step that the tables or the world do not provide for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Violation {
    /// The node that took the step.
    pub node: NodeId,
    /// Its kind.
    pub what: ViolationKind,
}

/// The kind of a violation.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ViolationKind {
    /// An unhandled event, or an action that failed.
    Table(RowOutcome),
    /// A message was sent to a node to which no link leads; as text.
    NoLink(String),
    /// The core panicked: what it said, and where. The node is as before the step.
    Panic(String),
}

impl Violation {
    /// The violation that a row outcome is, if it is one.
    #[must_use]
    pub fn of(node: NodeId, taken: &RowOutcome) -> Option<Self> {
        match taken {
            RowOutcome::Unexpected { .. } | RowOutcome::ActionFailed { .. } => {
                Some(Self { node, what: ViolationKind::Table(*taken) })
            }
            RowOutcome::Row { .. } | RowOutcome::Ignored { .. } => None,
        }
    }

    /// Whether its core panicked. No trace goes on after that.
    #[must_use]
    pub fn is_panic(&self) -> bool {
        matches!(self.what, ViolationKind::Panic(_))
    }

    /// Whether it is an unhandled event.
    #[must_use]
    pub fn is_unexpected(&self) -> bool {
        matches!(self.what, ViolationKind::Table(RowOutcome::Unexpected { .. }))
    }
}

/// The monitor's part of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MonitorPart {
    /// The history variables of the system.
    pub system: Value,
    /// The violation of the last step, if it was one.
    pub violation: Option<Violation>,
    /// The rules that the last step broke.
    pub breaches: Breaches,
}

impl Symbolic for MonitorPart {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.system.visit_ids(each);
    }
}

//! What is seen of a step, for the properties to remember. It never reads a core's state.

use turnstile_step::{IdClass, RowOutcome, Symbolic};

use crate::value::{Ordered, Value};
use crate::wiring::NodeId;

/// Something that happened at a node and that a property may want to remember.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Observation {
    /// The node's user asked.
    Asked(NodeId, Ordered),
    /// The node's user was told.
    Told(NodeId, Value),
    /// The node stopped and forgot.
    Crashed(NodeId),
    /// The node started again.
    Restarted(NodeId),
    /// Its table does not fit what happened, or its message has no way.
    Violation(Violation),
}

/// A step that the system is not made for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Violation {
    /// Where.
    pub node: NodeId,
    /// What is wrong.
    pub what: ViolationKind,
}

/// What is wrong with a step.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ViolationKind {
    /// What the table said: an event without a row, or something that could not be done.
    Table(RowOutcome),
    /// A message was sent where no link of the world leads; in words.
    NoLink(String),
}

impl Violation {
    /// What a core reported, if that was it.
    #[must_use]
    pub fn of(node: NodeId, taken: &RowOutcome) -> Option<Self> {
        match taken {
            RowOutcome::Unexpected { .. } | RowOutcome::ActionFailed { .. } => {
                Some(Self { node, what: ViolationKind::Table(*taken) })
            }
            RowOutcome::Row { .. } | RowOutcome::Ignored { .. } => None,
        }
    }

    /// Whether it is an event without a row.
    #[must_use]
    pub fn is_unexpected(&self) -> bool {
        matches!(self.what, ViolationKind::Table(RowOutcome::Unexpected { .. }))
    }
}

/// The part of a state that remembers: the system's own, and what the last step ran into.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MonitorPart {
    /// What the properties remember.
    pub system: Value,
    /// The violation that the last step met; forgotten with the next one.
    pub violation: Option<Violation>,
}

impl Symbolic for MonitorPart {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.system.visit_ids(each);
    }
}

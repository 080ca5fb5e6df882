//! The first state of most worlds: all members have the first view, the coordinator has collected
//! all locks, no message is in transit.

use std::sync::OnceLock;

use turnstile_world::{Breaches, NodeId, NodePart};

use crate::group_lock::GroupLock;

/// The group, formed when the first of its members starts: to make a world runs no row.
#[derive(Debug)]
pub(crate) struct Formed {
    group: GroupLock,
    /// What forms it.
    form: fn(&GroupLock) -> (Vec<NodePart>, Breaches),
    members: OnceLock<(Vec<NodePart>, Breaches)>,
}

impl Formed {
    pub(crate) fn new(group: GroupLock, form: fn(&GroupLock) -> (Vec<NodePart>, Breaches)) -> Self {
        Self { group, form, members: OnceLock::new() }
    }

    /// The first state of a member.
    pub(crate) fn member(&self, node: NodeId) -> &NodePart {
        &self.formed().0[node]
    }

    /// The rules that its forming broke.
    pub(crate) fn breaches(&self) -> &Breaches {
        &self.formed().1
    }

    fn formed(&self) -> &(Vec<NodePart>, Breaches) {
        self.members.get_or_init(|| (self.form)(&self.group))
    }
}

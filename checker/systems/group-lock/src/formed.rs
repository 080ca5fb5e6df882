//! The first state of most worlds: all members have the first view, the coordinator has collected
//! all locks, no message is in transit. Computed by running the cores.

use std::collections::VecDeque;
use std::sync::OnceLock;

use turnstile_world::system::Input;
use turnstile_world::{Event, NodeId, NodePart};

use crate::member_node::MemberNode;
use crate::system::GroupLock;

/// More messages than a small group needs to become quiescent; with a wrong table it may never be.
const STEPS_MAX: usize = 1_000;

/// The group, formed when the first of its members starts: to make a world runs no row.
#[derive(Debug)]
pub(crate) struct Formed {
    group: GroupLock,
    members: OnceLock<Vec<NodePart>>,
}

impl Formed {
    pub(crate) fn new(group: GroupLock) -> Self {
        Self { group, members: OnceLock::new() }
    }

    /// The first state of a member.
    pub(crate) fn member(&self, node: NodeId) -> &NodePart {
        let members = self.members.get_or_init(|| {
            let founders: Vec<MemberNode> =
                (0..self.group.members).map(|node| self.group.member_at(node)).collect();
            formed_group(&founders, &self.group.first_input())
        });
        &members[node]
    }
}

/// The members when quiescent, after each has received this input.
fn formed_group(members: &[MemberNode], first: &Input) -> Vec<NodePart> {
    let mut parts: Vec<_> =
        members.iter().map(|member_state| NodePart::start(member_state)).collect();
    let mut inputs: VecDeque<_> = (0..members.len()).map(|node| (node, first.clone())).collect();
    for _ in 0..STEPS_MAX {
        let Some((to, input)) = inputs.pop_front() else { break };
        let stepped = parts[to].step((to, &members[to]), &Event::Takes(input, 0));
        let sent = stepped.sends.into_iter();
        inputs.extend(sent.map(|(other, message)| (other, Input::Message { from: to, message })));
        parts[to] = stepped.node;
    }
    parts
}

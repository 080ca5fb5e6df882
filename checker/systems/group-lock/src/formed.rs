//! The first state of most worlds: all members have the first view, the coordinator has collected
//! all locks, no message is in transit. Computed by running the cores.

use std::collections::VecDeque;

use turnstile_world::system::Input;
use turnstile_world::{Event, NodePart};

use crate::member_node::MemberNode;

/// More messages than a small group needs to become quiescent; with a wrong table it may never be.
const STEPS_MAX: usize = 1_000;

/// The members when quiescent, after each has received this input.
pub(crate) fn formed_group(members: &[MemberNode], first: &Input) -> Vec<NodePart> {
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

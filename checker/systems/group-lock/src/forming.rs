//! The members of a world as they have never run, and the group that they form. Computed by running
//! the cores.

use std::collections::VecDeque;

use turnstile_group_lock_core::Member;
use turnstile_view_handler_core::View;
use turnstile_view_handler_core::number::ViewId;
use turnstile_world::system::{Input, NodeCore};
use turnstile_world::{Breaches, Event, NodeId, NodePart, Observation, Ordered};

use crate::group_lock::{GroupLock, member};
use crate::layer_message::LayerMessage;
use crate::member_node::{Lives, MemberNode};
use crate::nodes::{LocksNode, StackNode};

/// More messages than a small group needs to become quiescent; with a wrong table it may never be.
const STEPS_MAX: usize = 1_000;

impl GroupLock {
    /// A member that has never run.
    pub(crate) fn member_at(&self, me: NodeId) -> MemberNode {
        let (client, coordinator) = (self.client.clone(), self.coordinator.clone());
        let locks = LocksNode(Member { me: member(me), client: client.clone(), coordinator });
        let runs: Box<dyn NodeCore> = match self.views.clone() {
            None => Box::new(locks),
            Some(views) => Box::new(StackNode { views, locks, restarts: self.restarts }),
        };
        let lives = self.lives(me);
        let (me, lower_layer, is_stack) = (member(me), self.members, self.views.is_some());
        let (locks, keeps_tokens) = (self.locks, self.keeps_tokens);
        let loses_exclusions =
            self.views.as_ref().is_some_and(|views| views.assumptions.loses_exclusions);
        MemberNode {
            me,
            locks,
            lower_layer,
            runs,
            client,
            keeps_tokens,
            loses_exclusions,
            is_stack,
            lives,
            formed: None,
        }
    }

    /// The lives of the process whose member is this one.
    fn lives(&self, me: NodeId) -> Lives {
        let Some(views) = self.views.as_ref().filter(|_| self.restarts) else {
            return Lives::default();
        };
        let processes = views.groups.iter().sum::<usize>();
        let next = Some(me + processes).filter(|next| *next < self.members);
        Lives { is_later: me >= processes, next }
    }

    /// The first input of each member: its own first view, or that of all.
    fn first_input(&self) -> Input {
        if self.views.is_some() {
            return Input::Restart(None);
        }
        let view = View::new(ViewId::new(0), (0..self.members).map(member));
        Input::Message { from: self.members, message: Ordered::new(LayerMessage::View(view)) }
    }
}

/// The members of a group that has formed, and the rules that this broke.
pub(crate) fn formed_group(group: &GroupLock) -> (Vec<NodePart>, Breaches) {
    let founders: Vec<MemberNode> = (0..group.members).map(|node| group.member_at(node)).collect();
    quiescent(&founders, &group.first_input())
}

/// The members when quiescent, after each has received this input.
fn quiescent(members: &[MemberNode], first: &Input) -> (Vec<NodePart>, Breaches) {
    let mut breaches = Breaches::default();
    let mut parts: Vec<_> =
        members.iter().map(|member_state| NodePart::start(member_state)).collect();
    let mut inputs: VecDeque<_> = (0..members.len()).map(|node| (node, first.clone())).collect();
    for _ in 0..STEPS_MAX {
        let Some((to, input)) = inputs.pop_front() else { break };
        let stepped = parts[to].step(to, &members[to], &Event::Takes(input, 0));
        for observed in stepped.observations {
            if let Observation::Breaches(broken) = observed {
                breaches.add(&broken);
            }
        }
        let sent = stepped.sends.into_iter();
        inputs.extend(sent.map(|(other, message)| (other, Input::Message { from: to, message })));
        parts[to] = stepped.node;
    }
    (parts, breaches)
}

//! A step of one node: its effects on the node and on the links of its World.
//!
//! These are pure functions of single parts; their order is defined by [`crate::parts`].

use crate::links::link::{Link, LinkOp, LinkStatus};
use crate::links::network::{NetworkChange, NodeId};
use crate::monitor::{Observation, Violation, ViolationKind};
use crate::nodes::node::{Event, NodePart, StepResult};
use crate::system::Input;
use crate::value::Ordered;
use crate::world::World;

/// A step of one node.
#[derive(Clone, Debug)]
pub struct NodeStep {
    /// Its result at the node.
    pub stepped: StepResult,
    /// The operations on links that it triggers, in order.
    pub ops: Vec<(usize, LinkOp)>,
}

impl World {
    /// Whether the time relations require a timer to expire after one of a node, which may be its
    /// own.
    #[must_use]
    pub fn is_bound(
        &self,
        earlier: (NodeId, &NodePart),
        later: (NodeId, &NodePart),
        event: &Event,
    ) -> bool {
        let Some(timer) = event.expires() else { return false };
        let later_name = self.system.node(later.0).timer_name(timer);
        earlier.1.is_up()
            && self.relations.iter().any(|relation| {
                let Some((role, name)) = &relation.earlier else { return false };
                *role == self.nodes[earlier.0].role
                    && relation.later.0 == self.nodes[later.0].role
                    && relation.later.1 == later_name
                    && earlier.1.timers.iter().any(|armed| {
                        *name == self.system.node(earlier.0).timer_name(armed)
                            && self.system.are_related(
                                (earlier.0, &earlier.1.state, armed),
                                (later.0, &later.1.state, timer),
                            )
                    })
            })
    }

    /// Whether the time relations require a timer to fire after all messages.
    #[must_use]
    pub fn waits_for_messages(&self, node: NodeId, event: &Event) -> bool {
        // One that is late may be due while messages have arrived and wait at its node as it does.
        let Event::Takes(Input::Fired(timer), _) = event.step() else {
            return false;
        };
        let name = self.system.node(node).timer_name(timer);
        self.relations.iter().any(|relation| {
            relation.earlier.is_none()
                && relation.later.0 == self.nodes[node].role
                && relation.later.1 == name
        })
    }

    /// Steps one node. What becomes of one that crashes in the middle of a step is part of it.
    #[must_use]
    pub fn step(&self, node: NodeId, part: &NodePart, event: &Event) -> NodeStep {
        let mut turn = self.step_once(node, part, event);
        if let Event::Torn { end, .. } = event {
            let NodeStep { stepped, ops } = self.step_once(node, &turn.stepped.node, end);
            turn.ops.extend(ops);
            turn.stepped.node = stepped.node;
            turn.stepped.sends.extend(stepped.sends);
            turn.stepped.observations.extend(stepped.observations);
            turn.stepped.rows.extend(stepped.rows);
            turn.stepped.effects.extend(stepped.effects);
        }
        turn
    }

    /// One step of one node; of a torn one, the part before the crash.
    fn step_once(&self, node: NodeId, part: &NodePart, event: &Event) -> NodeStep {
        let mut ops = Vec::new();
        let calls = || self.links.iter().enumerate().filter(move |(_, link)| link.is_calls());
        let own = || calls().filter(move |(_, link)| link.from == node);
        let is_prompt = self.system.replies_are_prompt();
        let overtaken = || own().filter(|_| is_prompt).map(|(link, _)| (link, LinkOp::Overtake));
        match event.step() {
            Event::Torn { .. } => unreachable!("a torn step is torn once"),
            Event::Takes(Input::Fired(timer), _) | Event::FiresLate(timer, _) => {
                ops.extend(overtaken());
                if let Some(expired) = self.system.expires(node, &part.state, timer) {
                    ops.extend(calls().map(|(link, _)| (link, LinkOp::Expire(expired.clone()))));
                }
            }
            Event::Takes(Input::Command(_), _) => {
                ops.extend(overtaken());
            }
            Event::Crashes | Event::Restarts(_) => {
                ops.extend(own().map(|(link, _)| (link, LinkOp::CallerGone)));
                let to_it = calls().filter(|(_, link)| link.to == node);
                ops.extend(to_it.map(|(link, _)| (link, LinkOp::ServerGone)));
                let status = if *event.step() == Event::Crashes {
                    LinkStatus::ReceiverDown
                } else {
                    LinkStatus::Open
                };
                let options = self.links.iter().enumerate().filter(|(_, link)| !link.is_calls());
                let to_it = options.filter(|(_, link)| link.to == node);
                ops.extend(to_it.map(|(link, _)| (link, LinkOp::SetStatus(status))));
            }
            Event::Takes(Input::Message { .. } | Input::Restart(_), _)
            | Event::IsDue(_)
            | Event::Pauses
            | Event::Resumes => {}
        }
        if let Event::Takes(input, _) = event.step() {
            ops.extend(self.network_ops(node, input));
        }
        let mut stepped = part.step((node, self.system.node(node)), event);
        let reads_saved = self.system.reads_saved() && self.faults.may_crash(node);
        if !self.faults.may_restart(node) && !reads_saved {
            stepped.node.saved = None;
        }
        for (to, message) in &stepped.sends {
            match self.sent(node, *to, message) {
                Some(op) => ops.push(op),
                None => stepped
                    .observations
                    .push(Observation::Violation(self.no_link(node, *to, message))),
            }
        }
        NodeStep { stepped, ops }
    }

    /// The operations of an input on links between other nodes.
    fn network_ops(&self, node: NodeId, input: &Input) -> Vec<(usize, LinkOp)> {
        let others = self.links.iter().enumerate();
        let others = others.filter(|(_, link)| link.from != node && link.to != node);
        let (side, direction, op) = match self.system.network_change(node, input) {
            None => return Vec::new(),
            Some(NetworkChange::Heal) => {
                return others.map(|(link, _)| (link, LinkOp::Heal)).collect();
            }
            Some(NetworkChange::Partition(side, direction)) => (side, direction, LinkOp::Partition),
            Some(NetworkChange::Disconnect(side, direction)) => {
                (side, direction, LinkOp::Disconnect)
            }
        };
        let is_cut =
            |link: &Link| direction.has(side.contains(&link.from), side.contains(&link.to));
        others.filter(|(_, link)| is_cut(link)).map(|(link, _)| (link, op.clone())).collect()
    }

    /// The operation that sends a message, and on which link; `None` if no link joins the nodes.
    fn sent(&self, from: NodeId, to: NodeId, message: &Ordered) -> Option<(usize, LinkOp)> {
        let joins = |a, b| self.links.iter().position(|link| link.from == a && link.to == b);
        let back = joins(to, from).filter(|link| self.links[*link].is_calls());
        let there = joins(from, to).filter(|_| back.is_none() || !self.system.is_reply(message));
        if let Some(link) = there {
            return Some((link, LinkOp::Push(message.clone())));
        }
        back.map(|link| (link, LinkOp::Evaluation(message.clone())))
    }

    /// The violation of sending a message without a link, which an edited table may do.
    fn no_link(&self, node: NodeId, to: NodeId, message: &Ordered) -> Violation {
        let message = self.system.node(node).message_words(message);
        let (from, to) = (self.name_of(node), self.name_of(to));
        let text = format!("{from} sends {message} to {to}: no link of the world joins them");
        Violation { node, what: ViolationKind::NoLink(text) }
    }

    /// The violation of a reply on a link without a request that waits for it.
    pub(crate) fn no_request(&self, link: usize, answer: &Ordered) -> Violation {
        let Link { from: caller, to: node, .. } = self.links[link];
        let message = self.system.node(node).message_words(answer);
        let (from, to) = (self.name_of(node), self.name_of(caller));
        let text = format!("{from} sends {message} to {to}, which has no open request to it");
        Violation { node, what: ViolationKind::NoLink(text) }
    }

    /// A node's name, or a text for one that does not exist.
    pub(crate) fn name_of(&self, node: NodeId) -> String {
        let known = self.nodes.get(node).map(|node| node.name.clone());
        known.unwrap_or_else(|| format!("node {node}, which does not exist"))
    }
}

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
pub(crate) struct NodeStep {
    /// Its result at the node.
    pub(crate) stepped: StepResult,
    /// The operations on links that it triggers, in order.
    pub(crate) ops: Vec<(usize, LinkOp)>,
}

/// Steps one node. What becomes of one that crashes in the middle of a step is part of it.
pub(crate) fn step(world: &World, node: NodeId, part: &NodePart, event: &Event) -> NodeStep {
    let mut turn = step_once(world, node, part, event);
    if let Event::Torn { end, .. } = event {
        let NodeStep { stepped, ops } = step_once(world, node, &turn.stepped.node, end);
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
fn step_once(world: &World, node: NodeId, part: &NodePart, event: &Event) -> NodeStep {
    let mut ops = Vec::new();
    let calls = || world.links.iter().enumerate().filter(move |(_, link)| link.is_calls());
    let own = || calls().filter(move |(_, link)| link.from == node);
    let is_prompt = world.system.replies_are_prompt();
    let overtaken = || own().filter(|_| is_prompt).map(|(link, _)| (link, LinkOp::Overtake));
    match event.step() {
        Event::Torn { .. } => unreachable!("a torn step is torn once"),
        Event::Takes(Input::Fired(timer), _) | Event::FiresLate(timer, _) => {
            ops.extend(overtaken());
            if let Some(expired) = world.system.expires(node, &part.state, timer) {
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
            let options = world.links.iter().enumerate().filter(|(_, link)| !link.is_calls());
            let to_it = options.filter(|(_, link)| link.to == node);
            ops.extend(to_it.map(|(link, _)| (link, LinkOp::SetStatus(status))));
        }
        Event::Takes(Input::Message { .. } | Input::Restart(_), _)
        | Event::IsDue(_)
        | Event::Pauses
        | Event::Resumes => {}
    }
    if let Event::Takes(input, _) = event.step() {
        ops.extend(network_ops(world, node, input));
    }
    let mut stepped = part.step(node, world.system.node(node), event);
    let reads_saved = world.system.reads_saved() && world.faults.may_crash(node);
    if !world.faults.may_restart(node) && !reads_saved {
        stepped.node.saved = None;
    }
    for (to, message) in &stepped.sends {
        match sent(world, node, *to, message) {
            Some(op) => ops.push(op),
            None => stepped
                .observations
                .push(Observation::Violation(no_link(world, node, *to, message))),
        }
    }
    NodeStep { stepped, ops }
}

/// The operations of an input on links between other nodes.
fn network_ops(world: &World, node: NodeId, input: &Input) -> Vec<(usize, LinkOp)> {
    let others = world.links.iter().enumerate();
    let others = others.filter(|(_, link)| link.from != node && link.to != node);
    let (side, direction, op) = match world.system.network_change(node, input) {
        None => return Vec::new(),
        Some(NetworkChange::Heal) => {
            return others.map(|(link, _)| (link, LinkOp::Heal)).collect();
        }
        Some(NetworkChange::Partition(side, direction)) => (side, direction, LinkOp::Partition),
        Some(NetworkChange::Disconnect(side, direction)) => (side, direction, LinkOp::Disconnect),
    };
    let is_cut = |link: &Link| direction.has(side.contains(&link.from), side.contains(&link.to));
    others.filter(|(_, link)| is_cut(link)).map(|(link, _)| (link, op.clone())).collect()
}

/// The operation that sends a message, and on which link; `None` if no link joins the nodes.
fn sent(world: &World, from: NodeId, to: NodeId, message: &Ordered) -> Option<(usize, LinkOp)> {
    let joins = |a, b| world.links.iter().position(|link| link.from == a && link.to == b);
    let back = joins(to, from).filter(|link| world.links[*link].is_calls());
    let there = joins(from, to).filter(|_| back.is_none() || !world.system.is_reply(message));
    if let Some(link) = there {
        return Some((link, LinkOp::Push(message.clone())));
    }
    back.map(|link| (link, LinkOp::Evaluation(message.clone())))
}

/// The violation of sending a message without a link, which an edited table may do.
fn no_link(world: &World, node: NodeId, to: NodeId, message: &Ordered) -> Violation {
    let message = world.system.node(node).message_words(message);
    let (from, to) = (world.name_of(node), world.name_of(to));
    let text = format!("{from} sends {message} to {to}: no link of the world joins them");
    Violation { node, what: ViolationKind::NoLink(text) }
}

/// The violation of a reply on a link without a request that waits for it.
pub(crate) fn no_request(world: &World, link: usize, answer: &Ordered) -> Violation {
    let Link { from: caller, to: node, .. } = world.links[link];
    let message = world.system.node(node).message_words(answer);
    let (from, to) = (world.name_of(node), world.name_of(caller));
    let text = format!("{from} sends {message} to {to}, which has no open request to it");
    Violation { node, what: ViolationKind::NoLink(text) }
}

//! What a step of one node does to the node and to the links of its World.
//!
//! Pure functions of single parts; in which order they come is [`crate::parts`]'.

use crate::World;
use crate::link::{Link, LinkOp, Way};
use crate::monitor::{Observation, Violation, ViolationKind};
use crate::node::{Event, NodePart, Stepped};
use crate::system::Input;
use crate::value::Ordered;
use crate::wiring::{Cut, NodeId};

/// What a step of one node did.
#[derive(Clone, Debug)]
pub struct Turn {
    /// The step.
    pub stepped: Stepped,
    /// What it does to links, in order.
    pub ops: Vec<(usize, LinkOp)>,
}

impl World {
    /// Whether a timer must wait for one of another node, by the time relations.
    #[must_use]
    pub fn is_bound(
        &self,
        earlier: (NodeId, &NodePart),
        later: (NodeId, &NodePart),
        event: &Event,
    ) -> bool {
        let Event::Takes(Input::Fired(timer), _) = event.step() else {
            return false;
        };
        let later_name = self.system.node(later.0).timer_name(timer);
        earlier.1.is_up()
            && self.relations.iter().any(|relation| {
                let Some((role, name)) = &relation.earlier else { return false };
                *role == self.nodes[earlier.0].role
                    && relation.later.0 == self.nodes[later.0].role
                    && relation.later.1 == later_name
                    && earlier.1.timers.iter().any(|armed| {
                        *name == self.system.node(earlier.0).timer_name(armed)
                            && self.system.is_same_grant(
                                (earlier.0, &earlier.1.state, armed),
                                (later.0, &later.1.state, timer),
                            )
                    })
            })
    }

    /// Whether a timer fires only once no message can arrive, by the time relations.
    #[must_use]
    pub fn waits_for_messages(&self, node: NodeId, event: &Event) -> bool {
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

    /// Steps one node, and says what that does to links. A node that crashes in the middle of a
    /// step starts again at once.
    #[must_use]
    pub fn step(&self, node: NodeId, part: &NodePart, event: &Event) -> Turn {
        let mut turn = self.step_once(node, part, event);
        if let Event::Torn { choice, .. } = event {
            let restarts = Event::Restarts(*choice);
            let Turn { stepped, ops } = self.step_once(node, &turn.stepped.node, &restarts);
            turn.ops.extend(ops);
            turn.stepped.node = stepped.node;
            turn.stepped.sends.extend(stepped.sends);
            turn.stepped.seen.extend(stepped.seen);
            turn.stepped.taken.extend(stepped.taken);
            turn.stepped.effects.extend(stepped.effects);
        }
        turn
    }

    /// One step of one node; of one that is torn, what comes before the crash.
    fn step_once(&self, node: NodeId, part: &NodePart, event: &Event) -> Turn {
        let mut ops = Vec::new();
        let calls = || self.links.iter().enumerate().filter(move |(_, link)| link.is_calls());
        let own = || calls().filter(move |(_, link)| link.from == node);
        match event.step() {
            Event::Torn { .. } => unreachable!("a torn step is torn once"),
            Event::Takes(Input::Fired(timer), _) | Event::FiresLate(timer, _) => {
                ops.extend(own().map(|(link, _)| (link, LinkOp::Overtake)));
                if let Some(mark) = self.system.mark(node, &part.state, timer) {
                    ops.extend(calls().map(|(link, _)| (link, LinkOp::Lapse(mark.clone()))));
                }
            }
            Event::Takes(Input::Command(_), _) => {
                ops.extend(own().map(|(link, _)| (link, LinkOp::Overtake)));
            }
            Event::Crashes | Event::Restarts(_) => {
                ops.extend(own().map(|(link, _)| (link, LinkOp::CallerGone)));
                let to_it = calls().filter(|(_, link)| link.to == node);
                ops.extend(to_it.map(|(link, _)| (link, LinkOp::ServerGone)));
                let way = if *event.step() == Event::Crashes { Way::Dead } else { Way::Open };
                let mail = self.links.iter().enumerate().filter(|(_, link)| !link.is_calls());
                let to_it = mail.filter(|(_, link)| link.to == node);
                ops.extend(to_it.map(|(link, _)| (link, LinkOp::Becomes(way))));
            }
            Event::Takes(Input::Message { .. } | Input::Restart(_), _)
            | Event::IsDue(_)
            | Event::Pauses
            | Event::Resumes => {}
        }
        if let Event::Takes(input, _) = event.step() {
            ops.extend(self.cut(node, input));
        }
        let mut stepped = part.step((node, self.system.node(node)), event);
        if !self.faults.may_restart(node) {
            // Nobody will ever read it.
            stepped.node.saved = None;
        }
        for (to, message) in &stepped.sends {
            match self.sent(node, *to, message) {
                Some(op) => ops.push(op),
                None => stepped.seen.push(Observation::Violation(self.no_link(node, *to, message))),
            }
        }
        Turn { stepped, ops }
    }

    /// What an input does to links of other nodes.
    fn cut(&self, node: NodeId, input: &Input) -> Vec<(usize, LinkOp)> {
        let others = self.links.iter().enumerate();
        let others = others.filter(|(_, link)| link.from != node && link.to != node);
        let (side, op) = match self.system.cut(node, input) {
            None => return Vec::new(),
            Some(Cut::Together) => {
                return others.map(|(link, _)| (link, LinkOp::Mend)).collect();
            }
            Some(Cut::Apart(side)) => (side, LinkOp::Cut),
            Some(Cut::Lost(side)) => (side, LinkOp::Tear),
        };
        let is_cut = |link: &Link| side.contains(&link.from) != side.contains(&link.to);
        others.filter(|(_, link)| is_cut(link)).map(|(link, _)| (link, op.clone())).collect()
    }

    /// What sending a message does to which link; `None` where no link joins the two nodes.
    fn sent(&self, from: NodeId, to: NodeId, message: &Ordered) -> Option<(usize, LinkOp)> {
        let joins = |a, b| self.links.iter().position(|link| link.from == a && link.to == b);
        let back = joins(to, from).filter(|link| self.links[*link].is_calls());
        let there = joins(from, to).filter(|_| back.is_none() || !self.system.is_reply(message));
        if let Some(link) = there {
            return Some((link, LinkOp::Push(message.clone())));
        }
        back.map(|link| (link, LinkOp::Answer(message.clone())))
    }

    /// A message that goes nowhere. An edited table may have one sent to anybody.
    fn no_link(&self, node: NodeId, to: NodeId, message: &Ordered) -> Violation {
        let message = self.system.node(node).message_words(message);
        let (from, to) = (self.name_of(node), self.name_of(to));
        let text = format!("{from} sends {message} to {to}: no link of the world joins them");
        Violation { node, what: ViolationKind::NoLink(text) }
    }

    /// A node's name, also of one that the world does not have.
    pub(super) fn name_of(&self, node: NodeId) -> String {
        let known = self.nodes.get(node).map(|node| node.name.clone());
        known.unwrap_or_else(|| format!("node {node}, which is not there"))
    }
}

//! The nodes and their wiring.

use turnstile_harness::SystemSpec;
use turnstile_view_handler_core::Message;
use turnstile_world::system::{Input, NodeCore, System};
use turnstile_world::{Breaches, NetworkChange, NodeId, Observation, Ordered, Value};

use crate::budgets::PARTITION;
use crate::monitor::Monitor;
use crate::network::{NetworkNode, cut};
use crate::nodes::MemberNode;
use crate::views::Views;

/// The members and the network, and their wiring.
#[derive(Debug)]
pub(crate) struct Nodes {
    members: Vec<MemberNode>,
    network: NetworkNode,
}

impl Nodes {
    pub(crate) fn new(views: Views) -> Self {
        let member = |me| MemberNode { views: views.clone(), me };
        Self { members: (0..views.members).map(member).collect(), network: NetworkNode(views) }
    }
}

impl System for Nodes {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        self.members.get(node).map_or(&self.network, |member| member)
    }

    fn budgets(&self) -> Vec<&str> {
        Views::BUDGETS.to_vec()
    }

    fn network_change(&self, _node: NodeId, input: &Input) -> Option<NetworkChange> {
        cut(&self.network.0, input)
    }

    fn command_budget(&self, command: &Ordered) -> Option<&str> {
        Some(command.get().map_or(PARTITION, |command| self.network.0.budget(command)))
    }

    fn is_fair(&self, command: &Ordered) -> bool {
        command.get().is_some_and(Views::is_fair)
    }

    fn is_idempotent_gossip(&self, message: &Ordered) -> bool {
        matches!(message.of(), Message::Coord(_))
    }

    fn monitor(&self, _breaches: &mut Breaches) -> Value {
        let views = &self.network.0;
        Value::new(Monitor::new((0..views.members).map(|node| views.first_view(node))))
    }

    fn observe(&self, monitor: &mut Value, seen: &Observation, breaches: &mut Breaches) {
        monitor.of_mut::<Monitor>().observe(seen, breaches);
    }
}

//! The nodes and their wiring.

use std::sync::Arc;

use turnstile_harness::SystemSpec;
use turnstile_replicated_lock_core::message::{Command as Asked, Message};
use turnstile_replicated_lock_core::types::{Address, Timer};
use turnstile_world::system::{Naming, NodeCore, System};
use turnstile_world::{Breaches, NodeId, Observation, Ordered, Value};

use crate::act_history::{self, ActHistory};
use crate::cluster::Cluster;
use crate::envelope::{ClusterEvent, Envelope};
use crate::member_state::MemberState;
use crate::nodes::{AnswersNode, Command, LogNode, MemberNode};
use crate::replicated::Replicated;

/// The nodes, and their wiring.
#[derive(Debug)]
pub(crate) struct Nodes {
    system: Arc<Replicated>,
    nodes: Vec<Box<dyn NodeCore>>,
}

impl Nodes {
    pub(crate) fn new(system: Replicated) -> Self {
        let system = Arc::new(system);
        let member = |node| -> Box<dyn NodeCore> {
            Box::new(MemberNode { system: Arc::clone(&system), node, choice: 0 })
        };
        let mut nodes: Vec<_> = (0..system.members).map(member).collect();
        nodes.push(Box::new(LogNode(Arc::clone(&system))));
        nodes.push(Box::new(AnswersNode(Arc::clone(&system))));
        Self { system, nodes }
    }
}

impl System for Nodes {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        &*self.nodes[node]
    }

    fn budgets(&self) -> Vec<&str> {
        Replicated::BUDGETS.to_vec()
    }

    fn command_budget(&self, command: &Ordered) -> Option<&str> {
        if let Some(change) = command.get::<ClusterEvent>() {
            return change.budget();
        }
        Some(match command.of() {
            Command::Ask(Asked::Lock(_)) => "lock call",
            Command::Ask(Asked::TryLock(_)) => "try call",
            Command::Ask(Asked::Serve(_)) => "direct call",
            Command::Ask(Asked::Unlock(_)) => "unlock call",
            Command::Act(_) => "act",
        })
    }

    fn timer_budget(&self, timer: &Ordered) -> Option<&str> {
        Some(match timer.of() {
            Timer::Timeout(_) => "time-out",
            Timer::Retry(_) => "retry",
        })
    }

    fn comes_once(&self, envelope: &Ordered) -> bool {
        matches!(
            envelope.of(),
            Envelope::Log(Message::Apply { .. } | Message::Snapshot { .. }) | Envelope::Chosen(..)
        )
    }

    fn monitor(&self, _breaches: &mut Breaches) -> Value {
        Value::new(vec![ActHistory::default(); usize::from(self.system.locks)])
    }

    fn observe(&self, monitor: &mut Value, seen: &Observation, breaches: &mut Breaches) {
        act_history::observe(monitor.of_mut::<Vec<ActHistory>>(), seen, breaches);
    }

    fn renames(&self) -> bool {
        true
    }

    fn rename(&self, value: Naming<'_>, to: &[NodeId]) {
        let mut each = |address: &mut Address| *address = self.system.moved(*address, to);
        match value {
            Naming::State(state) if state.get::<MemberState>().is_some() => {
                let state = state.of_mut::<MemberState>();
                each(&mut state.address);
                state.core.visit_addresses(&mut each);
                state.delivered.locks.visit_addresses(&mut each);
                state.delivered.present.iter_mut().for_each(each);
                state.delivered.present.sort_unstable();
            }
            Naming::State(state) if state.get::<Cluster>().is_some() => {
                state.of_mut::<Cluster>().rename(to, &mut each);
            }
            Naming::Message(envelope) => envelope.of_mut::<Envelope>().visit_addresses(&mut each),
            Naming::Monitor(monitor) => {
                let history = monitor.of_mut::<Vec<ActHistory>>().iter_mut();
                history.flat_map(|history| &mut history.order).for_each(|node| *node = to[*node]);
            }
            Naming::State(_) | Naming::Timer(_) | Naming::Saved(_) => {}
        }
    }
}

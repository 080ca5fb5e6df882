//! The nodes and their wiring.

use std::sync::Arc;

use turnstile_harness::SystemSpec;
use turnstile_harness::options::{Refusal, Replacement};
use turnstile_harness::rules::AnyTable;
use turnstile_replicated_lock_core::Service;
use turnstile_replicated_lock_core::message::{Command as Asked, Message};
use turnstile_replicated_lock_core::types::{Address, LockName, Timer};
use turnstile_replicated_lock_machines::{lock_member, lock_mutex, lock_status};
use turnstile_world::system::{Naming, NodeCore, System};
use turnstile_world::{NodeId, Observation, Ordered, Value};

use crate::act_history::{self, ActHistory};
use crate::cluster::Cluster;
use crate::envelope::{ClusterEvent, Envelope};
use crate::nodes::{AnswersNode, Command, LogNode, MemberNode, MemberState};

/// The table that runs, chosen at run time.
pub type StatusRules = AnyTable<lock_status::Machine>;
/// The table that runs, chosen at run time.
pub type MemberRules = AnyTable<lock_member::Machine>;
/// The table that runs, chosen at run time.
pub type MutexRules = AnyTable<lock_mutex::Machine>;

/// The cores of the replicated lock service. Members come first, then the cluster.
#[derive(Clone, Debug)]
pub struct Replicated {
    /// How many members.
    pub members: usize,
    /// The number of witnesses, which vote and have no locks.
    pub witnesses: usize,
    /// How many locks there are.
    pub locks: u16,
    /// Results may fail.
    pub may_fail: bool,
    /// Commands of a partitioned member enter the log until a RESET excludes it.
    pub takes_late: bool,
    /// The table of the log's commands.
    pub status: StatusRules,
    /// The table of a member.
    pub member: MemberRules,
    /// The table of a mutex.
    pub mutex: MutexRules,
}

impl Replicated {
    /// Members by the tables given.
    ///
    /// # Errors
    ///
    /// Names of a table that the cores were not compiled with.
    pub fn new(
        [members, witnesses]: [usize; 2],
        locks: u16,
        [may_fail, takes_late]: [bool; 2],
        tables: &[Replacement],
    ) -> Result<Self, Refusal> {
        let status = StatusRules::among(tables)?;
        let member = MemberRules::among(tables)?;
        let mutex = MutexRules::among(tables)?;
        Ok(Self { members, witnesses, locks, may_fail, takes_late, status, member, mutex })
    }

    /// A replica: all take the same one of several matching rows of a command, which the log chose.
    pub(crate) fn replica(&self, choice: u8) -> Service<StatusRules> {
        Service { rules: self.status.taking(choice) }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = LockName> + use<> {
        (0..u64::from(self.locks)).map(LockName)
    }

    /// The address of a member after its node was renamed.
    fn moved(&self, address: Address, to: &[NodeId]) -> Address {
        let members = u64::try_from(self.members).expect("a cluster is small");
        let (life, node) = ((address.0 - 1) / members, to[self.node(address)]);
        Address(life * members + u64::try_from(node).expect("a cluster is small") + 1)
    }

    /// The node that has an address, or had it.
    pub(crate) fn node(&self, address: Address) -> NodeId {
        let place = usize::try_from(address.0 - 1).expect("members start again a few times");
        place % self.members
    }

    /// The log of a running cluster.
    pub(crate) fn cluster(&self) -> Cluster {
        Cluster::new(self.members, self.witnesses, [self.may_fail, self.takes_late])
    }
}

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

    fn monitor(&self) -> Value {
        Value::new(vec![ActHistory::default(); usize::from(self.system.locks)])
    }

    fn observe(&self, monitor: &mut Value, seen: &Observation) {
        act_history::observe(monitor.of_mut::<Vec<ActHistory>>(), seen);
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

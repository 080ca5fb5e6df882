//! The nodes and their wiring.

use turnstile_byte_range_lock_core::manager::{self, Operation};
use turnstile_byte_range_lock_core::message::{FileId, Lease, Message, ServerReply};
use turnstile_byte_range_lock_core::server;
use turnstile_harness::SystemSpec;
use turnstile_world::system::{NodeCore, System};
use turnstile_world::{Breaches, NodeId, Observation, Ordered, Value};

use crate::monitor::Monitor;
use crate::nodes::{ManagerNode, ServerNode};
use crate::ranges::{MANAGER, Ranges};

/// The two nodes, and their wiring.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    waits_forever: bool,
    manager: ManagerNode,
    server: ServerNode,
}

impl Nodes {
    pub(crate) fn new(ranges: Ranges) -> Self {
        Self {
            waits_forever: ranges.waits_forever,
            manager: ManagerNode(ranges.clone()),
            server: ServerNode(ranges),
        }
    }
}

impl System for Nodes {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        if node == MANAGER { &self.manager } else { &self.server }
    }

    fn budgets(&self) -> Vec<&str> {
        Ranges::BUDGETS.to_vec()
    }

    fn command_budget(&self, command: &Ordered) -> Option<&str> {
        if let Some(command) = command.get::<manager::Command>() {
            return match command.operation {
                Operation::Lock(..) if command.file != FileId(0) => Some("request of another file"),
                Operation::Lock(..) => Some("request"),
                Operation::Abandon(_) => Some("abandon"),
                Operation::Write(_) => Some("write"),
                Operation::Read(_) => Some("read"),
                Operation::Unlock(_) => None,
            };
        }
        match command.of() {
            server::Command::Take(..) => Some("other host"),
            server::Command::Free(_) => None,
            server::Command::Change(_) => Some("file changed"),
        }
    }

    fn is_fair(&self, command: &Ordered) -> bool {
        let command = command.get::<manager::Command>();
        self.waits_forever && command.is_some_and(|it| matches!(it.operation, Operation::Unlock(_)))
    }

    fn timer_budget(&self, timer: &Ordered) -> Option<&str> {
        match timer.get()? {
            manager::Timer::Lease(_) => Some("lapse"),
            manager::Timer::Wait(..) => self.waits_forever.then_some("time out"),
            manager::Timer::Check(_) => None,
        }
    }

    fn is_answer(&self, request: &Ordered, answer: &Ordered) -> bool {
        match (request.of(), answer.of()) {
            (Message::Call { call, .. }, Message::Reply { call: of, .. }) => call == of,
            (Message::Call { .. } | Message::Reply { .. }, _) => false,
        }
    }

    fn unanswered(&self, message: &Ordered) -> Option<Ordered> {
        match message.of() {
            Message::Reply { reply: ServerReply::None, .. } => None,
            Message::Call { call, .. } | Message::Reply { call, .. } => {
                Some(Ordered::new(Message::unanswered(*call)))
            }
        }
    }

    fn are_related(
        &self,
        (_, _, earlier): (NodeId, &Value, &Ordered),
        (_, _, later): (NodeId, &Value, &Ordered),
    ) -> bool {
        match (earlier.get(), later.get::<server::Lapse>()) {
            (Some(manager::Timer::Lease(file)), Some(lapse)) => *file == lapse.file,
            _ => false,
        }
    }

    fn expires(&self, _node: NodeId, _state: &Value, timer: &Ordered) -> Option<Value> {
        timer.get::<server::Lapse>().map(|lapse| Value::new(lapse.file))
    }

    fn expire(&self, answer: &mut Ordered, _expired: Option<&Value>) {
        // An answer does not name its file; one about another file may be late, too.
        if let Message::Reply { lease: Lease::Live, .. } = answer.of()
            && let Some(late) = answer.of::<Message>().lapsed()
        {
            *answer = Ordered::new(late);
        }
    }

    fn monitor(&self, _breaches: &mut Breaches) -> Value {
        Value::new(Monitor::default())
    }

    fn observe(&self, monitor: &mut Value, seen: &Observation, breaches: &mut Breaches) {
        monitor.of_mut::<Monitor>().observe(seen, breaches);
    }
}

//! The nodes and their wiring.

use turnstile_core::ranges::manager::{self, Wish};
use turnstile_core::ranges::message::{Answer, FileId, Lease, Message};
use turnstile_core::ranges::server;
use turnstile_harness::SystemSpec;
use turnstile_world::system::{NodeCore, System};
use turnstile_world::{NodeId, Observation, Ordered, Value};

use crate::nodes::{ManagerNode, ServerNode};
use crate::past::Past;
use crate::ranges::{MANAGER, Ranges};

/// The two nodes, and what neither decides.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    is_patient: bool,
    manager: ManagerNode,
    server: ServerNode,
}

impl Nodes {
    pub(crate) fn new(ranges: Ranges) -> Self {
        Self {
            is_patient: ranges.is_patient,
            manager: ManagerNode(ranges.clone()),
            server: ServerNode(ranges),
        }
    }
}

impl System for Nodes {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        if node == MANAGER { &self.manager } else { &self.server }
    }

    fn budgets(&self) -> &'static [&'static str] {
        Ranges::BUDGETS
    }

    fn command_budget(&self, command: &Ordered) -> Option<&'static str> {
        if let Some(command) = command.get::<manager::Command>() {
            return match command.wish {
                Wish::Lock(..) if command.file != FileId(0) => Some("request of another file"),
                Wish::Lock(..) => Some("request"),
                Wish::Abandon(_) => Some("abandon"),
                Wish::Write(_) => Some("write"),
                Wish::Read(_) => Some("read"),
                Wish::Unlock(_) => None,
            };
        }
        match command.of() {
            server::Command::Take(..) => Some("other host"),
            server::Command::Free(_) => None,
            server::Command::Change(_) => Some("file changed"),
        }
    }

    fn insists(&self, command: &Ordered) -> bool {
        let command = command.get::<manager::Command>();
        self.is_patient && command.is_some_and(|it| matches!(it.wish, Wish::Unlock(_)))
    }

    fn timer_budget(&self, timer: &Ordered) -> Option<&'static str> {
        match timer.get()? {
            manager::Timer::Lease(_) => Some("lapse"),
            manager::Timer::Wait(..) => self.is_patient.then_some("time out"),
            manager::Timer::Check(_) => None,
        }
    }

    fn is_answer(&self, request: &Ordered, answer: &Ordered) -> bool {
        match (request.of(), answer.of()) {
            (Message::Call { call, .. }, Message::Answer { call: of, .. }) => call == of,
            (Message::Call { .. } | Message::Answer { .. }, _) => false,
        }
    }

    fn unanswered(&self, message: &Ordered) -> Option<Ordered> {
        match message.of() {
            Message::Answer { answer: Answer::None, .. } => None,
            Message::Call { call, .. } | Message::Answer { call, .. } => {
                Some(Ordered::new(Message::unanswered(*call)))
            }
        }
    }

    fn is_same_grant(
        &self,
        (_, _, earlier): (NodeId, &Value, &Ordered),
        (_, _, later): (NodeId, &Value, &Ordered),
    ) -> bool {
        match (earlier.get(), later.get::<server::Lapse>()) {
            (Some(manager::Timer::Lease(file)), Some(lapse)) => *file == lapse.file,
            _ => false,
        }
    }

    fn mark(&self, _node: NodeId, _state: &Value, timer: &Ordered) -> Option<Value> {
        timer.get::<server::Lapse>().map(|lapse| Value::new(lapse.file))
    }

    fn lapse(&self, answer: &mut Ordered, _mark: Option<&Value>) {
        // An answer does not name its file, and one about another file may be late as well.
        if let Message::Answer { lease: Lease::Live, .. } = answer.of()
            && let Some(late) = answer.of::<Message>().lapsed()
        {
            *answer = Ordered::new(late);
        }
    }

    fn monitor(&self) -> Value {
        Value::new(Past::default())
    }

    fn observe(&self, past: &mut Value, seen: &Observation) {
        past.of_mut::<Past>().observe(seen);
    }
}

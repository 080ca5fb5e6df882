//! The nodes of a system of tables, and what no table decides: which commands are rationed.

use std::collections::{BTreeMap, BTreeSet};

use turnstile_machine::{Dynamic, Event as _, Name as _};
use turnstile_plain::{Command, Message};
use turnstile_world::monitor::Violation;
use turnstile_world::system::{Naming, NodeCore, System};
use turnstile_world::{Link, NodeId, Ordered};

use crate::plain::node::TableNode;

/// The system of a world: its roles, and the role of each node.
#[derive(Clone, Debug)]
pub(super) struct TableSystem {
    /// The nodes.
    pub(super) nodes: Vec<TableNode>,
    /// The role of each node.
    pub(super) role_of: Vec<usize>,
    /// The commands that the world rations, which are its budgets.
    pub(super) rationed: Vec<String>,
    /// The properties that are claimed of one node.
    pub(super) of_nodes: Vec<String>,
    /// The requests and answers of the links that have them.
    pub(super) requests: Requests,
    /// The links of the world.
    pub(super) links: Vec<Link>,
}

/// The messages of links with requests and answers, by the names of their events.
#[derive(Clone, Debug, Default)]
pub(super) struct Requests {
    /// The answers.
    pub(super) answers: BTreeSet<String>,
    /// What the sender of a request gets in place of an answer, by request and by answer.
    pub(super) failures: BTreeMap<String, Message>,
}

impl Requests {
    fn failure(&self, message: &Ordered) -> Option<Ordered> {
        let failure = self.failures.get(&*message.of::<Message>().event)?;
        Some(Ordered::new(failure.clone()))
    }
}

impl TableSystem {
    /// A node.
    pub(super) fn table(&self, node: NodeId) -> &TableNode {
        &self.nodes[node]
    }
}

impl System for TableSystem {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        self.table(node)
    }

    fn budgets(&self) -> Vec<&str> {
        self.rationed.iter().map(String::as_str).collect()
    }

    /// Those of a node that is down are the variables that it would restart with.
    fn reads_saved(&self) -> bool {
        true
    }

    fn ends_at(&self, _violation: &Violation) -> bool {
        true
    }

    fn command_budget(&self, command: &Ordered) -> Option<&str> {
        let name = command.of::<Command<Dynamic>>().event.kind().name();
        self.rationed.iter().map(String::as_str).find(|rationed| *rationed == name)
    }

    fn is_answer(&self, _request: &Ordered, _answer: &Ordered) -> bool {
        true
    }

    fn is_reply(&self, message: &Ordered) -> bool {
        self.requests.answers.contains(&*message.of::<Message>().event)
    }

    fn answers_requests_only(&self) -> bool {
        true
    }

    /// A table does not wait for an answer unless its rows do.
    fn replies_are_prompt(&self) -> bool {
        false
    }

    fn unanswered(&self, message: &Ordered) -> Option<Ordered> {
        self.requests.failure(message)
    }

    fn refused(&self, request: &Ordered) -> Option<Ordered> {
        self.requests.failure(request)
    }

    /// No value names a node: messages are addressed by the links.
    fn renames(&self) -> bool {
        true
    }

    fn rename(&self, _value: Naming<'_>, _to: &[NodeId]) {}

    fn names_a_node(&self, property: &str) -> bool {
        self.of_nodes.iter().any(|name| name == property)
    }
}

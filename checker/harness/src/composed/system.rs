//! The nodes of a system of tables, and what no table decides: which commands are rationed.

use turnstile_machine::{Dynamic, Event as _, Name as _};
use turnstile_plain::Command;
use turnstile_world::system::{Naming, NodeCore, System};
use turnstile_world::{NodeId, Ordered};

use super::node::TableNode;

/// The system of a world: its roles, and the role of each node.
#[derive(Clone, Debug)]
pub(super) struct TableSystem {
    /// The nodes.
    pub(super) nodes: Vec<TableNode>,
    /// The role of each node.
    pub(super) role_of: Vec<usize>,
    /// The commands that the world rations, which are its budgets.
    pub(super) rationed: Vec<&'static str>,
    /// The properties that are claimed of one node.
    pub(super) of_nodes: Vec<String>,
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

    fn budgets(&self) -> &[&'static str] {
        &self.rationed
    }

    fn ends_at_violation(&self) -> bool {
        true
    }

    fn command_budget(&self, command: &Ordered) -> Option<&'static str> {
        let name = command.of::<Command<Dynamic>>().event.kind().name();
        self.rationed.iter().copied().find(|rationed| *rationed == name)
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

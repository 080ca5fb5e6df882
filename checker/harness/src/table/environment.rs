//! A table and its environment: a world of one node that runs the plain core.

use std::sync::Arc;

use turnstile_machine::Dynamic;
use turnstile_plain::{Command, State as PlainState};
use turnstile_spec::table::{Table, Vocabulary};
use turnstile_world::monitor::Violation;
use turnstile_world::nodes::node::Event;
use turnstile_world::state::{Action, State};
use turnstile_world::system::{Input, NodeCore, System};
use turnstile_world::{Node, NodeId, World};

use crate::plain::cell::CellOutcome;
use crate::plain::node::TableNode;
use crate::plain::rules::TableRules;

use super::properties;

/// The system of a table that runs alone.
#[derive(Debug)]
struct FreeSystem(TableNode);

impl System for FreeSystem {
    fn node(&self, _node: NodeId) -> &dyn NodeCore {
        &self.0
    }

    /// Resources that do not match are one finding of several: the trace goes on.
    fn ends_at(&self, violation: &Violation) -> bool {
        violation.is_unexpected()
    }
}

/// A table with its names, and the world that runs it.
#[derive(Clone, Debug)]
pub(super) struct Environment<'t> {
    /// The names.
    pub(super) vocabulary: &'t Vocabulary,
    /// The rows.
    pub(super) table: &'t Table,
    /// What runs.
    pub(super) world: Arc<World>,
    /// Its node.
    pub(super) node: TableNode,
}

impl<'t> Environment<'t> {
    /// The environment of a table; `None`: the table has no initial state.
    ///
    /// # Errors
    ///
    /// Why the table cannot run, in one clause.
    pub(super) fn new(
        vocabulary: &'t Vocabulary,
        table: &'t Table,
    ) -> Result<Option<Self>, String> {
        if !table.states.iter().flatten().any(|state| state.initial) {
            return Ok(None);
        }
        let node = TableNode::alone(TableRules::alone(vocabulary, table)?);
        let named = Node { name: vocabulary.machine.clone(), role: vocabulary.machine.clone() };
        let system = Arc::new(FreeSystem(node.clone()));
        let world = World::new(system, vec![named], Vec::new(), Vec::new());
        let mut world = world.expect("one node without budgets has no error");
        for property in properties::all(&node, table) {
            world.add_property(property).expect("it waives nothing");
        }
        Ok(Some(Self { vocabulary, table, world: Arc::new(world), node }))
    }
}

/// An occurrence of an event.
pub(super) struct Occurrence<'s> {
    /// The state before it.
    pub(super) from: &'s PlainState<Dynamic>,
    /// The event, and the resource that caused it, if it consumes one.
    pub(super) command: Command<Dynamic>,
    /// Which of the outcomes that it may have.
    pub(super) choice: u8,
}

impl<'s> Occurrence<'s> {
    /// That of an action in a state of the world.
    pub(super) fn of(from: &'s State, action: &Action) -> Self {
        let Some((_, Event::Takes(Input::Command(command), choice))) = action.event() else {
            unreachable!("the environment gives every event as a command: {action:?}")
        };
        Self { from: machine(from), command: *command.of(), choice: *choice }
    }

    /// Its outcome.
    pub(super) fn outcome(&self, rules: &TableRules) -> CellOutcome {
        rules.outcome(self.from, self.command.event, self.choice)
    }
}

/// The state of the machine, and its active resources.
pub(super) fn machine(state: &State) -> &PlainState<Dynamic> {
    state.node(0).state.of()
}

/// Whether the trace ended here, because no row handles the event.
pub(super) fn is_over(state: &State) -> bool {
    state.monitor().violation.as_ref().is_some_and(Violation::is_unexpected)
}

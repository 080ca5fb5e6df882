//! A table and its environment: a world of one node that runs the plain core.
//!
//! A configuration is the state and the resources that are active, which may differ from those
//! that the state declares. Events arise from the former.

use std::sync::Arc;

use turnstile_machine::{Dynamic, Name as _};
use turnstile_plain::{Command, State as PlainState};
use turnstile_spec::table::{EventId, EventKind, ResourceId, StateId, Table, Vocabulary};
use turnstile_step::RowOutcome;
use turnstile_world::monitor::{Violation, ViolationKind};
use turnstile_world::nodes::node::Event;
use turnstile_world::parts::Tag;
use turnstile_world::state::{Action, State};
use turnstile_world::system::{Input, NodeCore, System};
use turnstile_world::{Node, NodeId, World};

use crate::plain::cell::{CellOutcome, PayloadClass};
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

/// What the table level sees of a state of the world.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'s> {
    /// The state of the machine.
    pub state: StateId,
    /// The number of active instances of each resource.
    pub held: &'s [u8],
    /// The violation of the step that led here.
    pub violation: Option<&'s Violation>,
}

impl<'s> Configuration<'s> {
    /// That of a state of the world.
    #[must_use]
    pub fn of(state: &'s State) -> Self {
        let machine: &PlainState<Dynamic> = state.node(0).state.of();
        let violation = state.monitor().violation.as_ref();
        Self { state: StateId(id(machine.at.index())), held: &machine.held, violation }
    }

    /// Whether the trace ended here, because no row handles the event.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.violation.is_some_and(Violation::is_unexpected)
    }

    /// The resource that a row ended although it was not active, as its table spells it.
    #[must_use]
    pub fn absent(&self) -> Option<&'static str> {
        match self.violation?.what {
            ViolationKind::Table(RowOutcome::ActionFailed { action, .. }) => Some(action),
            ViolationKind::Table(_) | ViolationKind::NoLink(_) | ViolationKind::Panic(_) => None,
        }
    }
}

/// An occurrence of an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Occurrence {
    /// The event.
    pub event: EventId,
    /// Its payload: the representative of its class.
    pub number: u16,
    /// The resource that caused it, if it consumes one.
    pub cause: Option<ResourceId>,
    /// Its outcome.
    pub outcome: CellOutcome,
    /// The rows without an event that follow, in order, by their positions in the table.
    pub settled: Vec<usize>,
}

/// A table with its names, and the world that runs it.
#[derive(Clone, Debug)]
pub struct Environment<'t> {
    /// The names.
    pub vocabulary: &'t Vocabulary,
    /// The rows.
    pub table: &'t Table,
    /// What runs; `None`: the table has no initial state.
    running: Option<(World, TableRules)>,
}

impl<'t> Environment<'t> {
    /// The environment of a table.
    ///
    /// # Errors
    ///
    /// Why the table cannot run, in one clause.
    pub fn new(vocabulary: &'t Vocabulary, table: &'t Table) -> Result<Self, String> {
        let begins = table.states.iter().flatten().any(|state| state.initial);
        let running = begins.then(|| running(vocabulary, table)).transpose()?;
        Ok(Self { vocabulary, table, running })
    }

    /// The world; `None`: the table has no initial state.
    #[must_use]
    pub fn world(&self) -> Option<&World> {
        self.running.as_ref().map(|(world, _)| world)
    }

    /// Whether the state is final, or the machine may stay there.
    #[must_use]
    pub fn may_end(&self, state: StateId) -> bool {
        let state = self.table.states[state.index()].as_ref();
        state.is_some_and(|state| state.is_final || state.may_end)
    }

    /// The classes of a cell.
    #[must_use]
    pub fn classes(&self, state: StateId, event: EventId) -> &[PayloadClass] {
        self.running.as_ref().map_or(&[], |(_, rules)| rules.classes(state, event))
    }

    /// The minimum and maximum number of instances of a resource in a state.
    #[must_use]
    pub fn bounds(&self, state: StateId, resource: ResourceId) -> (u8, u8) {
        let info = self.table.states[state.index()].as_ref();
        let has = |held: &[ResourceId]| u8::from(held.contains(&resource));
        let held = info.map_or(0, |info| has(&info.holds));
        (held, held.max(info.map_or(0, |info| has(&info.may_hold))))
    }

    /// Whether exactly the resources that the state holds are active.
    #[must_use]
    pub fn is_as_held(&self, at: &Configuration<'_>) -> bool {
        (0..id(at.held.len())).map(ResourceId).all(|resource| {
            let (least, most) = self.bounds(at.state, resource);
            (least..=most).contains(&at.held[resource.index()])
        })
    }

    /// Whether more resources are active in a state of the world than this level follows.
    #[must_use]
    pub fn is_beyond(&self, state: &State) -> bool {
        let rules = self.running.as_ref().map(|(_, rules)| rules);
        rules.is_some_and(|rules| rules.is_beyond(state.node(0).state.of()))
    }

    /// Whether a declared cell is that of a message.
    #[must_use]
    pub fn is_message(&self, place: usize) -> bool {
        self.kind_of(place) == EventKind::Message
    }

    /// Whether the event of a declared cell is a command.
    #[must_use]
    pub fn is_command(&self, place: usize) -> bool {
        self.kind_of(place) == EventKind::Command
    }

    fn kind_of(&self, place: usize) -> EventKind {
        self.vocabulary.events[self.table.cells[place].event.index()].kind
    }

    /// The enabled occurrences, each with the state of the world after it, in a fixed order.
    #[must_use]
    pub fn steps(&self, state: &State) -> Vec<(Occurrence, State)> {
        let Some((world, rules)) = &self.running else { return Vec::new() };
        let step = |action: Action| {
            let reached = world.reached(state, &action)?;
            let is_row = |tag: &&Tag| matches!(tag, Tag::Row(RowOutcome::Row { .. }));
            let rows = reached.tags.iter().filter(is_row).count();
            let occurrence = occurrence(rules, (state, &action), rows);
            Some((occurrence, State(reached.state)))
        };
        world.actions_of(state).into_iter().filter_map(step).collect()
    }
}

/// The world of a table, and its rules.
fn running(vocabulary: &Vocabulary, table: &Table) -> Result<(World, TableRules), String> {
    let rules = TableRules::alone(vocabulary, table)?;
    let system = Arc::new(FreeSystem(TableNode::alone(rules.clone())));
    let node = Node { name: vocabulary.machine.clone(), role: vocabulary.machine.clone() };
    let world = World::new(system, vec![node], Vec::new(), Vec::new());
    let mut world = world.expect("one node without budgets has no error");
    for property in properties::all(&rules) {
        world.add_property(property).expect("it waives nothing");
    }
    Ok((world, rules))
}

fn occurrence(rules: &TableRules, (state, action): (&State, &Action), rows: usize) -> Occurrence {
    let Some((_, Event::Takes(Input::Command(command), choice))) = action.event() else {
        unreachable!("the environment gives every event as a command: {action:?}")
    };
    let Command { event, answers } = *command.of::<Command<Dynamic>>();
    let from = state.node(0).state.of();
    Occurrence {
        event: EventId(id(event.kind.index())),
        number: event.number,
        cause: answers.map(|resource| ResourceId(id(resource.index()))),
        outcome: rules.outcome(from, event, *choice),
        settled: match rows {
            0 | 1 => Vec::new(),
            _ => rules.rows_taken(from, (event, *choice), rows).split_off(1),
        },
    }
}

/// An index into a list of the vocabulary, which the reader keeps within `u16`.
pub(super) fn id(place: usize) -> u16 {
    u16::try_from(place).expect("the reader's limits keep every list within u16")
}

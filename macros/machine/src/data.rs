//! A table as plain data.

use alloc::{boxed::Box, vec::Vec};

use crate::formula::{Formulas, GuardAnswer};
use crate::machine::{Machine, Name};
use crate::step::{ActionEntry, Actions, Op, Step};

/// A table as plain data: as written, edited, or mutated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableData<M: Machine> {
    /// The machine's name.
    pub machine: &'static str,
    /// The states in which the machine may begin, in order; at least one.
    pub initial: Vec<M::State>,
    /// The event of rows without one, if there are such rows.
    pub completion: Option<M::EventKind>,
    /// The declaration of each state, in the order of the states; a missing one holds nothing.
    pub states: Vec<StateInfo<M>>,
    /// The rows, in the order written.
    pub rows: Vec<Row<M>>,
    /// The cells without a row: ignored or impossible.
    pub cells: Vec<Cell<M>>,
    /// The ids of rows that the compiled machine does not have, in the order of their numbers.
    pub extra_rows: Vec<&'static str>,
    /// How each guard is computed, in the order of the guards.
    pub guards: Vec<GuardAnswer<M>>,
    /// The rules and invariants that the core evaluates.
    pub formulas: Formulas<M>,
    /// The rules and invariants that the checker evaluates over the whole system.
    pub whole: Formulas<M::Whole>,
}

impl<M: Machine> TableData<M> {
    /// Ignores an event in every state, for every payload number within `bounds`.
    pub fn ignore(&mut self, event: M::EventKind, bounds: (u16, u16)) {
        let cell = |state: &M::State| Cell {
            state: *state,
            event,
            pattern: Vec::from([bounds]),
            impossible: false,
        };
        self.cells.extend(M::State::ALL.iter().map(cell));
    }
}

/// The declaration of a state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StateInfo<M: Machine> {
    /// The resources that it always holds.
    pub holds: Vec<M::Resource>,
    /// The resources that it holds only sometimes.
    pub may_hold: Vec<M::Resource>,
    /// Whether the state is final.
    pub is_final: bool,
}

/// One source state, one event, one destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row<M: Machine> {
    /// The id.
    pub id: M::RowId,
    /// The source state.
    pub from: M::State,
    /// The destination state.
    pub to: M::State,
    /// The event.
    pub event: M::EventKind,
    /// The payload numbers that it matches: ranges, both ends included.
    pub pattern: Vec<(u16, u16)>,
    /// The condition under which it is taken.
    pub guard: Condition<M>,
    /// The resources that the event itself uses up.
    pub consumes: Vec<M::Resource>,
    /// The actions, in order.
    pub actions: Vec<ActionEntry<M>>,
    /// The operations of the actions on resources, in order.
    pub ops: Vec<Op<M>>,
}

impl<M: Machine> Row<M> {
    /// The step that takes the row.
    pub fn step(&self) -> Step<'_, M> {
        let actions = Actions::new(&self.actions, &self.ops);
        Step { row: Some(self.id), to: self.to, consumes: &self.consumes, actions }
    }
}

/// A cell without a row: a state, an event and payload numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cell<M: Machine> {
    /// The state.
    pub state: M::State,
    /// The event.
    pub event: M::EventKind,
    /// The payload numbers: ranges, both ends included.
    pub pattern: Vec<(u16, u16)>,
    /// Whether it is declared impossible; otherwise the event is ignored.
    pub impossible: bool,
}

/// Whether a number is in one of the ranges.
pub(crate) fn matches(pattern: &[(u16, u16)], number: u16) -> bool {
    pattern.iter().any(|&(least, greatest)| least <= number && number <= greatest)
}

/// A condition over named booleans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition<M: Machine> {
    /// A named boolean.
    Is(M::Guard),
    /// True if all of these are true, also if there are none.
    All(Vec<Condition<M>>),
    /// True if at least one of these is true.
    Any(Vec<Condition<M>>),
    /// True if this is false.
    Not(Box<Condition<M>>),
}

impl<M: Machine> Condition<M> {
    /// Its value, given the value of each guard.
    pub fn holds(&self, guards: &impl Fn(M::Guard) -> bool) -> bool {
        match self {
            Self::Is(guard) => guards(*guard),
            Self::All(parts) => parts.iter().all(|part| part.holds(guards)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(guards)),
            Self::Not(part) => !part.holds(guards),
        }
    }

    /// Whether it uses a guard.
    pub fn asks(&self, guard: M::Guard) -> bool {
        match self {
            Self::Is(asked) => *asked == guard,
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.asks(guard)),
            Self::Not(part) => part.asks(guard),
        }
    }
}

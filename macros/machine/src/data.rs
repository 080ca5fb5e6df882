//! A table as plain data.

use alloc::{boxed::Box, vec::Vec};

use crate::formula::{Formulas, GuardAnswer};
use crate::machine::{Machine, Name};
use crate::step::{ActionEntry, Op};

/// A table as plain data: as written, edited, or mutated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TableData<M: Machine> {
    /// Where a machine begins.
    pub initial: M::State,
    /// What each state is, in the order of the states; one that is missing holds nothing.
    pub states: Vec<StateInfo<M>>,
    /// The rows, in the order written.
    pub rows: Vec<Row<M>>,
    /// What is said of the cells without a row.
    pub cells: Vec<Cell<M>>,
    /// The ids of rows that the machine does not have, in the order of their numbers.
    pub more: Vec<&'static str>,
    /// What answers each guard, in the order of the guards.
    pub guards: Vec<GuardAnswer<M>>,
    /// The rules and invariants that the core can answer.
    pub formulas: Formulas<M>,
    /// Those that only who sees the whole system can answer.
    pub whole: Formulas<M::Whole>,
}

impl<M: Machine> TableData<M> {
    /// Has an event change nothing, in any state, whatever number within bounds it carries.
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

/// What a state is in one table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StateInfo<M: Machine> {
    /// What it always holds.
    pub holds: Vec<M::Resource>,
    /// What it holds only sometimes.
    pub may_hold: Vec<M::Resource>,
    /// Whether a machine ends here.
    pub is_final: bool,
}

/// One source state, one event, one destination.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Row<M: Machine> {
    /// The row as written.
    pub id: M::RowId,
    /// The state that it leaves.
    pub from: M::State,
    /// The state that it enters.
    pub to: M::State,
    /// The event that takes it.
    pub event: M::EventKind,
    /// The payload numbers that take it: ranges, both ends included.
    pub pattern: Vec<(u16, u16)>,
    /// The condition beside the event.
    pub guard: Condition<M>,
    /// What the event itself uses up.
    pub consumes: Vec<M::Resource>,
    /// What is done, in order.
    pub actions: Vec<ActionEntry<M>>,
    /// What that does to resources, in order.
    pub ops: Vec<Op<M>>,
}

/// What is said of a cell that has no row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Cell<M: Machine> {
    /// The state.
    pub state: M::State,
    /// The event.
    pub event: M::EventKind,
    /// The payload numbers: ranges, both ends included.
    pub pattern: Vec<(u16, u16)>,
    /// Claimed to be impossible; otherwise the event is ignored.
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
    /// Every one of these; nothing means true.
    All(Vec<Condition<M>>),
    /// At least one of these; nothing means false.
    Any(Vec<Condition<M>>),
    /// The opposite.
    Not(Box<Condition<M>>),
}

impl<M: Machine> Condition<M> {
    /// Whether it is true under an answer for each guard.
    pub fn holds(&self, guards: &impl Fn(M::Guard) -> bool) -> bool {
        match self {
            Self::Is(guard) => guards(*guard),
            Self::All(parts) => parts.iter().all(|part| part.holds(guards)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(guards)),
            Self::Not(part) => !part.holds(guards),
        }
    }

    /// Whether an answer for a guard is looked at.
    pub fn asks(&self, guard: M::Guard) -> bool {
        match self {
            Self::Is(asked) => *asked == guard,
            Self::All(parts) | Self::Any(parts) => parts.iter().any(|part| part.asks(guard)),
            Self::Not(part) => part.asks(guard),
        }
    }
}

//! A transition table as data: names resolved to indices, generic names to resources.
//!
//! The table as written and the amended table have the same type. Both index one [`Vocabulary`],
//! the union of their names, so that one set of Rust enums and one core run either. These types
//! admit inconsistent tables; the lints report them as [`crate::Diagnostic`]s.

use std::ops::RangeInclusive;

use crate::diagnostic::Span;
use crate::formula::{CollectionId, Formulas, Symbols};

pub use crate::event::{COMPLETION, Event, EventKind, Payload, PayloadDomain, Sends};
pub use crate::name::{ActionId, EventId, GuardId, Lines, Name, ResourceId, RowId, StateId};
pub use crate::variable::{
    Comparison, Operand, Relation, Update, Variable, VariableChange, VariableId,
};

/// All names of a machine: of the table as written and of its amendments, in document order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// The machine's name: `claim`.
    pub machine: String,
    /// States; those that only an amendment names come last.
    pub states: Vec<Name>,
    /// Events with the domain of their payload.
    pub events: Vec<Event>,
    /// Actions.
    pub actions: Vec<Name>,
    /// Timers, requests and notes. Generic names are not resources; the reader resolves them.
    pub resources: Vec<Resource>,
    /// Guards: the named booleans of conditions.
    pub guards: Vec<Name>,
    /// The actions that send an event to other instances of the machine, with that event.
    pub tells: Vec<(ActionId, EventId)>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// The symbols of rules, invariants and guards' formulas.
    pub formulas: Symbols,
    /// The rows in the words of the file.
    pub rows: Vec<RowSource>,
}

impl Vocabulary {
    /// The event of rows without one; `None`: each row has an event.
    #[must_use]
    pub fn completion(&self) -> Option<EventId> {
        let place = self.events.iter().position(|event| event.kind == EventKind::Completion)?;
        u16::try_from(place).ok().map(EventId)
    }
}

/// A resource that states hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// The name.
    pub name: Name,
    /// The kind.
    pub kind: ResourceKind,
}

/// The kinds of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// A timer: armed, then expires once or is disarmed.
    Timer,
    /// An outstanding request: sent, then answered once, lost or abandoned.
    Request,
    /// A remembered fact.
    Note,
}

/// A row in the words of the file, for reports, documentation and coverage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowSource {
    /// The stable id: the cited lines (`50`), with a letter if several rows cite them;
    /// `claim-03.1` for a row that an amendment adds.
    pub id: String,
    /// The text of `from`.
    pub from: String,
    /// The text of `to`.
    pub to: String,
    /// The text of `event`.
    pub event: String,
    /// The text of `if`, or empty.
    pub guard: String,
    /// The text of each entry of `do`.
    pub actions: Vec<String>,
    /// The lines of the document.
    pub cite: Vec<Lines>,
    /// The amendment that adds or changes the row.
    pub amended_by: Option<String>,
    /// Why coverage of the row is waived (`untaken`), if it is.
    pub waived: Option<String>,
    /// Its position in the file.
    pub span: Span,
}

/// A table: states, rows and cells over the names of a vocabulary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Each state of the vocabulary, in its order. `None`: not a state of this table.
    pub states: Vec<Option<State>>,
    /// The events of this table, in order; those of omitted amendments are missing.
    pub events: Vec<EventId>,
    /// The rows, in the order written; each source row expands to one per source state and event.
    pub rows: Vec<Row>,
    /// The cells without a row: ignored, impossible or unspecified.
    pub cells: Vec<Cell>,
    /// The rules and invariants.
    pub formulas: Formulas,
    /// The messages that actions send to other machines.
    pub sends: Vec<Sends>,
    /// What actions do to variables, in the order in which they do it.
    pub updates: Vec<Update>,
    /// The guards that compare variables, in the order of the guards.
    pub comparisons: Vec<Option<Comparison>>,
}

/// A state of one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// The resources that it always holds, sorted.
    pub holds: Vec<ResourceId>,
    /// The resources that it holds only sometimes, sorted.
    pub may_hold: Vec<ResourceId>,
    /// Whether it is an initial state.
    pub initial: bool,
    /// Whether it is final.
    pub is_final: bool,
    /// Whether the machine may stay in it for ever, although it takes events.
    pub may_end: bool,
    /// The actions of rows that leave it; the rows have them.
    pub exit: Vec<ActionId>,
    /// The actions of rows that enter it; the rows have them.
    pub entry: Vec<ActionId>,
}

/// One source state, one event pattern, one destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The source row that it expands.
    pub id: RowId,
    /// The source state.
    pub from: StateId,
    /// The destination state; equal to `from` for `to: same`.
    pub to: StateId,
    /// The event.
    pub event: EventId,
    /// The payloads that it matches.
    pub pattern: Pattern,
    /// The condition; an empty [`Condition::All`] if there is none.
    pub guard: Condition,
    /// The resources of the source state that the event consumes.
    pub consumes: Vec<ResourceId>,
    /// The actions, in order.
    pub actions: Vec<ActionCall>,
}

/// Payload numbers as sorted, disjoint, not adjacent ranges. An event without payload has `0..=0`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Pattern(pub Vec<RangeInclusive<u16>>);

impl Pattern {
    /// Whether a payload number matches.
    #[must_use]
    pub fn matches(&self, number: u16) -> bool {
        self.0.iter().any(|range| range.contains(&number))
    }

    /// Whether some payload number matches both.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        let mut ranges = self.0.iter();
        ranges.any(|a| other.0.iter().any(|b| a.start() <= b.end() && b.start() <= a.end()))
    }
}

/// A condition over named booleans.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Condition {
    /// A named boolean.
    Is(GuardId),
    /// Conjunction; true if empty.
    All(Vec<Condition>),
    /// Disjunction; false if empty.
    Any(Vec<Condition>),
    /// Negation.
    Not(Box<Condition>),
}

impl Default for Condition {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Condition {
    /// The value of the condition, given the value of each guard.
    pub fn holds(&self, answer: &mut impl FnMut(GuardId) -> bool) -> bool {
        match self {
            Self::Is(guard) => answer(*guard),
            Self::All(parts) => parts.iter().all(|part| part.holds(answer)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(answer)),
            Self::Not(part) => !part.holds(answer),
        }
    }

    /// Adds the guards that the condition uses to a sorted list without duplicates.
    pub fn asked(&self, ids: &mut Vec<GuardId>) {
        match self {
            Self::Is(id) => {
                if let Err(at) = ids.binary_search(id) {
                    ids.insert(at, *id);
                }
            }
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.asked(ids)),
            Self::Not(part) => part.asked(ids),
        }
    }
}

/// One action of a row, with what it does to resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionCall {
    /// The action.
    pub action: ActionId,
    /// Its operations on resources, in the order declared, generic names resolved.
    pub ops: Vec<Op>,
    /// The loop around it, if any: the action runs once for each element of the collection.
    pub each: Option<ForEach>,
}

/// A loop of a row. Its actions are consecutive and run together for each element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ForEach {
    /// The collection, which the core lists.
    pub collection: CollectionId,
    /// The index of the loop in the row, from 0.
    pub number: u8,
}

/// An operation of an action on a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// It is held from now on.
    Create(ResourceId),
    /// It is no longer held.
    Delete(ResourceId),
    /// It must be held, stays held and starts again.
    Restart(ResourceId),
    /// The outstanding request is abandoned: the machine no longer expects its answer.
    Abandon(ResourceId),
}

/// A cell without a row: a state, an event and payloads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The state.
    pub state: StateId,
    /// The event.
    pub event: EventId,
    /// The payloads.
    pub pattern: Pattern,
    /// Whether it is ignored or declared impossible.
    pub kind: CellKind,
    /// The reason given.
    pub because: String,
    /// Whether the entry covers it by `any` and not by the name of the state or a set.
    pub is_covered: bool,
    /// Its position in the file.
    pub span: Span,
}

/// The kinds of cells without a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// The event changes nothing in this state.
    Ignore,
    /// The event cannot occur in this state; the checker verifies it.
    Impossible,
    /// The document does not say what the event does. Nothing handles it.
    Unspecified,
}

/// The content of a cell: one state, event and payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CellContent<'t> {
    /// The rows that match event and payload, whatever their conditions; several of them conflict
    /// unless their conditions are mutually exclusive.
    Rows(Vec<&'t Row>),
    /// Declared as ignored.
    Ignored(&'t Cell),
    /// Declared impossible.
    Impossible(&'t Cell),
    /// Nothing: the event is unhandled.
    Missing,
}

impl Table {
    /// The content of a cell.
    #[must_use]
    pub fn at(&self, state: StateId, event: EventId, number: u16) -> CellContent<'_> {
        let rows: Vec<&Row> = self
            .rows
            .iter()
            .filter(|row| row.from == state && row.event == event && row.pattern.matches(number))
            .collect();
        if !rows.is_empty() {
            return CellContent::Rows(rows);
        }
        let cell = self.cells.iter().find(|cell| {
            cell.state == state && cell.event == event && cell.pattern.matches(number)
        });
        match cell {
            Some(cell) if cell.kind == CellKind::Ignore => CellContent::Ignored(cell),
            Some(cell) if cell.kind == CellKind::Impossible => CellContent::Impossible(cell),
            Some(_) | None => CellContent::Missing,
        }
    }
}

//! A transition table as data, every name resolved to an index, every general word to a resource.
//!
//! The same shape serves the table as the document has it and as amended. Both index one
//! [`Vocabulary`], the union of the names of both, so that one set of Rust enums and one core
//! run either. Nothing here is wrong by construction; what is wrong with a table is a
//! [`crate::Fault`].

use std::ops::RangeInclusive;

use crate::fault::Span;
use crate::formula::{CollectionId, Formulas, Words};

macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u16);
        impl $name {
            /// The position in the vocabulary's list.
            #[must_use]
            pub fn index(self) -> usize { usize::from(self.0) }
        }
    )*};
}

pub(crate) use indices;

indices! {
    /// A state, by its place in [`Vocabulary::states`].
    StateId,
    /// An event, by its place in [`Vocabulary::events`].
    EventId,
    /// An action, by its place in [`Vocabulary::actions`].
    ActionId,
    /// A resource, by its place in [`Vocabulary::resources`].
    ResourceId,
    /// A guard, by its place in [`Vocabulary::guards`].
    GuardId,
    /// A row as written, by its place in [`Vocabulary::rows`].
    RowId,
}

/// Lines of the document, both ends included.
pub type Lines = RangeInclusive<u32>;

/// All names of a machine: of the literal table and of its amendments, in document order.
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
    /// Timers, requests and notes (a general word is no resource; it is resolved by the reader).
    pub resources: Vec<Resource>,
    /// Guards: named booleans that the core answers.
    pub guards: Vec<Name>,
    /// What another instance of the machine gets by an action, where it gets something.
    pub tells: Vec<(ActionId, EventId)>,
    /// The names of rules and invariants, and of what they ask.
    pub formulas: Words,
    /// Rows as written, with the words of the file.
    pub rows: Vec<Written>,
}

/// A name as the document spells it and as Rust spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The document's spelling: `retrying abort`.
    pub name: String,
    /// CamelCase, unique in its list: `RetryingAbort`.
    pub ident: String,
    /// The document's prose on it, or empty.
    pub about: String,
    /// Where the document says so.
    pub cite: Vec<Lines>,
    /// False where the literal table uses the name without declaring it (a finding).
    pub declared: bool,
    /// Where the file says so.
    pub span: Span,
}

/// An event and what it may carry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Its spelling.
    pub name: Name,
    /// What it carries, if anything.
    pub payload: Option<Payload>,
    /// Who causes it.
    pub kind: EventKind,
    /// The resources that may cause it: the words of `consumes`, general words and kinds expanded.
    /// Empty unless the kind is [`EventKind::Consuming`].
    pub consumes: Vec<ResourceId>,
}

/// Who causes an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The user or the environment, at any time.
    Command,
    /// A timer that fires or an answer that comes: it consumes a resource of the state.
    Consuming,
    /// A message from elsewhere.
    Message,
}

/// A small payload: one named field over a finite domain, mapped to `0..=u16::MAX`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The field: `status`.
    pub field: String,
    /// The values it may have.
    pub domain: Domain,
}

/// The values of a payload. A pattern is a list of ranges over their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Whole numbers: `100..599`, both ends included.
    Number(RangeInclusive<u16>),
    /// false is 0, true is 1.
    Bool,
    /// Words, numbered from 0 in the order written.
    Words(Vec<Name>),
}

impl Domain {
    /// The smallest and the largest number of the domain.
    #[must_use]
    pub fn bounds(&self) -> (u16, u16) {
        match self {
            Self::Number(range) => (*range.start(), *range.end()),
            Self::Bool => (0, 1),
            Self::Words(words) => (0, u16::try_from(words.len()).unwrap_or(u16::MAX) - 1),
        }
    }
}

/// A thing that a state holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    /// Its spelling.
    pub name: Name,
    /// Timer, request or note.
    pub kind: ResourceKind,
}

/// What sort of thing a state holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResourceKind {
    /// Armed, then fires once or is disarmed.
    Timer,
    /// Sent, then answered once, lost or abandoned.
    Request,
    /// A fact that is remembered.
    Note,
}

/// A row in the words of the file, for reports, renders and coverage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Stable id: the cited line (`50`), with a letter where it repeats; `claim-03.1` for one an
    /// amendment adds.
    pub id: String,
    /// The words of `from`.
    pub from: String,
    /// The words of `to`.
    pub to: String,
    /// The words of `event`.
    pub event: String,
    /// The words of `if`, or empty.
    pub guard: String,
    /// The words of `do`.
    pub does: Vec<String>,
    /// The document's lines.
    pub cite: Vec<Lines>,
    /// The amendment that adds or changes the row.
    pub amended_by: Option<String>,
    /// Why it is right that no run takes the row (`untaken`), where that is so.
    pub excused: Option<String>,
    /// Where it stands in the file.
    pub span: Span,
}

/// A table that can be run: the vocabulary's names put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// What each state of the vocabulary is here, in its order. `None`: not a state of this table.
    pub states: Vec<Option<State>>,
    /// The events that it has, in order; the others are those of amendments that it is without.
    pub events: Vec<EventId>,
    /// Rows, one for each source state and event of a written row, in the order written.
    pub rows: Vec<Row>,
    /// What is said of the cells without a row.
    pub cells: Vec<Cell>,
    /// The rules and invariants.
    pub formulas: Formulas,
}

/// What a state is in one table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    /// What it always holds, sorted.
    pub holds: Vec<ResourceId>,
    /// What it holds only sometimes, sorted.
    pub may_hold: Vec<ResourceId>,
    /// A machine begins here.
    pub initial: bool,
    /// A machine ends here.
    pub is_final: bool,
}

/// One source state, one event pattern, one destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The written row it comes from.
    pub id: RowId,
    /// The state it leaves.
    pub from: StateId,
    /// The state it enters; the same as `from` for `to: same`.
    pub to: StateId,
    /// The event that takes it.
    pub event: EventId,
    /// The payloads that take it.
    pub pattern: Pattern,
    /// The condition beside the event. [`Guard::All`] of nothing where there is none.
    pub guard: Guard,
    /// What the event takes from the source state, resolved.
    pub consumes: Vec<ResourceId>,
    /// What is done, in order.
    pub does: Vec<Do>,
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
pub enum Guard {
    /// A named boolean.
    Is(GuardId),
    /// Every one of these; nothing means true.
    All(Vec<Guard>),
    /// At least one of these; nothing means false.
    Any(Vec<Guard>),
    /// The opposite.
    Not(Box<Guard>),
}

impl Default for Guard {
    fn default() -> Self {
        Self::All(Vec::new())
    }
}

impl Guard {
    /// Whether the condition is true under an answer for each guard.
    pub fn holds(&self, answer: &mut impl FnMut(GuardId) -> bool) -> bool {
        match self {
            Self::Is(guard) => answer(*guard),
            Self::All(parts) => parts.iter().all(|part| part.holds(answer)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(answer)),
            Self::Not(part) => !part.holds(answer),
        }
    }

    /// Adds the guards that the condition asks to a list of some, in order and each once.
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

/// An entry of `do`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Do {
    /// One action, with what it does to the resources, general words resolved.
    Act {
        /// The action.
        action: ActionId,
        /// Its effects on resources, in the order declared.
        ops: Vec<Op>,
        /// The loop that it stands in: it is done for each thing of the collection.
        each: Option<Each>,
    },
}

/// A loop of a row. Entries of one loop follow each other, and are done together for each thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Each {
    /// What the core lists.
    pub collection: CollectionId,
    /// Which loop of the row, from 0.
    pub number: u8,
}

/// What an action does to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// It comes to be held.
    Create(ResourceId),
    /// It is held no longer.
    Delete(ResourceId),
    /// It must be held and stays so, counted anew.
    Restart(ResourceId),
    /// An outstanding request is given up: its answer no longer reaches the table.
    Abandon(ResourceId),
}

/// What is said of a cell that has no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The state.
    pub state: StateId,
    /// The event.
    pub event: EventId,
    /// The payloads.
    pub pattern: Pattern,
    /// Ignored, or claimed to be impossible.
    pub kind: CellKind,
    /// The reason given.
    pub because: String,
    /// Whether `any` covers it, not the state's own name or a set.
    pub is_covered: bool,
    /// Where the file says so.
    pub span: Span,
}

/// What a cell without a row is said to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    /// The event changes nothing here.
    Ignore,
    /// The event cannot come here; the checker must prove it.
    Impossible,
}

/// What a table says of one state, event and payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found<'t> {
    /// The rows that match payload and event, guards not yet asked; more than one is a conflict
    /// unless their guards exclude each other.
    Rows(Vec<&'t Row>),
    /// Said to change nothing.
    Ignored(&'t Cell),
    /// Said to be impossible.
    Impossible(&'t Cell),
    /// Nothing is said.
    Missing,
}

impl Table {
    /// What this table says of a cell.
    #[must_use]
    pub fn at(&self, state: StateId, event: EventId, number: u16) -> Found<'_> {
        let rows: Vec<&Row> = self
            .rows
            .iter()
            .filter(|row| row.from == state && row.event == event && row.pattern.matches(number))
            .collect();
        if !rows.is_empty() {
            return Found::Rows(rows);
        }
        let cell = self.cells.iter().find(|cell| {
            cell.state == state && cell.event == event && cell.pattern.matches(number)
        });
        match cell {
            Some(cell) if cell.kind == CellKind::Ignore => Found::Ignored(cell),
            Some(cell) => Found::Impossible(cell),
            None => Found::Missing,
        }
    }
}

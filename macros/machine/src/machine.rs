//! The traits of a machine and of its names: states, events, actions, rows, formulas.

use core::fmt::{self, Debug, Display};
use core::hash::Hash;

use crate::term::{Term, Terms};

/// The symbols of a machine's formulas for one evaluator: the core of the machine, or the checker,
/// which sees the whole system.
pub trait Signature: Copy + Debug + Eq + Ord + Hash + 'static {
    /// A boolean with its arguments, answered by the evaluator.
    type Predicate: Atom;
    /// A list of terms with its arguments, provided by the evaluator.
    type Collection: Atom;
    /// A named formula with its arguments that this evaluator can compute alone.
    type Rule: Atom;
    /// The name of a formula that must hold in every reachable state and that this evaluator can
    /// compute alone.
    type Invariant: Name;
    /// The state of an instance of the machine; [`Never`] if the evaluator knows no instances.
    type Instance: Name;
}

/// A machine: the types of its names. `machine!` implements it for a table.
pub trait Machine: Signature {
    /// A state.
    type State: Name;
    /// An event with its payload.
    type Event: Event<Kind = Self::EventKind>;
    /// An event without its payload.
    type EventKind: Name;
    /// An action of a row.
    type Action: Name;
    /// A timer, request or note that a state holds.
    type Resource: Name;
    /// A named boolean of a row's condition.
    type Guard: Name;
    /// A guard without a formula: the core computes it.
    type OpenGuard: Name;
    /// A parameter of a guard's formula; the core provides its value (`GuardFacts::subject`).
    type Subject: Name;
    /// The id of a row.
    type RowId: RowId;
    /// A collection that a loop of a row (`for each`) iterates over; the core lists it.
    type Loop: Name;
    /// The symbols of the formulas that the checker evaluates over the whole system.
    type Whole: Signature;

    /// The machine's name and origin.
    const TABLE: Table;
}

/// A predicate without its arguments.
pub type PredicateKind<Q> = <<Q as Signature>::Predicate as Atom>::Kind;
/// A collection without its arguments.
pub type CollectionKind<Q> = <<Q as Signature>::Collection as Atom>::Kind;
/// A rule without its arguments.
pub type RuleKind<Q> = <<Q as Signature>::Rule as Atom>::Kind;

/// The table that a machine was compiled from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// The machine's name.
    pub machine: &'static str,
    /// FNV-1a, 64 bits, of the table's file.
    pub hash: u64,
    /// For each row, the lines of the document that it cites: ranges, both ends included.
    pub cites: &'static [&'static [(u32, u32)]],
}

/// A name of a table: a state, an action, a guard.
pub trait Name: Copy + Debug + Display + Eq + Ord + Hash + 'static {
    /// All of them, in the document's order.
    const ALL: &'static [Self];

    /// The position in [`Name::ALL`].
    fn index(self) -> usize;

    /// The name as the document spells it.
    fn name(self) -> &'static str;

    /// The one that has this name in the document.
    fn from_name(name: &str) -> Option<Self>;

    /// The one that has this name in a table read at run time, at this position of its list. A name
    /// of a compiled machine must be one that was compiled.
    fn resolve(_place: u16, name: &str) -> Option<Self> {
        Self::from_name(name)
    }
}

/// An event of a machine, with its payload.
pub trait Event: Copy + Debug + Eq + Ord + Hash + 'static {
    /// The event without its payload.
    type Kind: Name;

    /// The event without its payload.
    fn kind(self) -> Self::Kind;

    /// The payload as a number; 0 for an event without a payload.
    fn number(self) -> u16;
}

/// A row of the table, by its position in the file.
pub trait RowId: Name {
    /// The row at this position; positions after those of [`Name::ALL`] are rows of a table read at
    /// run time.
    fn at(place: u16) -> Self;
}

/// A name applied to terms: a predicate, a collection or a rule with its arguments.
pub trait Atom: Copy + Debug + Eq + Ord + Hash + 'static {
    /// The name without its arguments.
    type Kind: Name;

    /// The name without its arguments.
    fn kind(self) -> Self::Kind;

    /// The arguments, in order.
    fn terms(self) -> Terms;

    /// The name applied to these arguments; `Term(0)` for each one that is missing.
    fn of(kind: Self::Kind, terms: &[Term]) -> Self;
}

/// The empty type, for a kind of name that a table does not use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Never {}

impl Display for Never {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl Name for Never {
    const ALL: &'static [Self] = &[];

    fn index(self) -> usize {
        match self {}
    }

    fn name(self) -> &'static str {
        match self {}
    }

    fn from_name(_: &str) -> Option<Self> {
        None
    }
}

impl Signature for Never {
    type Predicate = Self;
    type Collection = Self;
    type Rule = Self;
    type Invariant = Self;
    type Instance = Self;
}

impl Atom for Never {
    type Kind = Self;

    fn kind(self) -> Self {
        self
    }

    fn terms(self) -> Terms {
        match self {}
    }

    fn of(kind: Self, _: &[Term]) -> Self {
        kind
    }
}

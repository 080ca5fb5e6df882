//! The names of a machine, as types.

use core::fmt::{self, Debug, Display};
use core::hash::Hash;

use crate::term::{Term, Terms};

/// What formulas ask of one who answers: the machine's core, or who sees the whole system.
pub trait Questions: Copy + Debug + Eq + Ord + Hash + 'static {
    /// What is answered to a formula.
    type Predicate: Atom;
    /// What is listed for a formula.
    type Collection: Atom;
    /// A formula with parameters that asks nobody else, by its name.
    type Rule: Atom;
    /// A formula that must always be so and asks nobody else, by its name.
    type Invariant: Name;
    /// The state of an instance of the machine; [`Never`] where instances are not known.
    type Instance: Name;
}

/// A machine: the types of its names, and what its core is asked. `machine!` makes one of a table.
pub trait Machine: Questions {
    /// A state.
    type State: Name;
    /// An event, with what it carries.
    type Event: Event<Kind = Self::EventKind>;
    /// An event without what it carries.
    type EventKind: Name;
    /// What a row does.
    type Action: Name;
    /// What a state holds.
    type Resource: Name;
    /// What a row asks beside its event.
    type Guard: Name;
    /// A guard that no formula answers: the core does.
    type OpenGuard: Name;
    /// What the formula of a guard speaks of: which term that is, is the core's to say.
    type Subject: Name;
    /// A row as written.
    type RowId: RowId;
    /// What the core lists for a loop of a row.
    type Loop: Name;
    /// What is asked of who sees the whole system.
    type Whole: Questions;

    /// The machine's name and origin.
    const TABLE: Table;
}

/// A predicate without its arguments.
pub type PredicateKind<Q> = <<Q as Questions>::Predicate as Atom>::Kind;
/// A collection without its arguments.
pub type CollectionKind<Q> = <<Q as Questions>::Collection as Atom>::Kind;
/// A rule without its arguments.
pub type RuleKind<Q> = <<Q as Questions>::Rule as Atom>::Kind;

/// Where a machine comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Table {
    /// The machine's name.
    pub machine: &'static str,
    /// The content hash of the file that it was read from.
    pub hash: u64,
    /// The document's lines that each row cites, in the order of the rows: ranges, both ends
    /// included.
    pub cites: &'static [&'static [(u32, u32)]],
}

/// A name of a table: a state, an action, a guard.
pub trait Name: Copy + Debug + Display + Eq + Ord + Hash + 'static {
    /// Every one, in the document's order.
    const ALL: &'static [Self];

    /// Its place in [`Name::ALL`].
    fn index(self) -> usize;

    /// The document's spelling.
    fn name(self) -> &'static str;

    /// The one that the document spells so.
    fn from_name(name: &str) -> Option<Self>;
}

/// What happens to a machine.
pub trait Event: Copy + Debug + Eq + Ord + Hash + 'static {
    /// The event without what it carries.
    type Kind: Name;

    /// The event without what it carries.
    fn kind(self) -> Self::Kind;

    /// What it carries, as a number; 0 for an event that carries nothing.
    fn number(self) -> u16;
}

/// A row as written, by its place in the file.
pub trait RowId: Name {
    /// The row of this place; one behind those of [`Name::ALL`] is a row of another table.
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

    /// The name applied to these; term 0 where one is missing.
    fn of(kind: Self::Kind, terms: &[Term]) -> Self;
}

/// The names of a kind that a table has none of.
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

impl Questions for Never {
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

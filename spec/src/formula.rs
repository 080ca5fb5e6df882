//! The document's formulas: who may do what, and what must always be so. Quantified conditions
//! over the machine's instances by state, over what the core lists, and over what it answers.

use crate::fault::Span;
use crate::table::{Name, StateId, indices};

indices! {
    /// A predicate, by its place in [`Words::predicates`].
    PredicateId,
    /// A collection, by its place in [`Words::collections`].
    CollectionId,
    /// A rule, by its place in [`Words::rules`].
    RuleId,
    /// An invariant, by its place in [`Words::invariants`].
    InvariantId,
}

/// The names of a file's formulas: those of the literal table and of its amendments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// What the core answers about things.
    pub predicates: Vec<Signature>,
    /// What the core lists.
    pub collections: Vec<Signature>,
    /// Formulas of some things, by name: who may read, what may be granted.
    pub rules: Vec<Signature>,
    /// Formulas that must be so in every state.
    pub invariants: Vec<Signature>,
}

impl Words {
    /// Every name.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        let Self { predicates, collections, rules, invariants } = self;
        let all = [predicates, collections, rules, invariants].into_iter().flatten();
        all.map(|one| &one.name)
    }
}

/// A name and what it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its spelling.
    pub name: Name,
    /// Its parameters, in order.
    pub of: Vec<String>,
}

/// The formulas of one table. `None`: the table has none of this name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formulas {
    /// In the order of [`Words::rules`].
    pub rules: Vec<Option<Stated>>,
    /// In the order of [`Words::invariants`].
    pub invariants: Vec<Option<Stated>>,
}

/// A formula and the words it was read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// What is evaluated.
    pub formula: Formula,
    /// What a page shows, a line a part, indented by two spaces a level.
    pub words: Vec<String>,
    /// Where it stands in the file.
    pub span: Span,
}

/// A thing that a formula speaks of, counted from the outside in: the rule's parameters, then the
/// variable of each quantifier around.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u8);

/// A condition over things.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// What the core answers.
    Is {
        /// The question.
        predicate: PredicateId,
        /// The things.
        of: Vec<Var>,
    },
    /// The machine's instance is in one of these states.
    In {
        /// The instance.
        thing: Var,
        /// The states.
        states: Vec<StateId>,
    },
    /// Another rule of the table.
    Rule {
        /// Which.
        rule: RuleId,
        /// The things.
        of: Vec<Var>,
    },
    /// Every one of these; nothing means true.
    All(Vec<Formula>),
    /// At least one of these; nothing means false.
    Any(Vec<Formula>),
    /// The opposite.
    Not(Box<Formula>),
    /// Both or neither.
    Iff(Box<Formula>, Box<Formula>),
    /// So of every thing; the variable is the next one.
    Every(Among, Box<Formula>),
    /// So of at least one thing; the variable is the next one.
    Some(Among, Box<Formula>),
}

/// What a quantifier goes over.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Among {
    /// The machine's instances in these states.
    States(Vec<StateId>),
    /// What the core lists.
    Collection {
        /// Which.
        collection: CollectionId,
        /// The things it is of.
        of: Vec<Var>,
    },
}

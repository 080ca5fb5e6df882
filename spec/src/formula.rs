//! Rules and invariants of a document: first-order formulas over the machine's instances and their
//! states, and over the predicates and collections of an evaluator (the core, or the checker).

use crate::name::{Name, StateId, indices};
use crate::span::Span;

indices! {
    /// A predicate, by its position in [`Symbols::predicates`].
    PredicateId,
    /// A collection, by its position in [`Symbols::collections`].
    CollectionId,
    /// A rule, by its position in [`Symbols::rules`].
    RuleId,
    /// An invariant, by its position in [`Symbols::invariants`].
    InvariantId,
}

/// The symbols of a file's formulas: those of the table as written and of its amendments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    /// Booleans, answered by an evaluator.
    pub predicates: Vec<Signature>,
    /// Lists, provided by an evaluator.
    pub collections: Vec<Signature>,
    /// Named formulas with parameters: who may read, what may be granted.
    pub rules: Vec<Signature>,
    /// Named formulas that must hold in every reachable state.
    pub invariants: Vec<Signature>,
    /// The guards that have a formula, with its parameters.
    pub guards: Vec<Signature>,
    /// The parameters of guards' formulas; the core provides their values.
    pub subjects: Vec<Name>,
    /// The evaluators that know the machine's instances and their states.
    pub instances: Evaluators,
}

impl Symbols {
    /// The names of all but the guards.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        let Self { predicates, collections, rules, invariants, .. } = self;
        let all = [predicates, collections, rules, invariants].into_iter().flatten();
        all.map(|one| &one.name)
    }
}

/// A symbol with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// The name.
    pub name: Name,
    /// The parameters, in order.
    pub params: Vec<String>,
    /// The evaluators that can compute it; for a rule or an invariant, those that can compute
    /// everything in it.
    pub evaluators: Evaluators,
}

/// A component that computes formulas or loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evaluator {
    /// The core that steps the machine.
    Core,
    /// The checker, which sees the whole system.
    Whole,
    /// A row that is taken: it loops over a collection.
    Row,
}

impl Evaluator {
    /// All of them, with their words in the file.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Core, "core"), (Self::Whole, "whole"), (Self::Row, "row")];
}

/// A set of evaluators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Evaluators(u8);

impl Evaluators {
    /// The core alone.
    pub const CORE: Self = Self(1 << Evaluator::Core as u8);

    /// Those that compute formulas: the core and the checker.
    pub const OF_FORMULAS: Self = Self(Self::CORE.0 | 1 << Evaluator::Whole as u8);

    /// The set of these.
    #[must_use]
    pub fn of(these: &[Evaluator]) -> Self {
        Self(these.iter().fold(0, |all, one| all | 1 << *one as u8))
    }

    /// Whether the set contains one.
    #[must_use]
    pub fn has(self, one: Evaluator) -> bool {
        self.0 & 1 << one as u8 != 0
    }

    /// The intersection with another set.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The formulas of one table; `None` if the table has none of that name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formulas {
    /// In the order of [`Symbols::rules`].
    pub rules: Vec<Option<Definition>>,
    /// In the order of [`Symbols::invariants`].
    pub invariants: Vec<Option<Definition>>,
    /// In the order of [`Symbols::guards`].
    pub guards: Vec<Option<Definition>>,
}

/// A formula and its source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The formula.
    pub formula: Formula,
    /// The text for the documentation: one line per part, indented by two spaces per level.
    pub words: Vec<String>,
    /// Its position in the file.
    pub span: Span,
}

/// A variable of a formula, as a de Bruijn level: the rule's parameters first, then the variables
/// of the enclosing quantifiers, outermost first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Var(pub u8);

/// A first-order formula.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula {
    /// A predicate.
    Is {
        /// The predicate.
        predicate: PredicateId,
        /// The arguments.
        args: Vec<Var>,
    },
    /// An instance of the machine is in one of these states.
    In {
        /// The instance.
        term: Var,
        /// The states.
        states: Vec<StateId>,
    },
    /// Another rule of the table.
    Rule {
        /// The rule.
        rule: RuleId,
        /// The arguments.
        args: Vec<Var>,
    },
    /// Conjunction; true if empty.
    All(Vec<Formula>),
    /// Disjunction; false if empty.
    Any(Vec<Formula>),
    /// Negation.
    Not(Box<Formula>),
    /// Equivalence.
    Iff(Box<Formula>, Box<Formula>),
    /// Universal quantifier; it binds the next variable.
    Every(Domain, Box<Formula>),
    /// Existential quantifier; it binds the next variable.
    Some(Domain, Box<Formula>),
}

/// The range of a quantifier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// The machine's instances in these states.
    States(Vec<StateId>),
    /// The elements of a collection.
    Collection {
        /// The collection.
        collection: CollectionId,
        /// The arguments.
        args: Vec<Var>,
    },
}

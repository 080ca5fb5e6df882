//! The document's formulas: who may do what, and what must always be so. Quantified conditions
//! over the machine's instances by state, and over what whoever evaluates them lists and answers:
//! a core, or who sees the whole system.

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
    /// What is answered about things.
    pub predicates: Vec<Signature>,
    /// What is listed.
    pub collections: Vec<Signature>,
    /// Formulas of some things, by name: who may read, what may be granted.
    pub rules: Vec<Signature>,
    /// Formulas that must be so in every state.
    pub invariants: Vec<Signature>,
    /// The guards that have a formula, with what that speaks of.
    pub guards: Vec<Signature>,
    /// What the formulas of guards speak of: each is the core's to say.
    pub subjects: Vec<Name>,
    /// Who knows the machine's instances and their states.
    pub instances: Askers,
}

impl Words {
    /// Every name.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        let Self { predicates, collections, rules, invariants, .. } = self;
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
    /// Who can answer it; of a rule or an invariant, whoever can answer all that it asks.
    pub asked: Askers,
}

/// One that can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asker {
    /// The core that steps the machine.
    Core,
    /// Who sees the whole system: a checker.
    Whole,
    /// The row that is taken: it goes through a collection.
    Row,
}

impl Asker {
    /// Every one, with its word in the file.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Core, "core"), (Self::Whole, "whole"), (Self::Row, "row")];
}

/// Those that can be asked something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Askers(u8);

impl Askers {
    /// The core alone.
    pub const CORE: Self = Self(1 << Asker::Core as u8);

    /// Those that evaluate formulas: the core, and who sees the whole system.
    pub const OF_FORMULAS: Self = Self(Self::CORE.0 | 1 << Asker::Whole as u8);

    /// These.
    #[must_use]
    pub fn of(these: &[Asker]) -> Self {
        Self(these.iter().fold(0, |all, one| all | 1 << *one as u8))
    }

    /// Whether one is among them.
    #[must_use]
    pub fn has(self, one: Asker) -> bool {
        self.0 & 1 << one as u8 != 0
    }

    /// Those that are among others, too.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 & others.0)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// The formulas of one table. `None`: the table has none of this name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Formulas {
    /// In the order of [`Words::rules`].
    pub rules: Vec<Option<Stated>>,
    /// In the order of [`Words::invariants`].
    pub invariants: Vec<Option<Stated>>,
    /// In the order of [`Words::guards`].
    pub guards: Vec<Option<Stated>>,
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
    /// What is answered.
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
    /// What is listed.
    Collection {
        /// Which.
        collection: CollectionId,
        /// The things it is of.
        of: Vec<Var>,
    },
}

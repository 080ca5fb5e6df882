//! Formulas: the interface to an evaluator, and formulas as plain data with their evaluation.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec::Vec};

#[cfg(feature = "alloc")]
use crate::machine::{Atom, CollectionKind, Name, PredicateKind, RuleKind};
use crate::machine::{Machine, Signature};
use crate::term::Term;
#[cfg(feature = "alloc")]
use crate::term::Terms;

/// The values of predicates and collections, from a core or from the checker: what a formula reads
/// when it is evaluated.
pub trait Facts<Q: Signature> {
    /// The value of a predicate.
    fn is(&self, predicate: Q::Predicate) -> bool;

    /// Whether `is` holds for every term of a collection; stops at the first for which it does not.
    fn every(&self, collection: Q::Collection, is: &mut dyn FnMut(Term) -> bool) -> bool;

    /// Whether `is` holds for every term of `inner(outer term)`, for every term of `outer`. An
    /// implementation may visit a term once although several outer terms list it.
    fn every_under(
        &self,
        outer: Q::Collection,
        inner: &dyn Fn(Term) -> Q::Collection,
        is: &mut dyn FnMut(Term) -> bool,
    ) -> bool {
        self.every(outer, &mut |term| self.every(inner(term), &mut *is))
    }

    /// Whether no term of a collection is an instance in one of these states. An implementation
    /// that counts its instances may know without going through the collection.
    fn none_in(&self, collection: Q::Collection, states: &[Q::Instance]) -> bool {
        self.every(collection, &mut |term| !self.state(term).is_some_and(|at| states.contains(&at)))
    }

    /// Whether `is` holds for every instance of the machine and its state; stops at the first for
    /// which it does not.
    fn instances(&self, is: &mut dyn FnMut(Term, Q::Instance) -> bool) -> bool;

    /// The state of an instance; `None` if there is no such instance.
    fn state(&self, term: Term) -> Option<Q::Instance>;
}

/// The values of guards, from the core that takes the step.
pub trait GuardFacts<M: Machine>: Facts<M> {
    /// The value of a guard without a formula.
    fn guard(&self, guard: M::OpenGuard) -> bool;

    /// The value of a parameter of a guard's formula.
    fn subject(&self, subject: M::Subject) -> Term;
}

/// How a table computes a guard.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GuardAnswer<M: Machine> {
    /// By the core.
    Core(M::OpenGuard),
    /// By a formula, with its parameters.
    Formula(Vec<M::Subject>, Formula<M>),
    /// Not at all: the table has no such guard, and no row uses it.
    Nothing,
}

/// A formula as plain data. Terms are numbered (de Bruijn levels): the rule's parameters first,
/// then the variables of the enclosing quantifiers, outermost first.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula<Q: Signature> {
    /// A predicate.
    Is(PredicateKind<Q>, Vec<u8>),
    /// The instance is in one of these states.
    In(u8, Vec<Q::Instance>),
    /// Another rule.
    Rule(RuleKind<Q>, Vec<u8>),
    /// True if all of these are true.
    All(Vec<Formula<Q>>),
    /// True if at least one of these is true.
    Any(Vec<Formula<Q>>),
    /// True if this is false.
    Not(Box<Formula<Q>>),
    /// True if both are true or both are false.
    Iff(Box<Formula<Q>>, Box<Formula<Q>>),
    /// True if it is true for every element.
    Every(Domain<Q>, Box<Formula<Q>>),
    /// True if it is true for at least one element.
    Some(Domain<Q>, Box<Formula<Q>>),
}

/// What a quantifier ranges over.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain<Q: Signature> {
    /// The instances in these states.
    States(Vec<Q::Instance>),
    /// The terms of a collection.
    Collection(CollectionKind<Q>, Vec<u8>),
}

/// The formulas of a table that one evaluator computes, in the order of their names; `None` if the
/// table has none of that name.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formulas<Q: Signature> {
    /// The rules.
    pub rules: Vec<Option<Formula<Q>>>,
    /// The invariants.
    pub invariants: Vec<Option<Formula<Q>>>,
}

#[cfg(feature = "alloc")]
impl<Q: Signature> Formulas<Q> {
    pub(crate) fn rule(&self, rule: RuleKind<Q>, facts: &impl Facts<Q>, terms: Terms) -> bool {
        let formula = self.rules.get(rule.index()).and_then(Option::as_ref);
        formula.is_some_and(|formula| formula.holds(self, facts, terms))
    }

    pub(crate) fn invariant(&self, invariant: Q::Invariant, facts: &impl Facts<Q>) -> bool {
        let formula = self.invariants.get(invariant.index()).and_then(Option::as_ref);
        formula.is_none_or(|formula| formula.holds(self, facts, Terms::of(&[])))
    }
}

#[cfg(feature = "alloc")]
impl<Q: Signature> Formula<Q> {
    pub(crate) fn holds(&self, all: &Formulas<Q>, facts: &impl Facts<Q>, scope: Terms) -> bool {
        match self {
            Self::Is(predicate, of) => facts.is(Q::Predicate::of(*predicate, scope.all(of).list())),
            Self::In(term, states) => {
                facts.state(scope.get(*term)).is_some_and(|at| states.contains(&at))
            }
            Self::Rule(rule, of) => all.rule(*rule, facts, scope.all(of)),
            Self::All(parts) => parts.iter().all(|part| part.holds(all, facts, scope)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(all, facts, scope)),
            Self::Not(part) => !part.holds(all, facts, scope),
            Self::Iff(a, b) => a.holds(all, facts, scope) == b.holds(all, facts, scope),
            Self::Every(among, part) => {
                among.every(facts, scope, &mut |scope| part.holds(all, facts, scope))
            }
            Self::Some(among, part) => {
                !among.every(facts, scope, &mut |scope| !part.holds(all, facts, scope))
            }
        }
    }
}

#[cfg(feature = "alloc")]
impl<Q: Signature> Domain<Q> {
    fn every(
        &self,
        facts: &impl Facts<Q>,
        scope: Terms,
        is: &mut dyn FnMut(Terms) -> bool,
    ) -> bool {
        match self {
            Self::States(states) => {
                facts.instances(&mut |term, at| !states.contains(&at) || is(scope.with(term)))
            }
            Self::Collection(collection, of) => facts
                .every(Q::Collection::of(*collection, scope.all(of).list()), &mut |term| {
                    is(scope.with(term))
                }),
        }
    }
}

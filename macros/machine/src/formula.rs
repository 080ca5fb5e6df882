//! Formulas: what is answered to them, and a formula as plain data with its evaluation.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec::Vec};

use crate::machine::{Machine, Questions};
use crate::term::Term;
#[cfg(feature = "alloc")]
use crate::{
    machine::{Atom, CollectionKind, Name, PredicateKind, RuleKind},
    term::Terms,
};

/// What a core answers, or who sees the whole system, so that formulas can be evaluated of it.
pub trait Facts<Q: Questions> {
    /// Whether it is so.
    fn is(&self, predicate: Q::Predicate) -> bool;

    /// Whether `is` is so of each term that is listed; it is not asked after the first of which
    /// it is not.
    fn every(&self, collection: Q::Collection, is: &mut dyn FnMut(Term) -> bool) -> bool;

    /// Whether `is` is so of each term that `inner` lists for a term of `outer`. Such a term
    /// need not be asked of again for another one.
    fn every_under(
        &self,
        outer: Q::Collection,
        inner: &dyn Fn(Term) -> Q::Collection,
        is: &mut dyn FnMut(Term) -> bool,
    ) -> bool {
        self.every(outer, &mut |term| self.every(inner(term), &mut *is))
    }

    /// Whether `is` is so of each instance of the machine and the state it is in; it is not asked
    /// after the first of which it is not.
    fn instances(&self, is: &mut dyn FnMut(Term, Q::Instance) -> bool) -> bool;

    /// The state of an instance; `None` where there is none.
    fn state(&self, term: Term) -> Option<Q::Instance>;
}

/// What a core answers while a row is looked for.
pub trait GuardFacts<M: Machine>: Facts<M> {
    /// A guard that has no formula.
    fn guard(&self, guard: M::OpenGuard) -> bool;

    /// What the formula of a guard speaks of.
    fn subject(&self, subject: M::Subject) -> Term;
}

/// What answers a guard of a table.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GuardAnswer<M: Machine> {
    /// The core.
    Core(M::OpenGuard),
    /// A formula about these.
    Formula(Vec<M::Subject>, Formula<M>),
    /// Nothing: the table has no such guard, and no row that asks it.
    Nothing,
}

/// A formula as plain data. A number denotes a term: the rule's parameters first, then the
/// variable of each quantifier around, from the outside in.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula<Q: Questions> {
    /// What is answered.
    Is(PredicateKind<Q>, Vec<u8>),
    /// The instance is in one of these states.
    In(u8, Vec<Q::Instance>),
    /// Another rule.
    Rule(RuleKind<Q>, Vec<u8>),
    /// Every one of these.
    All(Vec<Formula<Q>>),
    /// At least one of these.
    Any(Vec<Formula<Q>>),
    /// The opposite.
    Not(Box<Formula<Q>>),
    /// Both or neither.
    Iff(Box<Formula<Q>>, Box<Formula<Q>>),
    /// So of each.
    Every(Domain<Q>, Box<Formula<Q>>),
    /// So of at least one.
    Some(Domain<Q>, Box<Formula<Q>>),
}

/// What a quantifier ranges over.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain<Q: Questions> {
    /// The instances in these states.
    States(Vec<Q::Instance>),
    /// What is listed.
    Collection(CollectionKind<Q>, Vec<u8>),
}

/// The formulas of a table that one can answer, in the order of their names; `None` where it has
/// none of that name.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formulas<Q: Questions> {
    /// The rules.
    pub rules: Vec<Option<Formula<Q>>>,
    /// The invariants.
    pub invariants: Vec<Option<Formula<Q>>>,
}

#[cfg(feature = "alloc")]
impl<Q: Questions> Formulas<Q> {
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
impl<Q: Questions> Formula<Q> {
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
impl<Q: Questions> Domain<Q> {
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

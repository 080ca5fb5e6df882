//! Formulas: what a core answers to them, and a formula as plain data with its evaluation.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec::Vec};

use crate::machine::{CollectionKind, Machine, PredicateKind, RuleKind};
use crate::term::Term;
#[cfg(feature = "alloc")]
use crate::{
    machine::{Atom, Name},
    term::Terms,
};

/// What a core answers, so that the table's formulas can be evaluated of its state.
pub trait Facts<M: Machine> {
    /// Whether it is so.
    fn is(&self, predicate: M::Predicate) -> bool;

    /// Whether `is` is so of each term that is listed; it is not asked after the first of which
    /// it is not.
    fn every(&self, collection: M::Collection, is: &mut dyn FnMut(Term) -> bool) -> bool;

    /// Whether `is` is so of each term that `inner` lists for a term of `outer`. Such a term
    /// need not be asked of again for another one.
    fn every_under(
        &self,
        outer: M::Collection,
        inner: &dyn Fn(Term) -> M::Collection,
        is: &mut dyn FnMut(Term) -> bool,
    ) -> bool {
        self.every(outer, &mut |term| self.every(inner(term), &mut *is))
    }

    /// Whether `is` is so of each instance of the machine and the state it is in; it is not asked
    /// after the first of which it is not.
    fn instances(&self, is: &mut dyn FnMut(Term, M::State) -> bool) -> bool;

    /// The state of an instance; `None` where there is none.
    fn state(&self, term: Term) -> Option<M::State>;
}

/// What the formulas of a table may ask of who evaluates them. Anything else would get an answer
/// that is about nothing: whoever puts another table into a core refuses it before.
#[derive(Clone, Copy, Debug)]
pub struct Answers<M: Machine> {
    /// The rules for which this is so: those that it evaluates.
    pub rules: &'static [RuleKind<M>],
    /// The predicates that it answers.
    pub predicates: &'static [PredicateKind<M>],
    /// The collections that it lists.
    pub collections: &'static [CollectionKind<M>],
    /// Whether it knows all instances of the machine, and their states.
    pub instances: bool,
}

/// A formula as plain data. A number denotes a term: the rule's parameters first, then the
/// variable of each quantifier around, from the outside in.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Formula<M: Machine> {
    /// What the core answers.
    Is(PredicateKind<M>, Vec<u8>),
    /// The instance is in one of these states.
    In(u8, Vec<M::State>),
    /// Another rule.
    Rule(RuleKind<M>, Vec<u8>),
    /// Every one of these.
    All(Vec<Formula<M>>),
    /// At least one of these.
    Any(Vec<Formula<M>>),
    /// The opposite.
    Not(Box<Formula<M>>),
    /// Both or neither.
    Iff(Box<Formula<M>>, Box<Formula<M>>),
    /// So of each.
    Every(Domain<M>, Box<Formula<M>>),
    /// So of at least one.
    Some(Domain<M>, Box<Formula<M>>),
}

/// What a quantifier ranges over.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Domain<M: Machine> {
    /// The instances in these states.
    States(Vec<M::State>),
    /// What the core lists.
    Collection(CollectionKind<M>, Vec<u8>),
}

/// The formulas of a table, in the order of their names; `None` where it has none of that name.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Formulas<M: Machine> {
    /// The rules.
    pub rules: Vec<Option<Formula<M>>>,
    /// The invariants.
    pub invariants: Vec<Option<Formula<M>>>,
}

#[cfg(feature = "alloc")]
impl<M: Machine> Formulas<M> {
    pub(crate) fn rule(&self, rule: RuleKind<M>, facts: &impl Facts<M>, terms: Terms) -> bool {
        let formula = self.rules.get(rule.index()).and_then(Option::as_ref);
        formula.is_some_and(|formula| formula.holds(self, facts, terms))
    }

    pub(crate) fn invariant(&self, invariant: M::Invariant) -> Option<&Formula<M>> {
        self.invariants.get(invariant.index()).and_then(Option::as_ref)
    }
}

#[cfg(feature = "alloc")]
impl<M: Machine> Formula<M> {
    pub(crate) fn holds(&self, all: &Formulas<M>, facts: &impl Facts<M>, scope: Terms) -> bool {
        match self {
            Self::Is(predicate, of) => facts.is(M::Predicate::of(*predicate, scope.all(of).list())),
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
impl<M: Machine> Domain<M> {
    fn every(
        &self,
        facts: &impl Facts<M>,
        scope: Terms,
        is: &mut dyn FnMut(Terms) -> bool,
    ) -> bool {
        match self {
            Self::States(states) => {
                facts.instances(&mut |term, at| !states.contains(&at) || is(scope.with(term)))
            }
            Self::Collection(collection, of) => facts
                .every(M::Collection::of(*collection, scope.all(of).list()), &mut |term| {
                    is(scope.with(term))
                }),
        }
    }
}

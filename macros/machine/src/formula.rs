//! Formulas: what a core answers to them, and a formula as plain data with its evaluation.

#[cfg(feature = "alloc")]
use alloc::{boxed::Box, vec::Vec};

use crate::machine::Machine;
use crate::things::Thing;
#[cfg(feature = "alloc")]
use crate::{
    machine::{CollectionKind, Name, OfThings, PredicateKind, RuleKind},
    things::Things,
};

/// What a core answers, so that the table's formulas can be evaluated of its state.
pub trait Facts<M: Machine> {
    /// Whether it is so.
    fn is(&self, predicate: M::Predicate) -> bool;

    /// Whether `is` is so of each thing that is listed; it is not asked after the first of which
    /// it is not.
    fn every(&self, collection: M::Collection, is: &mut dyn FnMut(Thing) -> bool) -> bool;

    /// Whether `is` is so of each thing that `inner` lists for a thing of `outer`. Such a thing
    /// need not be asked of again for another one.
    fn every_under(
        &self,
        outer: M::Collection,
        inner: &dyn Fn(Thing) -> M::Collection,
        is: &mut dyn FnMut(Thing) -> bool,
    ) -> bool {
        self.every(outer, &mut |thing| self.every(inner(thing), &mut *is))
    }

    /// Whether `is` is so of each instance of the machine and the state it is in; it is not asked
    /// after the first of which it is not.
    fn instances(&self, is: &mut dyn FnMut(Thing, M::State) -> bool) -> bool;

    /// The state of an instance; `None` where there is none.
    fn state(&self, thing: Thing) -> Option<M::State>;
}

/// A formula as plain data. A number stands for a thing: the rule's parameters first, then the
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
    Every(Among<M>, Box<Formula<M>>),
    /// So of at least one.
    Some(Among<M>, Box<Formula<M>>),
}

/// What a quantifier goes over.
#[cfg(feature = "alloc")]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Among<M: Machine> {
    /// The instances in these states.
    States(Vec<M::State>),
    /// What the core lists.
    Listed(CollectionKind<M>, Vec<u8>),
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
    pub(crate) fn rule(&self, rule: RuleKind<M>, facts: &impl Facts<M>, things: Things) -> bool {
        let formula = self.rules.get(rule.index()).and_then(Option::as_ref);
        formula.is_some_and(|formula| formula.holds(self, facts, things))
    }

    pub(crate) fn invariant(&self, invariant: M::Invariant) -> Option<&Formula<M>> {
        self.invariants.get(invariant.index()).and_then(Option::as_ref)
    }
}

#[cfg(feature = "alloc")]
impl<M: Machine> Formula<M> {
    pub(crate) fn holds(&self, all: &Formulas<M>, facts: &impl Facts<M>, scope: Things) -> bool {
        match self {
            Self::Is(predicate, of) => facts.is(M::Predicate::of(*predicate, scope.all(of).list())),
            Self::In(thing, states) => {
                facts.state(scope.get(*thing)).is_some_and(|at| states.contains(&at))
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
impl<M: Machine> Among<M> {
    fn every(
        &self,
        facts: &impl Facts<M>,
        scope: Things,
        is: &mut dyn FnMut(Things) -> bool,
    ) -> bool {
        match self {
            Self::States(states) => {
                facts.instances(&mut |thing, at| !states.contains(&at) || is(scope.with(thing)))
            }
            Self::Listed(collection, of) => facts
                .every(M::Collection::of(*collection, scope.all(of).list()), &mut |thing| {
                    is(scope.with(thing))
                }),
        }
    }
}

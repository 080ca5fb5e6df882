//! A table that can be run.

use crate::formula::{Facts, GuardFacts};
use crate::machine::{Machine, Name, Questions};
use crate::step::{Step, Unexpected};

/// A table that can be run. A core is generic over it: the table baked in (the machine itself) and
/// any other one of the same names (`Interpreted`) run through the same core.
pub trait Rules<M: Machine>: Clone {
    /// Where a machine begins.
    fn initial(&self) -> M::State;

    /// What a state always holds.
    fn holds(&self, state: M::State) -> &[M::Resource];

    /// What a state holds only sometimes.
    fn may_hold(&self, state: M::State) -> &[M::Resource];

    /// Whether a machine ends in a state.
    fn is_final(&self, state: M::State) -> bool;

    /// What the table says of a state and an event; `guards` answers the named booleans. Where some
    /// are formulas, it asks [`Rules::guard`].
    ///
    /// # Errors
    ///
    /// [`Unexpected`] where the table has no row.
    fn step(
        &self,
        state: M::State,
        event: M::Event,
        guards: &impl Fn(M::Guard) -> bool,
    ) -> Result<Step<'_, M>, Unexpected<M>>;

    /// The answer to a guard: its formula's, or the core's.
    fn guard(&self, guard: M::Guard, facts: &impl GuardFacts<M>) -> bool;

    /// Whether some row may ask a guard. What is kept only to answer one need not be kept where
    /// none does.
    fn asks(&self, guard: M::Guard) -> bool {
        let _ = guard;
        true
    }

    /// The stable id of a row that a step takes. A table read at run time may have rows that the
    /// one baked in has not: their numbers lie behind those of [`Name::ALL`].
    fn row_name(&self, row: M::RowId) -> &'static str {
        row.name()
    }

    /// Whether a rule says yes; no, where the table has no such rule.
    fn rule(&self, rule: M::Rule, facts: &impl Facts<M>) -> bool;

    /// Whether an invariant holds; it does where the table has none of this name.
    fn invariant(&self, invariant: M::Invariant, facts: &impl Facts<M>) -> bool;

    /// As [`Rules::rule`], of the whole system.
    fn whole_rule(&self, rule: <M::Whole as Questions>::Rule, facts: &impl Facts<M::Whole>)
    -> bool;

    /// As [`Rules::invariant`], of the whole system.
    fn whole_invariant(
        &self,
        invariant: <M::Whole as Questions>::Invariant,
        facts: &impl Facts<M::Whole>,
    ) -> bool;
}

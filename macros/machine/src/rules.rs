//! The transition function of a table.

use crate::formula::{Facts, GuardFacts};
use crate::machine::{Machine, Name, Signature};
use crate::step::{Step, Unexpected};

/// The transition function of a table. A core is generic over it, so that the compiled table (the
/// machine itself) and any other table over the same names (`Interpreted`) run in the same core.
pub trait Rules<M: Machine>: Clone {
    /// The machine's name.
    fn machine(&self) -> &'static str {
        M::TABLE.machine
    }

    /// The initial state; the first one if there are several.
    fn initial(&self) -> M::State;

    /// The states in which the machine may begin, in the table's order.
    fn initial_states(&self) -> &[M::State];

    /// The resources that a state always holds.
    fn holds(&self, state: M::State) -> &[M::Resource];

    /// The resources that a state holds only sometimes.
    fn may_hold(&self, state: M::State) -> &[M::Resource];

    /// Whether a state is final.
    fn is_final(&self, state: M::State) -> bool;

    /// Looks up the step for an event in a state. `guards` gives the value of each guard; with
    /// [`Rules::guard`] it computes those that have a formula.
    ///
    /// # Errors
    ///
    /// [`Unexpected`] if the table has no row.
    fn step(
        &self,
        state: M::State,
        event: M::Event,
        guards: &impl Fn(M::Guard) -> bool,
    ) -> Result<Step<'_, M>, Unexpected<M>>;

    /// Whether rows without an event leave a state: after a step into it, [`Rules::settle`] has the
    /// next one.
    fn is_transient(&self, state: M::State) -> bool {
        let _ = state;
        false
    }

    /// Looks up the row without an event that is taken in a state; `None`: the machine rests there.
    ///
    /// Call it after each step and each settled row, once the actions are carried out, until it
    /// returns `None`. The table has no cycle of such rows, so it does so after fewer calls than
    /// the table has states.
    fn settle(&self, state: M::State, guards: &impl Fn(M::Guard) -> bool) -> Option<Step<'_, M>> {
        let _ = (state, guards);
        None
    }

    /// The value of a guard: of its formula, or from the core.
    fn guard(&self, guard: M::Guard, facts: &impl GuardFacts<M>) -> bool;

    /// Whether some row uses a guard. A core need not keep state that only unused guards read.
    fn asks(&self, guard: M::Guard) -> bool {
        let _ = guard;
        true
    }

    /// The stable id of a row. A table read at run time may have rows that the compiled one lacks:
    /// their positions come after those of [`Name::ALL`].
    fn row_name(&self, row: M::RowId) -> &'static str {
        row.name()
    }

    /// The value of a rule; `false` if the table has no such rule.
    fn rule(&self, rule: M::Rule, facts: &impl Facts<M>) -> bool;

    /// Whether an invariant holds; `true` if the table has none of this name.
    fn invariant(&self, invariant: M::Invariant, facts: &impl Facts<M>) -> bool;

    /// As [`Rules::rule`], evaluated over the whole system.
    fn whole_rule(&self, rule: <M::Whole as Signature>::Rule, facts: &impl Facts<M::Whole>)
    -> bool;

    /// As [`Rules::invariant`], evaluated over the whole system.
    fn whole_invariant(
        &self,
        invariant: <M::Whole as Signature>::Invariant,
        facts: &impl Facts<M::Whole>,
    ) -> bool;
}

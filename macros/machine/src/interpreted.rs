//! A table as data that runs.

use alloc::sync::Arc;

use crate::data::{Row, StateInfo, TableData, matches};
use crate::formula::{Facts, GuardAnswer, GuardFacts};
use crate::machine::{Atom, Event, Machine, Name, Signature};
use crate::rules::Rules;
use crate::step::{Step, Unexpected};
use crate::term::Terms;

/// A table as data that runs. A copy shares the table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Interpreted<M: Machine> {
    data: Arc<TableData<M>>,
    choice: u8,
}

impl<M: Machine> Interpreted<M> {
    /// Runs this table; of several matching rows, the first is taken.
    #[must_use]
    pub fn new(data: TableData<M>) -> Self {
        Self { data: Arc::new(data), choice: 0 }
    }

    /// The table.
    #[must_use]
    pub fn data(&self) -> &TableData<M> {
        &self.data
    }

    /// The same table, taking the `choice`-th of several matching rows, counted from 0; the last
    /// one if there are fewer.
    #[must_use]
    pub fn choosing(&self, choice: u8) -> Self {
        Self { data: Arc::clone(&self.data), choice }
    }

    /// The rows that match an event in a state, in the order written.
    pub fn matching<'t>(
        &'t self,
        state: M::State,
        event: M::Event,
        guards: &impl Fn(M::Guard) -> bool,
    ) -> impl Iterator<Item = &'t Row<M>> {
        let (kind, number) = (event.kind(), event.number());
        self.data.rows.iter().filter(move |row| {
            row.from == state
                && row.event == kind
                && matches(&row.pattern, number)
                && row.guard.holds(guards)
        })
    }

    /// The rows without an event that leave a state, in the order written.
    fn completions(&self, state: M::State) -> impl Iterator<Item = &Row<M>> {
        let completion = self.data.completion;
        let rows = self.data.rows.iter().filter(move |row| Some(row.event) == completion);
        rows.filter(move |row| row.from == state)
    }

    /// The step of an event, taking the `choice`-th of several matching rows as
    /// [`Interpreted::choosing`] does.
    ///
    /// # Errors
    ///
    /// The table does not provide for the event in this state.
    pub fn step_by(
        &self,
        choice: u8,
        (state, event): (M::State, M::Event),
        guards: &impl Fn(M::Guard) -> bool,
    ) -> Result<Step<'_, M>, Unexpected<M>> {
        let rows = self.matching(state, event, guards);
        if let Some(row) = rows.take(usize::from(choice) + 1).last() {
            return Ok(row.step());
        }
        let (kind, number) = (event.kind(), event.number());
        let said = self.data.cells.iter().find(|cell| {
            cell.state == state && cell.event == kind && matches(&cell.pattern, number)
        });
        match said {
            Some(cell) if !cell.impossible => Ok(Step::ignored(state)),
            Some(_) => Err(Unexpected { state, event, impossible: true }),
            None => Err(Unexpected { state, event, impossible: false }),
        }
    }

    fn info(&self, state: M::State) -> Option<&StateInfo<M>> {
        self.data.states.get(state.index())
    }
}

impl<M: Machine> Rules<M> for Interpreted<M> {
    fn machine(&self) -> &'static str {
        self.data.machine
    }

    fn initial(&self) -> M::State {
        self.data.initial[0]
    }

    fn initial_states(&self) -> &[M::State] {
        &self.data.initial
    }

    fn holds(&self, state: M::State) -> &[M::Resource] {
        self.info(state).map_or(&[], |info| &info.holds)
    }

    fn may_hold(&self, state: M::State) -> &[M::Resource] {
        self.info(state).map_or(&[], |info| &info.may_hold)
    }

    fn is_final(&self, state: M::State) -> bool {
        self.info(state).is_some_and(|info| info.is_final)
    }

    fn step(
        &self,
        state: M::State,
        event: M::Event,
        guards: &impl Fn(M::Guard) -> bool,
    ) -> Result<Step<'_, M>, Unexpected<M>> {
        self.step_by(self.choice, (state, event), guards)
    }

    fn is_transient(&self, state: M::State) -> bool {
        self.completions(state).next().is_some()
    }

    fn settle(&self, state: M::State, guards: &impl Fn(M::Guard) -> bool) -> Option<Step<'_, M>> {
        let rows = self.completions(state).filter(|row| row.guard.holds(guards));
        rows.take(usize::from(self.choice) + 1).last().map(Row::step)
    }

    fn guard(&self, guard: M::Guard, facts: &impl GuardFacts<M>) -> bool {
        match self.data.guards.get(guard.index()) {
            Some(GuardAnswer::Core(guard)) => facts.guard(*guard),
            Some(GuardAnswer::Formula(of, formula)) => {
                let none = Terms::of(&[]);
                let terms = of.iter().fold(none, |all, one| all.with(facts.subject(*one)));
                formula.holds(&self.data.formulas, facts, terms)
            }
            Some(GuardAnswer::Nothing) | None => false,
        }
    }

    fn asks(&self, guard: M::Guard) -> bool {
        self.data.rows.iter().any(|row| row.guard.asks(guard))
    }

    fn row_name(&self, row: M::RowId) -> &'static str {
        match row.index().checked_sub(M::RowId::ALL.len()) {
            None => row.name(),
            Some(extra) => self.data.extra_rows.get(extra).copied().unwrap_or(""),
        }
    }

    fn rule(&self, rule: M::Rule, facts: &impl Facts<M>) -> bool {
        self.data.formulas.rule(rule.kind(), facts, rule.terms())
    }

    fn invariant(&self, invariant: M::Invariant, facts: &impl Facts<M>) -> bool {
        self.data.formulas.invariant(invariant, facts)
    }

    fn whole_rule(
        &self,
        rule: <M::Whole as Signature>::Rule,
        facts: &impl Facts<M::Whole>,
    ) -> bool {
        self.data.whole.rule(rule.kind(), facts, rule.terms())
    }

    fn whole_invariant(
        &self,
        invariant: <M::Whole as Signature>::Invariant,
        facts: &impl Facts<M::Whole>,
    ) -> bool {
        self.data.whole.invariant(invariant, facts)
    }
}

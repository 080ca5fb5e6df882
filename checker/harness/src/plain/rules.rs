//! A table that was read at run time as the rules of a plain core: a guard without a formula is
//! either true or false, and of several rows that match any may be taken.

use std::borrow::Cow;
use std::sync::Arc;

use turnstile_machine::{
    Dynamic, DynamicEvent, DynamicName, Facts, GuardFacts, Name as _, Never, Rules, Step,
    Unexpected,
};
use turnstile_plain::{Declared, PlainRules, State, Values, Wiring};
use turnstile_spec::table::{self, EventId, EventKind, GuardId, Table, Vocabulary};

use super::cell::{self, CellOutcome, PayloadClass};
use super::words;
use crate::tables::reads::{Read, note};

use super::run_table::{RunTable, operand};

/// The number of outcomes of an input, which [`RunTable`] bounds.
fn number(outcomes: usize) -> u8 {
    u8::try_from(outcomes).expect("a table with more outcomes does not run")
}

/// A table as the rules of a plain core.
#[derive(Clone, Debug)]
pub struct TableRules {
    table: Arc<RunTable>,
    /// Which outcome of the event is taken, from 0.
    outcome: usize,
    /// Which outcomes of the rows without an event that follow: the remainder by the number of
    /// outcomes of the first, of the quotient the remainder by that of the second, and so on.
    settling: usize,
}

impl TableRules {
    /// The rules of a table.
    ///
    /// # Errors
    ///
    /// Why it cannot run, in one clause.
    pub fn new(vocabulary: &Vocabulary, table: &Table) -> Result<Self, String> {
        let table = Arc::new(RunTable::new(vocabulary, table)?);
        Ok(Self { table, outcome: 0, settling: 0 })
    }

    /// The rules of a table that runs alone.
    ///
    /// # Errors
    ///
    /// As [`RunTable::alone`].
    pub(crate) fn alone(vocabulary: &Vocabulary, table: &Table) -> Result<Self, String> {
        let table = Arc::new(RunTable::alone(vocabulary, table)?);
        Ok(Self { table, outcome: 0, settling: 0 })
    }

    /// The same rules, taking another outcome.
    #[must_use]
    pub fn choosing(&self, outcome: u8) -> Self {
        self.taking(usize::from(outcome), usize::from(outcome))
    }

    fn taking(&self, outcome: usize, settling: usize) -> Self {
        Self { table: Arc::clone(&self.table), outcome, settling }
    }

    /// Whether the machine has ended in a state, or may stay there.
    pub(crate) fn may_end(&self, state: DynamicName) -> bool {
        let state = self.table.table.states[state.index()].as_ref();
        state.is_some_and(|state| state.is_final || state.may_end)
    }

    /// The names.
    pub(crate) fn vocabulary(&self) -> &Vocabulary {
        &self.table.vocabulary
    }

    /// What may come of an event in a state, given the guards that compare variables.
    fn outcomes(
        &self,
        state: DynamicName,
        event: DynamicEvent,
        compared: &dyn Fn(DynamicName) -> Option<bool>,
    ) -> Cow<'_, [CellOutcome]> {
        let cell = self.table.cell(state, event.kind);
        if cell.compares {
            let known = |guard: GuardId| compared(self.table.guards[guard.index()]);
            return cell::outcomes(&self.table.entry(cell), event.number, &known).into();
        }
        let class = cell.classes.iter().find(|class| class.pattern.matches(event.number));
        class.map_or(&[CellOutcome::Missing][..], |class| &class.outcomes).into()
    }

    /// The same in a state of the core.
    fn outcomes_in(&self, state: &State<Dynamic>, event: DynamicEvent) -> Cow<'_, [CellOutcome]> {
        let values = Values { variables: &state.variables, payload: event.number };
        self.outcomes(state.at, event, &|guard| self.compare(guard, &values))
    }

    /// Whether the table ignores an event in a state of the core, whatever its open guards are.
    pub(crate) fn ignores(&self, state: &State<Dynamic>, event: DynamicEvent) -> bool {
        let outcomes = self.outcomes_in(state, event);
        outcomes.iter().all(|outcome| matches!(outcome, CellOutcome::Ignored(_)))
    }

    /// Whether an event may take a row in a state of the core.
    pub(crate) fn takes_row(&self, state: &State<Dynamic>, event: DynamicEvent) -> bool {
        let outcomes = self.outcomes_in(state, event);
        outcomes.iter().any(|outcome| matches!(outcome, CellOutcome::Row(_)))
    }

    /// How many outcomes any of these events may have in a state.
    pub fn choices(&self, state: &State<Dynamic>, events: &[DynamicEvent]) -> u8 {
        let outcomes: usize =
            events.iter().map(|event| self.outcomes_in(state, *event).len()).sum();
        number(outcomes * self.table.settling)
    }

    /// How many outcomes a restart may have; `is_begun`: in the state that was saved.
    pub fn restarts(&self, is_begun: bool) -> u8 {
        let initial = if is_begun { 1 } else { self.initial_states().len() };
        let settling = if is_begun { self.table.settling } else { 1 };
        number(initial * settling)
    }

    /// The most outcomes that an input may have in any state.
    pub(crate) fn most_choices(&self) -> u8 {
        number(self.table.most_outcomes().max(self.initial_states().len()))
    }

    /// The events of a kind that the environment may give in a state: one of each class of
    /// payloads, or of every payload if the table reads it.
    pub(crate) fn given(&self, state: DynamicName, event: EventId) -> Vec<DynamicEvent> {
        let kind = self.table.wiring.events[event.index()].kind;
        let of = |number| DynamicEvent { kind, number };
        match &self.table.tried[event.index()] {
            Some(numbers) => numbers.iter().copied().map(of).collect(),
            None => {
                let classes = self.table.cell(state, kind).classes.iter();
                let given = classes.filter(|class| !class.outcomes.is_empty());
                given.map(|class| of(class.number())).collect()
            }
        }
    }

    /// The events of the table that are of a kind.
    pub(crate) fn events(&self, kind: EventKind) -> impl Iterator<Item = EventId> + '_ {
        let events = self.table.table.events.iter().copied();
        events.filter(move |id| self.table.vocabulary.events[id.index()].kind == kind)
    }

    /// Every event of the table, in the order of its names.
    pub(crate) fn all_events(&self) -> Vec<EventId> {
        let events = (0..).map(EventId).take(self.table.wiring.events.len());
        let is_of_rows = |id: &EventId| Some(*id) == self.table.vocabulary.completion();
        events.filter(|id| self.table.table.events.contains(id) && !is_of_rows(id)).collect()
    }

    /// An event with its payload, in words.
    pub(crate) fn event_words(&self, event: DynamicEvent) -> String {
        words::event(&self.table.vocabulary.events[event.kind.index()], event.number)
    }

    /// The classes of payloads of a cell.
    pub(crate) fn classes(&self, state: DynamicName, event: DynamicName) -> &[PayloadClass] {
        &self.table.cell(state, event).classes
    }

    /// The outcome of an event in a state, of those that it may have.
    pub(crate) fn outcome(
        &self,
        state: &State<Dynamic>,
        event: DynamicEvent,
        choice: u8,
    ) -> CellOutcome {
        let outcomes = self.outcomes_in(state, event);
        outcomes[usize::from(choice) % outcomes.len()]
    }

    /// The rows that an event leads through, by their positions in the table: its own and those
    /// without an event, at most this many.
    pub(crate) fn rows_taken(
        &self,
        state: &State<Dynamic>,
        (event, choice): (DynamicEvent, u8),
        most: usize,
    ) -> Vec<usize> {
        let mut at = state.clone();
        let mut next = self.choosing(choice).chosen(state, &[event]);
        let mut taken = Vec::new();
        while let Some((event, rules)) = next.take().filter(|_| taken.len() < most) {
            let outcomes = self.outcomes_in(&at, event);
            let CellOutcome::Row(place) = outcomes[rules.outcome % outcomes.len()] else { break };
            taken.push(place);
            at.at = self.table.interpreted.data().rows[place].step().to;
            next = self.table.completion().map(|completion| (completion, rules.settling(&at)));
        }
        taken
    }

    /// The resources that an event may use up.
    pub(crate) fn causes(&self, event: EventId) -> &[DynamicName] {
        &self.table.wiring.answers[event.index()]
    }

    /// Whether each resource is active as often as the state holds it.
    pub(crate) fn matches_state(&self, state: &State<Dynamic>) -> bool {
        self.table.wiring.resources.iter().zip(&state.held).all(|(resource, count)| {
            let (least, most) = self.bounds(state.at, *resource);
            (least..=most).contains(count)
        })
    }

    /// Whether the cell of an unhandled event is declared impossible; otherwise it has no row.
    pub(crate) fn is_impossible(&self, state: DynamicName, (event, number): (&str, u16)) -> bool {
        let is_named = |one: &&Declared<Dynamic>| one.kind.name() == event;
        let Some(one) = self.table.wiring.events.iter().find(is_named) else { return false };
        let mut classes = self.table.cell(state, one.kind).classes.iter();
        let class = classes.find(|class| class.pattern.matches(number));
        class.is_some_and(|class| {
            class.outcomes.iter().any(|one| matches!(one, CellOutcome::Impossible(_)))
        })
    }

    /// The least and the most of a resource that may be there in a state.
    pub(crate) fn bounds(&self, state: DynamicName, resource: DynamicName) -> (u8, u8) {
        let held = u8::from(self.holds(state).contains(&resource));
        (held, held.max(u8::from(self.may_hold(state).contains(&resource))))
    }
}

impl Rules<Dynamic> for TableRules {
    fn machine(&self) -> &'static str {
        self.table.interpreted.machine()
    }

    fn initial(&self) -> DynamicName {
        let states = self.initial_states();
        states[self.outcome % states.len()]
    }

    fn initial_states(&self) -> &[DynamicName] {
        self.table.interpreted.initial_states()
    }

    fn holds(&self, state: DynamicName) -> &[DynamicName] {
        self.table.interpreted.holds(state)
    }

    fn may_hold(&self, state: DynamicName) -> &[DynamicName] {
        self.table.interpreted.may_hold(state)
    }

    fn is_final(&self, state: DynamicName) -> bool {
        self.table.interpreted.is_final(state)
    }

    fn step(
        &self,
        state: DynamicName,
        event: DynamicEvent,
        guards: &impl Fn(DynamicName) -> bool,
    ) -> Result<Step<'_, Dynamic>, Unexpected<Dynamic>> {
        let outcomes = self.outcomes(state, event, &|guard| {
            self.table.comparison(guard).is_some().then(|| guards(guard))
        });
        match outcomes[self.outcome % outcomes.len()] {
            CellOutcome::Row(place) => Ok(self.table.interpreted.data().rows[place].step()),
            CellOutcome::Ignored(_) => Ok(Step::ignored(state)),
            CellOutcome::Impossible(_) => Err(Unexpected { state, event, impossible: true }),
            CellOutcome::Missing => Err(Unexpected { state, event, impossible: false }),
        }
    }

    fn is_transient(&self, state: DynamicName) -> bool {
        note(|| Read::cell(self.machine(), state.name(), table::COMPLETION));
        self.table.interpreted.is_transient(state)
    }

    fn settle(
        &self,
        state: DynamicName,
        guards: &impl Fn(DynamicName) -> bool,
    ) -> Option<Step<'_, Dynamic>> {
        let step = self.step(state, self.table.completion()?, guards).ok()?;
        step.row.map(|_| step)
    }

    fn guard(&self, _guard: DynamicName, _facts: &impl GuardFacts<Dynamic>) -> bool {
        false
    }

    fn row_name(&self, row: DynamicName) -> &'static str {
        self.table.interpreted.row_name(row)
    }

    fn rule(&self, rule: Never, _facts: &impl Facts<Dynamic>) -> bool {
        match rule {}
    }

    fn invariant(&self, invariant: Never, _facts: &impl Facts<Dynamic>) -> bool {
        match invariant {}
    }

    fn whole_rule(&self, rule: Never, _facts: &impl Facts<Never>) -> bool {
        match rule {}
    }

    fn whole_invariant(&self, invariant: Never, _facts: &impl Facts<Never>) -> bool {
        match invariant {}
    }
}

impl PlainRules<Dynamic> for TableRules {
    type Rows = Self;

    fn rows(&self) -> &Self {
        self
    }

    fn wiring(&self) -> &Wiring<Dynamic> {
        &self.table.wiring
    }

    fn event_of(&self, kind: DynamicName, number: u16) -> DynamicEvent {
        DynamicEvent { kind, number }
    }

    fn compare(&self, guard: DynamicName, values: &Values<'_>) -> Option<bool> {
        let comparison = self.table.comparison(guard)?;
        Some(comparison.holds(&|of| values.of(operand(of))))
    }

    fn chosen(
        &self,
        state: &State<Dynamic>,
        events: &[DynamicEvent],
    ) -> Option<(DynamicEvent, Self)> {
        let counts = events.iter().map(|event| self.outcomes_in(state, *event).len());
        let counts: Vec<usize> = counts.collect();
        let all = counts.iter().sum::<usize>().max(1);
        let mut left = self.outcome % all;
        for (event, count) in events.iter().zip(counts) {
            if left < count {
                return Some((*event, self.taking(left, self.outcome / all)));
            }
            left -= count;
        }
        None
    }

    fn settling(&self, state: &State<Dynamic>) -> Self {
        let outcomes = self.table.completion().map_or(1, |one| self.outcomes_in(state, one).len());
        self.taking(self.settling % outcomes, self.settling / outcomes)
    }
}

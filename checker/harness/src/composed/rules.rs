//! A table that was read at run time as the rules of a plain core: a guard without a formula is
//! either true or false, and of several rows that match any may be taken.

use std::borrow::Cow;
use std::sync::Arc;

use turnstile_machine::{
    Actions, Dynamic, DynamicEvent, DynamicName, Facts, GuardFacts, Name as _, Never, ResourceKind,
    Rules, Step, Unexpected,
};
use turnstile_plain::{Message, PlainRules, State, Update, Values, Variable};
use turnstile_spec::table::{self, EventId, EventKind, GuardId, Table, Vocabulary};

use crate::table::cell::{self, CellOutcome};
use crate::table::words;

use super::run_table::{RunCell, RunTable, operand};

/// A table as the rules of a plain core.
#[derive(Clone, Debug)]
pub(super) struct TableRules {
    table: Arc<RunTable>,
    /// Which outcome of the event is taken, from 0.
    outcome: usize,
}

impl TableRules {
    /// The rules of a table.
    ///
    /// # Errors
    ///
    /// As [`RunTable::new`].
    pub(super) fn new(vocabulary: &Vocabulary, table: &Table) -> Result<Self, String> {
        let table = Arc::new(RunTable::new(vocabulary, table)?);
        Ok(Self { table, outcome: 0 })
    }

    /// The same rules, taking another outcome.
    pub(super) fn choosing(&self, outcome: u8) -> Self {
        self.taking(usize::from(outcome))
    }

    fn taking(&self, outcome: usize) -> Self {
        Self { table: Arc::clone(&self.table), outcome }
    }

    /// Whether the machine has ended in a state, or may stay there.
    pub(super) fn may_end(&self, state: DynamicName) -> bool {
        let state = self.table.table.states[state.index()].as_ref();
        state.is_some_and(|state| state.is_final || state.may_end)
    }

    /// The names.
    pub(super) fn vocabulary(&self) -> &Vocabulary {
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
    pub(super) fn ignores(&self, state: &State<Dynamic>, event: DynamicEvent) -> bool {
        let outcomes = self.outcomes_in(state, event);
        outcomes.iter().all(|outcome| matches!(outcome, CellOutcome::Ignored(_)))
    }

    /// How many outcomes any of these events may have in a state.
    pub(super) fn choices(&self, state: &State<Dynamic>, events: &[DynamicEvent]) -> u8 {
        let outcomes = events.iter().map(|event| self.outcomes_in(state, *event).len());
        u8::try_from(outcomes.sum::<usize>()).unwrap_or(u8::MAX)
    }

    /// The most outcomes that an input may have in any state.
    pub(super) fn most_choices(&self) -> u8 {
        let outcomes = |cell: &RunCell| {
            cell.classes.iter().map(|class| class.outcomes.len()).max().unwrap_or(1)
        };
        let most = self.table.cells().map(outcomes).max().unwrap_or(1);
        let events = self.table.fired.iter().map(Vec::len).max().unwrap_or(1).max(1);
        u8::try_from(most * events).unwrap_or(u8::MAX)
    }

    /// The events of a kind that the environment may give in a state: one of each class of
    /// payloads, or of every payload if the table reads it.
    pub(super) fn given(&self, state: DynamicName, event: EventId) -> Vec<DynamicEvent> {
        let kind = self.table.events[event.index()];
        let of = |number| DynamicEvent { kind, number };
        match &self.table.tried[event.index()] {
            Some(numbers) => numbers.iter().copied().map(of).collect(),
            None => {
                let classes = self.table.cell(state, kind).classes.iter();
                classes.map(|class| of(class.number())).collect()
            }
        }
    }

    /// The events of the table that are of a kind.
    pub(super) fn events(&self, kind: EventKind) -> impl Iterator<Item = EventId> + '_ {
        let events = self.table.table.events.iter().copied();
        events.filter(move |id| self.table.vocabulary.events[id.index()].kind == kind)
    }

    /// An event with its payload, in words.
    pub(super) fn event_words(&self, event: DynamicEvent) -> String {
        words::event(&self.table.vocabulary.events[event.kind.index()], event.number)
    }

    /// The least and the most of a resource that may be there in a state.
    pub(super) fn bounds(&self, state: DynamicName, resource: DynamicName) -> (u8, u8) {
        let held = u8::from(self.holds(state).contains(&resource));
        (held, held.max(u8::from(self.may_hold(state).contains(&resource))))
    }
}

impl Rules<Dynamic> for TableRules {
    fn machine(&self) -> &'static str {
        self.table.interpreted.machine()
    }

    fn initial(&self) -> DynamicName {
        self.table.interpreted.initial()
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
        match outcomes[self.outcome.min(outcomes.len() - 1)] {
            CellOutcome::Row(place) => {
                let row = &self.table.interpreted.data().rows[place];
                let actions = Actions::new(&row.actions, &row.ops);
                Ok(Step { row: Some(row.id), to: row.to, consumes: &row.consumes, actions })
            }
            CellOutcome::Ignored(_) => Ok(Step::ignored(state)),
            CellOutcome::Impossible(_) => Err(Unexpected { state, event, impossible: true }),
            CellOutcome::Missing => Err(Unexpected { state, event, impossible: false }),
        }
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
    fn resources(&self) -> &[DynamicName] {
        &self.table.resources
    }

    fn kind(&self, resource: DynamicName) -> ResourceKind {
        match self.table.vocabulary.resources[resource.index()].kind {
            table::ResourceKind::Timer => ResourceKind::Timer,
            table::ResourceKind::Request => ResourceKind::Request,
            table::ResourceKind::Note => ResourceKind::Note,
        }
    }

    fn event(&self, message: &Message) -> Option<DynamicEvent> {
        let events = &self.table.vocabulary.events;
        let place = events.iter().position(|event| *event.name.name == *message.event)?;
        let number = match (&events[place].payload, &message.payload) {
            (None, None) => 0,
            (Some(payload), Some(value)) => payload.domain.number(value)?,
            (None, Some(_)) | (Some(_), None) => return None,
        };
        Some(DynamicEvent { kind: self.table.events[place], number })
    }

    fn payload(&self, event: DynamicEvent) -> Option<Arc<str>> {
        let payload = self.table.vocabulary.events[event.kind.index()].payload.as_ref()?;
        Some(words::value(&payload.domain, event.number).into())
    }

    fn answers(&self, event: DynamicEvent) -> &[DynamicName] {
        &self.table.answers[event.kind.index()]
    }

    fn fired(&self, timer: DynamicName) -> &[DynamicEvent] {
        &self.table.fired[timer.index()]
    }

    fn variables(&self) -> &[Variable] {
        &self.table.variables
    }

    fn updates(&self, action: DynamicName) -> &[Update] {
        &self.table.updates[action.index()]
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
        let mut left = self.outcome;
        let (last, before) = events.split_last()?;
        for event in before {
            let count = self.outcomes_in(state, *event).len();
            if left < count {
                return Some((*event, self.taking(left)));
            }
            left -= count;
        }
        Some((*last, self.taking(left)))
    }
}

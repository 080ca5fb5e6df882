//! A table that was read at run time as the rules of a plain core: a guard without a formula is
//! either true or false, and of several rows that match any may be taken.

use std::borrow::Cow;
use std::sync::Arc;

use turnstile_machine::{
    Actions, Dynamic, DynamicEvent, DynamicName, Facts, GuardFacts, Name as _, Never, ResourceKind,
    Rules, Step, Unexpected,
};
use turnstile_plain::{Message, PlainRules, State, Update, Values, Variable};
use turnstile_spec::table::{self, EventId, EventKind, GuardId, StateId, Table, Vocabulary};

use super::cell::{self, CellOutcome, PayloadClass};
use super::words;

use super::run_table::{RunCell, RunTable, operand};

/// The most instances of one resource that may be active at once at the table level; beyond it the
/// search is truncated.
pub(crate) const MAX_OF_A_KIND: u8 = 2;

/// The most resources that may be active at the table level beyond those that the state holds.
pub(crate) const MAX_LEAKED: usize = 4;

/// A table as the rules of a plain core.
#[derive(Clone, Debug)]
pub(crate) struct TableRules {
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
    pub(crate) fn new(vocabulary: &Vocabulary, table: &Table) -> Result<Self, String> {
        let table = Arc::new(RunTable::new(vocabulary, table)?);
        Ok(Self { table, outcome: 0 })
    }

    /// The rules of a table that runs alone.
    ///
    /// # Errors
    ///
    /// As [`RunTable::alone`].
    pub(crate) fn alone(vocabulary: &Vocabulary, table: &Table) -> Result<Self, String> {
        let table = Arc::new(RunTable::alone(vocabulary, table)?);
        Ok(Self { table, outcome: 0 })
    }

    /// The same rules, taking another outcome.
    pub(crate) fn choosing(&self, outcome: u8) -> Self {
        self.taking(usize::from(outcome))
    }

    fn taking(&self, outcome: usize) -> Self {
        Self { table: Arc::clone(&self.table), outcome }
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

    /// How many outcomes any of these events may have in a state.
    pub(crate) fn choices(&self, state: &State<Dynamic>, events: &[DynamicEvent]) -> u8 {
        let outcomes = events.iter().map(|event| self.outcomes_in(state, *event).len());
        u8::try_from(outcomes.sum::<usize>()).unwrap_or(u8::MAX)
    }

    /// The most outcomes that an input may have in any state.
    pub(crate) fn most_choices(&self) -> u8 {
        let outcomes = |cell: &RunCell| {
            cell.classes.iter().map(|class| class.outcomes.len()).max().unwrap_or(1)
        };
        let most = self.table.cells().map(outcomes).max().unwrap_or(1);
        let events = self.table.fired.iter().map(Vec::len).max().unwrap_or(1).max(1);
        u8::try_from(most * events).unwrap_or(u8::MAX)
    }

    /// The events of a kind that the environment may give in a state: one of each class of
    /// payloads, or of every payload if the table reads it.
    pub(crate) fn given(&self, state: DynamicName, event: EventId) -> Vec<DynamicEvent> {
        let kind = self.table.events[event.index()];
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
        let events = (0..).map(EventId).take(self.table.events.len());
        events.filter(|id| self.table.table.events.contains(id)).collect()
    }

    /// An event with its payload, in words.
    pub(crate) fn event_words(&self, event: DynamicEvent) -> String {
        words::event(&self.table.vocabulary.events[event.kind.index()], event.number)
    }

    /// The classes of payloads of a cell.
    pub(crate) fn classes(&self, state: StateId, event: EventId) -> &[PayloadClass] {
        &self.table.cell_of(state, event).classes
    }

    /// The outcome of an event in a state, of those that it may have.
    pub(crate) fn outcome(
        &self,
        state: &State<Dynamic>,
        event: DynamicEvent,
        choice: u8,
    ) -> CellOutcome {
        self.outcomes_in(state, event)[usize::from(choice)]
    }

    /// The resources that an event may use up.
    pub(crate) fn causes(&self, event: EventId) -> &[DynamicName] {
        &self.table.answers[event.index()]
    }

    /// Whether more resources are active than the table level follows.
    pub(crate) fn is_beyond(&self, state: &State<Dynamic>) -> bool {
        let leaked = |(resource, count): (&DynamicName, &u8)| {
            let (_, most) = self.bounds(state.at, *resource);
            usize::from(count.saturating_sub(most))
        };
        let leaked: usize = self.table.resources.iter().zip(&state.held).map(leaked).sum();
        leaked > MAX_LEAKED || state.held.iter().any(|count| *count > MAX_OF_A_KIND)
    }

    /// Whether each resource is active as often as the state holds it.
    pub(crate) fn matches_state(&self, state: &State<Dynamic>) -> bool {
        self.table.resources.iter().zip(&state.held).all(|(resource, count)| {
            let (least, most) = self.bounds(state.at, *resource);
            (least..=most).contains(count)
        })
    }

    /// Whether the cell of an unhandled event is declared impossible; otherwise it has no row.
    pub(crate) fn is_impossible(&self, state: DynamicName, (event, number): (&str, u16)) -> bool {
        let is_named = |kind: &&DynamicName| kind.name() == event;
        let Some(kind) = self.table.events.iter().find(is_named) else { return false };
        let mut classes = self.table.cell(state, *kind).classes.iter();
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

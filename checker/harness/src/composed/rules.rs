//! A table that was read at run time as the rules of a plain core: a guard without a formula is
//! either true or false, and of several rows that match any may be taken.

use std::sync::Arc;

use turnstile_machine::{
    Actions, Dynamic, DynamicEvent, DynamicName, Facts, GuardFacts, Interpreted, Name as _, Never,
    ResourceKind, Rules, Step, Unexpected, read,
};
use turnstile_plain::{Message, PlainRules};
use turnstile_spec::cell_index::CellIndex;
use turnstile_spec::formula::Formulas;
use turnstile_spec::table::{self, EventId, EventKind, ResourceId, StateId, Table, Vocabulary};

use crate::table::cell::{self, CellOutcome, PayloadClass};
use crate::table::words;

/// A table as the rules of a plain core.
#[derive(Clone, Debug)]
pub(super) struct TableRules {
    table: Arc<RunTable>,
    /// Which outcome of the event is taken, from 0.
    outcome: usize,
}

/// What is worked out once for a table.
#[derive(Debug)]
struct RunTable {
    vocabulary: Vocabulary,
    table: Table,
    interpreted: Interpreted<Dynamic>,
    resources: Vec<DynamicName>,
    /// The classes of payloads, by state, then event.
    cells: Vec<Vec<Vec<PayloadClass>>>,
    /// The requests that each event may answer.
    answers: Vec<Vec<DynamicName>>,
    /// The events that the firing of each resource may be.
    fired: Vec<Vec<DynamicEvent>>,
}

impl TableRules {
    /// The rules of a table; `None`: it has no initial state.
    pub(super) fn new(vocabulary: &Vocabulary, table: &Table) -> Option<Self> {
        let mut words = vocabulary.clone();
        words.formulas.guards.clear();
        let bare = Table { formulas: Formulas::default(), ..table.clone() };
        let data = read::<Dynamic>(&words, &bare).ok()?;
        let interpreted = Interpreted::new(data);
        let index = CellIndex::new(table);
        let cells = ids(vocabulary.states.len()).map(|state| {
            let events = ids(vocabulary.events.len()).map(|event| {
                let place = index.at(StateId(state), EventId(event));
                cell::classes(place, &vocabulary.events[usize::from(event)])
            });
            events.collect()
        });
        let resource =
            |id: &ResourceId| DynamicName::new(id.0, &vocabulary.resources[id.index()].name.name);
        let of_kind = |id: &&ResourceId, kind| vocabulary.resources[id.index()].kind == kind;
        let answers = vocabulary.events.iter().map(|event| {
            let requests = event.consumes.iter();
            requests.filter(|id| !of_kind(id, table::ResourceKind::Timer)).map(resource).collect()
        });
        let fired = ids(vocabulary.resources.len()).map(ResourceId).map(|id| {
            if vocabulary.resources[id.index()].kind != table::ResourceKind::Timer {
                return Vec::new();
            }
            let is_of = |event: &&EventId| vocabulary.events[event.index()].consumes.contains(&id);
            let events = table.events.iter().filter(is_of);
            events.map(|event| first_of(vocabulary, *event)).collect()
        });
        let table = RunTable {
            resources: ids(vocabulary.resources.len())
                .map(|id| resource(&ResourceId(id)))
                .collect(),
            cells: cells.collect(),
            answers: answers.collect(),
            fired: fired.collect(),
            interpreted,
            vocabulary: vocabulary.clone(),
            table: table.clone(),
        };
        Some(Self { table: Arc::new(table), outcome: 0 })
    }

    /// The same rules, taking another outcome.
    pub(super) fn choosing(&self, outcome: u8) -> Self {
        Self { table: Arc::clone(&self.table), outcome: usize::from(outcome) }
    }

    /// The names.
    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.table.vocabulary
    }

    /// What may come of an event in a state.
    fn outcomes(&self, state: DynamicName, event: DynamicEvent) -> &[CellOutcome] {
        let classes = self.classes(state, event.kind);
        let class = classes.iter().find(|class| class.pattern.matches(event.number));
        class.map_or(&[CellOutcome::Missing], |class| &class.outcomes)
    }

    fn classes(&self, state: DynamicName, event: DynamicName) -> &[PayloadClass] {
        &self.table.cells[state.index()][event.index()]
    }

    /// How many outcomes any of these events may have in a state.
    pub(super) fn choices(&self, state: DynamicName, events: &[DynamicEvent]) -> u8 {
        let count = events.iter().map(|event| self.outcomes(state, *event).len()).sum::<usize>();
        u8::try_from(count).unwrap_or(u8::MAX)
    }

    /// The most outcomes that an input may have in any state.
    pub(super) fn most_choices(&self) -> u8 {
        let outcomes = |classes: &Vec<PayloadClass>| {
            classes.iter().map(|class| class.outcomes.len()).max().unwrap_or(1)
        };
        let most = self.table.cells.iter().flatten().map(outcomes).max().unwrap_or(1);
        let events = self.table.fired.iter().map(Vec::len).max().unwrap_or(1).max(1);
        u8::try_from(most * events).unwrap_or(u8::MAX)
    }

    /// The events of a kind that the environment may give in a state: one of each class of
    /// payloads.
    pub(super) fn given<'s>(
        &'s self,
        state: DynamicName,
        event: EventId,
    ) -> impl Iterator<Item = DynamicEvent> + 's {
        let kind = self.event_name(event);
        let classes = self.classes(state, kind).iter();
        classes.map(move |class| DynamicEvent { kind, number: class.number() })
    }

    /// The events of the table that are of a kind.
    pub(super) fn events(&self, kind: EventKind) -> impl Iterator<Item = EventId> + '_ {
        let events = self.table.table.events.iter().copied();
        events.filter(move |id| self.table.vocabulary.events[id.index()].kind == kind)
    }

    fn event_name(&self, event: EventId) -> DynamicName {
        DynamicName::new(event.0, &self.table.vocabulary.events[event.index()].name.name)
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

/// The indices of a list of the vocabulary.
fn ids(len: usize) -> std::ops::Range<u16> {
    0..u16::try_from(len).expect("the reader's limits keep every list within u16")
}

/// An event with the least number of its payload.
fn first_of(vocabulary: &Vocabulary, id: EventId) -> DynamicEvent {
    let event = &vocabulary.events[id.index()];
    let number = event.payload.as_ref().map_or(0, |payload| payload.domain.bounds().0);
    DynamicEvent { kind: DynamicName::new(id.0, &event.name.name), number }
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
        _guards: &impl Fn(DynamicName) -> bool,
    ) -> Result<Step<'_, Dynamic>, Unexpected<Dynamic>> {
        let outcomes = self.outcomes(state, event);
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
        let place = u16::try_from(place).ok()?;
        Some(DynamicEvent { kind: DynamicName::new(place, &message.event), number })
    }

    fn answers(&self, event: DynamicEvent) -> &[DynamicName] {
        &self.table.answers[event.kind.index()]
    }

    fn fired(&self, timer: DynamicName) -> &[DynamicEvent] {
        &self.table.fired[timer.index()]
    }

    fn chosen(&self, state: DynamicName, events: &[DynamicEvent]) -> Option<(DynamicEvent, Self)> {
        let mut left = self.outcome;
        let (last, before) = events.split_last()?;
        for event in before {
            let count = self.outcomes(state, *event).len();
            if left < count {
                return Some((*event, Self { table: Arc::clone(&self.table), outcome: left }));
            }
            left -= count;
        }
        Some((*last, Self { table: Arc::clone(&self.table), outcome: left }))
    }
}

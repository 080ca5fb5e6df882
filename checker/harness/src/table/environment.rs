//! A table and its environment.
//!
//! A configuration is the state and the resources that are armed or outstanding, which may differ
//! from those that the state declares. Events arise from the former.

use turnstile_spec::cell_index::CellIndex;
use turnstile_spec::table::{
    ActionCall, EventId, EventKind, Op, ResourceId, Row, StateId, Table, Vocabulary,
};

use super::cell::{self, CellOutcome, PayloadClass};
use super::words;

/// The most instances of one resource that may be armed or outstanding at once; beyond it the
/// search is truncated.
pub const MAX_OF_A_KIND: u8 = 2;

/// The most resources that may be armed or outstanding beyond those that the state holds.
pub const MAX_LEAKED: usize = 4;

/// The state, and the resources that are armed or outstanding.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Configuration {
    /// The state.
    pub state: StateId,
    /// The number of instances of each resource that are armed, outstanding or noted.
    pub there: Vec<u8>,
    /// The error of the step that led here.
    pub wrong: Option<StepError>,
}

impl Configuration {
    /// Whether the trace ended here, because no row handles the event.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.wrong, Some(StepError::NoRow | StepError::Impossible(_)))
    }
}

/// An error of a step, apart from the resources after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepError {
    /// A resource was deleted, restarted or released that was not active.
    Absent(ResourceId),
    /// No row handles the event. The trace ends.
    NoRow,
    /// The cell, by its index, is declared impossible. The trace ends.
    Impossible(usize),
}

/// An occurrence of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Occurrence {
    /// The event.
    pub event: EventId,
    /// Its payload: the representative of its class.
    pub number: u16,
    /// The resource that caused it, if it consumes one.
    pub cause: Option<ResourceId>,
    /// Its outcome.
    pub outcome: CellOutcome,
}

/// A table with its names and the content of its cells.
#[derive(Clone, Debug)]
pub struct Environment<'t> {
    /// The names.
    pub vocabulary: &'t Vocabulary,
    /// The rows.
    pub table: &'t Table,
    /// The cells, by state, then event.
    cells: Vec<Vec<Vec<PayloadClass>>>,
}

impl<'t> Environment<'t> {
    /// Computes the cells.
    #[must_use]
    pub fn new(vocabulary: &'t Vocabulary, table: &'t Table) -> Self {
        let places = CellIndex::new(table);
        let cells = ids(vocabulary.states.len())
            .map(|state| {
                ids(vocabulary.events.len())
                    .map(|event| {
                        let (state, event) = (StateId(state), EventId(event));
                        let place = places.at(state, event);
                        cell::classes(place, &vocabulary.events[event.index()])
                    })
                    .collect()
            })
            .collect();
        Self { vocabulary, table, cells }
    }

    /// Whether the state is final.
    #[must_use]
    pub fn is_final(&self, state: StateId) -> bool {
        self.table.states[state.index()].as_ref().is_some_and(|state| state.is_final)
    }

    /// The resources that the state holds; none for a state that the table does not declare.
    #[must_use]
    pub fn holds(&self, state: StateId) -> &[ResourceId] {
        self.table.states[state.index()].as_ref().map_or(&[], |state| &state.holds)
    }

    /// The resources that the state may hold.
    #[must_use]
    pub fn may_hold(&self, state: StateId) -> &[ResourceId] {
        self.table.states[state.index()].as_ref().map_or(&[], |state| &state.may_hold)
    }

    /// The classes of a cell.
    #[must_use]
    pub fn classes(&self, state: StateId, event: EventId) -> &[PayloadClass] {
        &self.cells[state.index()][event.index()]
    }

    /// The minimum and maximum number of instances of a resource in a state.
    #[must_use]
    pub fn bounds(&self, state: StateId, resource: ResourceId) -> (u8, u8) {
        let held = u8::from(self.holds(state).contains(&resource));
        (held, held.max(u8::from(self.may_hold(state).contains(&resource))))
    }

    /// Whether exactly the resources that the state holds are active.
    #[must_use]
    pub fn is_as_held(&self, configuration: &Configuration) -> bool {
        ids(configuration.there.len()).all(|resource| {
            let (least, most) = self.bounds(configuration.state, ResourceId(resource));
            (least..=most).contains(&configuration.there[usize::from(resource)])
        })
    }

    /// Whether a configuration is beyond the bounds of this level.
    #[must_use]
    pub fn is_beyond(&self, configuration: &Configuration) -> bool {
        let left: usize = ids(configuration.there.len())
            .map(|resource| {
                let (_, most) = self.bounds(configuration.state, ResourceId(resource));
                usize::from(configuration.there[usize::from(resource)].saturating_sub(most))
            })
            .sum();
        left > MAX_LEAKED || configuration.there.iter().any(|count| *count > MAX_OF_A_KIND)
    }

    /// The configuration after a row; the event's cause is already consumed.
    fn take(&self, row: &Row, next: &mut Configuration) {
        next.state = row.to;
        for op in row.actions.iter().flat_map(|ActionCall { ops, .. }| ops) {
            let (Op::Create(resource)
            | Op::Delete(resource)
            | Op::Restart(resource)
            | Op::Abandon(resource)) = *op;
            let count = &mut next.there[resource.index()];
            let is_absent = *count == 0;
            match op {
                Op::Create(_) => *count += 1,
                Op::Delete(_) | Op::Abandon(_) => *count = count.saturating_sub(1),
                Op::Restart(_) => *count = (*count).max(1),
            }
            if is_absent && !matches!(op, Op::Create(_)) {
                next.wrong = next.wrong.or(Some(StepError::Absent(resource)));
            }
        }
    }
}

impl Environment<'_> {
    /// Whether the outcome is a message declared impossible. A table does not know the senders of
    /// messages, so this level trusts the declaration; a system in which the message arrives fails.
    fn is_for_a_system(&self, outcome: CellOutcome) -> bool {
        let CellOutcome::Impossible(place) = outcome else { return false };
        self.is_message(place)
    }

    /// Whether a declared cell is that of a message.
    #[must_use]
    pub fn is_message(&self, place: usize) -> bool {
        self.kind_of(place) == EventKind::Message
    }

    /// Whether the event of a declared cell is a command.
    #[must_use]
    pub fn is_command(&self, place: usize) -> bool {
        self.kind_of(place) == EventKind::Command
    }

    fn kind_of(&self, place: usize) -> EventKind {
        self.vocabulary.events[self.table.cells[place].event.index()].kind
    }

    /// The initial configurations.
    #[must_use]
    pub fn initial(&self) -> Vec<Configuration> {
        let states = self.table.states.iter().enumerate();
        states
            .filter(|(_, state)| state.as_ref().is_some_and(|state| state.initial))
            .map(|(place, state)| {
                let mut there = vec![0; self.vocabulary.resources.len()];
                for resource in state.iter().flat_map(|state| &state.holds) {
                    there[resource.index()] = 1;
                }
                Configuration { state: StateId(id(place)), there, wrong: None }
            })
            .collect()
    }

    /// The enabled occurrences, in a fixed order.
    pub fn enabled_events(&self, last: &Configuration, actions: &mut Vec<Occurrence>) {
        if last.is_over() {
            return;
        }
        for (place, event) in self.vocabulary.events.iter().enumerate() {
            let event_id = EventId(id(place));
            if !self.table.events.contains(&event_id) {
                continue;
            }
            let mut push = |cause| {
                for class in self.classes(last.state, event_id) {
                    let number = class.number();
                    let outcomes =
                        class.outcomes.iter().filter(|outcome| !self.is_for_a_system(**outcome));
                    actions.extend(outcomes.map(|&outcome| Occurrence {
                        event: event_id,
                        number,
                        cause,
                        outcome,
                    }));
                }
            };
            match event.kind {
                EventKind::Consuming => {
                    let there = |cause: &&ResourceId| last.there[cause.index()] > 0;
                    event.consumes.iter().filter(there).for_each(|cause| push(Some(*cause)));
                }
                EventKind::Command | EventKind::Message if self.is_final(last.state) => {}
                EventKind::Command | EventKind::Message => push(None),
            }
        }
    }

    /// The configuration after an occurrence.
    #[must_use]
    pub fn after(&self, last: &Configuration, action: Occurrence) -> Configuration {
        let mut next = last.clone();
        next.wrong = None;
        if let Some(cause) = action.cause {
            next.there[cause.index()] -= 1;
        }
        match action.outcome {
            CellOutcome::Row(place) => self.take(&self.table.rows[place], &mut next),
            CellOutcome::Ignored(_) => {}
            CellOutcome::Impossible(place) => next.wrong = Some(StepError::Impossible(place)),
            CellOutcome::Missing => next.wrong = Some(StepError::NoRow),
        }
        next
    }

    /// An occurrence as text.
    #[must_use]
    pub fn words(&self, action: &Occurrence) -> String {
        let event = &self.vocabulary.events[action.event.index()];
        let cause = action.cause.map(|cause| words::resource(self.vocabulary, cause));
        let from = cause.map_or_else(String::new, |cause| format!(", from {cause}"));
        let outcome = match action.outcome {
            CellOutcome::Row(place) => {
                format!("row {}", words::row(self.vocabulary, self.table.rows[place].id))
            }
            CellOutcome::Ignored(_) => "ignored".to_owned(),
            CellOutcome::Impossible(_) => "declared impossible".to_owned(),
            CellOutcome::Missing => "unhandled".to_owned(),
        };
        format!("{}{from}: {outcome}", words::event(event, action.number))
    }
}

/// The indices of a list of the vocabulary.
fn ids(len: usize) -> std::ops::Range<u16> {
    0..id(len)
}

/// An index into a list of the vocabulary, which the reader keeps within `u16`.
pub(super) fn id(place: usize) -> u16 {
    u16::try_from(place).expect("the reader's limits keep every list within u16")
}

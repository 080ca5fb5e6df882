//! What a plain core must know of a table beside its rows.

use alloc::sync::Arc;
use alloc::vec::Vec;

use turnstile_machine::{Event as _, Machine, Name as _, Operand, ResourceKind, Rules, Update};

use crate::types::{Message, State};

/// The table of a plain core: its rows, and how events, resources and variables belong together.
pub trait PlainRules<M: Machine>: Clone {
    /// What decides by the rows.
    type Rows: Rules<M>;

    /// The rows.
    fn rows(&self) -> &Self::Rows;

    /// What the table declares beside them.
    fn wiring(&self) -> &Wiring<M>;

    /// The event with this payload number, one of the values of its payload.
    fn event_of(&self, kind: M::EventKind, number: u16) -> M::Event;

    /// The value of a guard that compares variables; `None`: it is another guard.
    fn compare(&self, guard: M::Guard, values: &Values<'_>) -> Option<bool>;

    /// Which of these events happens in a state, and the rules for the rest of the step: the first,
    /// unless a checker tries every one.
    fn chosen(&self, _state: &State<M>, events: &[M::Event]) -> Option<(M::Event, Self)> {
        Some((*events.first()?, self.clone()))
    }

    /// The rules for the next row without an event, unless a checker tries every one.
    fn settling(&self, _state: &State<M>) -> Self {
        self.clone()
    }
}

/// How events, resources and variables belong together, by their positions in the table.
#[derive(Clone, Debug)]
pub struct Wiring<M: Machine> {
    /// The resources.
    pub resources: Vec<M::Resource>,
    /// The kind of each resource.
    pub kinds: Vec<ResourceKind>,
    /// The events.
    pub events: Vec<Declared<M>>,
    /// The variables.
    pub variables: Vec<Variable>,
    /// What each action does to variables, in order.
    pub updates: Vec<Vec<Update>>,
    /// The requests that each event may answer.
    pub answers: Vec<Vec<M::Resource>>,
    /// The events that the firing of each resource may be.
    pub fired: Vec<Vec<M::Event>>,
}

/// The declaration of an event.
#[derive(Clone, Debug)]
pub struct Declared<M: Machine> {
    /// The event.
    pub kind: M::EventKind,
    /// Whether it is that of rows without an event, which no message is.
    pub is_completion: bool,
    /// Its payload, if it has one: the values of a variable.
    pub payload: Option<Variable>,
    /// The resources that may cause it.
    pub consumes: Vec<M::Resource>,
}

impl<M: Machine> Wiring<M> {
    /// Wires resources and events. `fired`: the events that a timer's firing may be, of those of
    /// the event at this position.
    pub fn new(
        resources: Vec<(M::Resource, ResourceKind)>,
        events: Vec<Declared<M>>,
        (variables, updates): (Vec<Variable>, Vec<Vec<Update>>),
        fired: impl Fn(usize) -> Vec<M::Event>,
    ) -> Self {
        let timers = resources.iter().filter(|(_, kind)| *kind == ResourceKind::Timer);
        let timers: Vec<M::Resource> = timers.map(|(resource, _)| *resource).collect();
        let answers = events.iter().map(|event| {
            let consumes = event.consumes.iter().copied();
            consumes.filter(|one| !timers.contains(one)).collect()
        });
        let fires = resources.iter().map(|(one, _)| {
            let events = events.iter().enumerate();
            let own =
                events.filter(|(_, event)| timers.contains(one) && event.consumes.contains(one));
            own.flat_map(|(place, _)| fired(place)).collect()
        });
        let (answers, fired) = (answers.collect(), fires.collect());
        let (resources, kinds) = resources.into_iter().unzip();
        Self { resources, kinds, events, variables, updates, answers, fired }
    }

    /// The kind of a resource.
    pub fn kind(&self, resource: M::Resource) -> ResourceKind {
        self.kinds[resource.index()]
    }

    /// The event that a message is, and the number of its payload; `None`: the table has no such
    /// event.
    pub(crate) fn event(&self, message: &Message) -> Option<(M::EventKind, u16)> {
        let is_named =
            |one: &&Declared<M>| one.kind.name() == &*message.event && !one.is_completion;
        let event = self.events.iter().find(is_named)?;
        let number = match (&event.payload, &message.payload) {
            (None, None) => 0,
            (Some(values), Some(value)) => values.number(value)?,
            (None, Some(_)) | (Some(_), None) => return None,
        };
        Some((event.kind, number))
    }

    /// The value of an event's payload in words, if it has one.
    pub(crate) fn payload(&self, event: M::Event) -> Option<Arc<str>> {
        let values = self.events[event.kind().index()].payload.as_ref()?;
        Some(values.text(event.number()))
    }

    /// The requests that an event may answer.
    pub fn answers(&self, event: M::Event) -> &[M::Resource] {
        &self.answers[event.kind().index()]
    }

    /// The events that the firing of a timer may be.
    pub fn fired(&self, timer: M::Resource) -> &[M::Event] {
        &self.fired[timer.index()]
    }
}

/// A variable: its initial number, its bounds, and its values in words, by number from the least.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name.
    pub name: &'static str,
    /// The number of the initial value.
    pub initial: u16,
    /// The least and the greatest number.
    pub bounds: (u16, u16),
    /// The values in words; empty for numbers, which are their own words.
    pub words: Arc<[Arc<str>]>,
}

impl Variable {
    /// A value in words.
    #[must_use]
    pub fn text(&self, number: u16) -> Arc<str> {
        let word = self.words.get(usize::from(number)).cloned();
        word.unwrap_or_else(|| alloc::format!("{number}").into())
    }

    /// The number of a value in words; `None` if it is none of its values.
    #[must_use]
    pub fn number(&self, value: &str) -> Option<u16> {
        let (least, greatest) = self.bounds;
        if self.words.is_empty() {
            return value.parse().ok().filter(|number| (least..=greatest).contains(number));
        }
        let place = self.words.iter().position(|word| **word == *value)?;
        u16::try_from(place).ok()
    }
}

/// The values that guards and assignments read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values<'v> {
    /// The variables.
    pub variables: &'v [u16],
    /// The number of the event's payload.
    pub payload: u16,
}

impl Values<'_> {
    /// The value of an operand.
    #[must_use]
    pub fn of(&self, operand: Operand) -> u16 {
        match operand {
            Operand::Number(number) => number,
            Operand::Variable(place) => self.variables.get(place).copied().unwrap_or_default(),
            Operand::Payload => self.payload,
        }
    }
}

//! What a plain core must know of a table beside its rows.

use alloc::sync::Arc;

use turnstile_machine::{Machine, Operand, ResourceKind, Rules, Update};

use crate::types::{Message, State};

/// The table of a plain core: its rows, and how events, resources and variables belong together.
pub trait PlainRules<M: Machine>: Rules<M> {
    /// The resources, in the table's order.
    fn resources(&self) -> &[M::Resource];

    /// The kind of a resource.
    fn kind(&self, resource: M::Resource) -> ResourceKind;

    /// The event that a message is; `None`: the table has no such event.
    fn event(&self, message: &Message) -> Option<M::Event>;

    /// The value of an event's payload in words, if it has one.
    fn payload(&self, event: M::Event) -> Option<Arc<str>>;

    /// The requests that an event may answer.
    fn answers(&self, event: M::Event) -> &[M::Resource];

    /// The events that the firing of a timer may be.
    fn fired(&self, timer: M::Resource) -> &[M::Event];

    /// The variables, in the table's order.
    fn variables(&self) -> &[Variable];

    /// What an action does to variables, in order.
    fn updates(&self, action: M::Action) -> &[Update];

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

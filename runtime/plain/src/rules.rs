//! What a plain core must know of a table beside its rows.

use turnstile_machine::{Machine, ResourceKind, Rules};

use crate::types::Message;

/// The table of a plain core: its rows, and how events and resources belong together.
pub trait PlainRules<M: Machine>: Rules<M> {
    /// The resources, in the table's order.
    fn resources(&self) -> &[M::Resource];

    /// The kind of a resource.
    fn kind(&self, resource: M::Resource) -> ResourceKind;

    /// The event that a message is; `None`: the table has no such event.
    fn event(&self, message: &Message) -> Option<M::Event>;

    /// The requests that an event may answer.
    fn answers(&self, event: M::Event) -> &[M::Resource];

    /// The events that the firing of a timer may be.
    fn fired(&self, timer: M::Resource) -> &[M::Event];

    /// Which of these events happens in a state, and the rules for the rest of the step: the first,
    /// unless a checker tries every one.
    fn chosen(&self, _state: M::State, events: &[M::Event]) -> Option<(M::Event, Self)> {
        Some((*events.first()?, self.clone()))
    }
}

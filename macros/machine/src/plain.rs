//! What a table declares beside its rows, and the interface between a machine and its embedder:
//! what the plain core (`turnstile-plain`) needs to run any compiled machine.

use core::time::Duration;

use crate::machine::Machine;
use crate::rules::Rules;
use crate::step::ResourceKind;
use crate::variable::{Comparison, Update, ValueSet};

/// A compiled machine that runs by its table alone. `machine!` implements it.
pub trait PlainMachine: Machine + Rules<Self> + Default {
    /// What the embedder does: a method for each action that the rows do not carry out themselves,
    /// and for each guard without a comparison.
    type Handler: ?Sized;

    /// The duration of each timer.
    type Durations;

    /// What the table declares beside its rows.
    const PLAIN: PlainTable<Self>;

    /// The event with this payload number, clamped to the values of its payload.
    fn event(kind: Self::EventKind, number: u16) -> Self::Event;

    /// Calls the handler's method of an action; without one, does nothing.
    fn perform(handler: &mut Self::Handler, action: Self::Action, event: Self::Event);

    /// Calls the handler's method of a guard; without one, `false`.
    fn answer(handler: &mut Self::Handler, guard: Self::Guard, event: Self::Event) -> bool;

    /// The duration of a timer; zero for another resource.
    fn duration(durations: &Self::Durations, timer: Self::Resource) -> Duration;
}

/// What a table declares beside its rows.
#[derive(Clone, Copy, Debug)]
pub struct PlainTable<M: Machine> {
    /// The kind of each resource, in the order of the resources.
    pub resources: &'static [ResourceKind],
    /// The declaration of each event, in the order of the events.
    pub events: &'static [EventInfo<M>],
    /// The event of rows without one, which nothing causes.
    pub completion: Option<M::EventKind>,
    /// The variables, in the table's order.
    pub variables: &'static [VariableInfo],
    /// What actions do to variables, in the order in which they do it.
    pub updates: &'static [(M::Action, Update)],
    /// The guards that compare variables and payloads.
    pub comparisons: &'static [(M::Guard, Comparison)],
    /// The actions that send a message, and its event as the receiver's table spells it.
    pub sends: &'static [(M::Action, &'static str)],
}

/// The declaration of an event.
#[derive(Clone, Copy, Debug)]
pub struct EventInfo<M: Machine> {
    /// Whether it is an event of the amended table; otherwise only of the table as written.
    pub is_declared: bool,
    /// The resources that may cause it; empty for a command and a message.
    pub consumes: &'static [M::Resource],
    /// The values of its payload, if it has one.
    pub payload: Option<ValueSet>,
}

/// The declaration of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VariableInfo {
    /// The name.
    pub name: &'static str,
    /// The number of the initial value.
    pub initial: u16,
    /// Its values.
    pub values: ValueSet,
}

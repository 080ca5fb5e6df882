//! The values of a plain core: state, messages, timers, commands, notices.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use turnstile_machine::{Event, Machine, Name};

/// A node of the system, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Peer(pub u16);

/// A message in words, so that the tables at both ends need not be compiled together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Message {
    /// The event, as the receiver's table spells it.
    pub event: Arc<str>,
    /// The value of its payload, if it has one.
    pub payload: Option<Arc<str>>,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.payload {
            None => f.write_str(&self.event),
            Some(payload) => write!(f, "{} ({payload})", self.event),
        }
    }
}

/// The state of a plain core: the state of its machine, and how often each resource is there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State<M: Machine> {
    /// The state of the machine.
    pub at: M::State,
    /// How many of each resource are armed, outstanding or noted, in the table's order.
    pub held: Vec<u8>,
    /// The numbers of the variables' values, in the table's order.
    pub variables: Vec<u16>,
}

/// A timer, by the resource that it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timer<M: Machine>(pub M::Resource);

impl<M: Machine> fmt::Display for Timer<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

/// An event that the user gives, or that the environment gives in reply to a request that no node
/// answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Command<M: Machine> {
    /// The event.
    pub event: M::Event,
    /// The request that it answers.
    pub answers: Option<M::Resource>,
}

impl<M: Machine> fmt::Display for Command<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.event.kind().name())
    }
}

/// An action that is no message, no change of a variable and no operation on a timer or a note: the
/// user carries it out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Notice<M: Machine>(pub M::Action);

impl<M: Machine> fmt::Display for Notice<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name())
    }
}

turnstile_step::not_symbolic!(Message);

turnstile_step::not_symbolic!(<M: Machine> State<M>, Timer<M>, Command<M>, Notice<M>);

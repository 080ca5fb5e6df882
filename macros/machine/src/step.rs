//! The result of looking up an event: the row, the next state and the actions.

use core::fmt;
use core::iter::FusedIterator;

use crate::machine::{Event, Machine, Name};

/// The kinds of resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ResourceKind {
    /// A timer: armed, then expires once or is disarmed.
    Timer,
    /// An outstanding request: sent, then answered once, lost or abandoned.
    Request,
    /// A remembered fact.
    Note,
}

/// An operation of an action on a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "M::Resource: serde::Serialize",
        deserialize = "M::Resource: serde::Deserialize<'de>"
    ))
)]
pub enum Op<M: Machine> {
    /// It is held from now on: the timer is armed, the request sent.
    Create(M::Resource),
    /// It is no longer held: the timer is disarmed.
    Delete(M::Resource),
    /// The timer stays held and starts again.
    Restart(M::Resource),
    /// The outstanding request is abandoned: the machine no longer expects its answer.
    Abandon(M::Resource),
}

impl<M: Machine> Op<M> {
    /// The resource.
    #[must_use]
    pub const fn resource(self) -> M::Resource {
        match self {
            Self::Create(resource)
            | Self::Delete(resource)
            | Self::Restart(resource)
            | Self::Abandon(resource) => resource,
        }
    }
}

/// A loop of a row: its actions run together, once for each term of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForEach<M: Machine> {
    /// The collection, which the core lists.
    pub collection: M::Loop,
    /// The index of the loop in the row, from 0.
    pub number: u8,
}

/// One action of a row, with what it does to resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionCall<'t, M: Machine> {
    /// The action.
    pub action: M::Action,
    /// Its operations on resources, in order.
    pub ops: &'t [Op<M>],
    /// The loop around it, if any.
    pub each: Option<ForEach<M>>,
}

/// One action of a row, and the number of the row's operations on resources that belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionEntry<M: Machine> {
    /// The action.
    pub action: M::Action,
    /// The number of its operations; they follow those of the entries before it.
    pub ops: u16,
    /// The loop around it, if any.
    pub each: Option<ForEach<M>>,
}

/// The actions of a row, in order: a list of [`ActionCall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Actions<'t, M: Machine> {
    entries: &'t [ActionEntry<M>],
    ops: &'t [Op<M>],
}

impl<'t, M: Machine> Actions<'t, M> {
    /// No actions.
    pub const NOTHING: Self = Self { entries: &[], ops: &[] };

    /// These entries, with their operations concatenated in `ops`.
    #[must_use]
    pub const fn new(entries: &'t [ActionEntry<M>], ops: &'t [Op<M>]) -> Self {
        Self { entries, ops }
    }

    /// The number of actions.
    #[must_use]
    pub const fn len(self) -> usize {
        self.entries.len()
    }

    /// Whether there are no actions.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.entries.is_empty()
    }

    /// Each action, in order.
    #[inline]
    pub const fn iter(self) -> ActionsIter<'t, M> {
        ActionsIter(self)
    }

    /// The actions up to the first of another loop, and the rest.
    fn split_block(self) -> Option<(Block<'t, M>, Self)> {
        let each = self.entries.first()?.each;
        let end = self.entries.iter().position(|entry| entry.each != each);
        let (here, entries) = self.entries.split_at(end.unwrap_or(self.entries.len()));
        let count = here.iter().map(|entry| usize::from(entry.ops)).sum();
        let (own, ops) = self.ops.split_at_checked(count).unwrap_or((self.ops, &[]));
        let each = each.map(|each| each.collection);
        Some((Block { each, actions: Self::new(here, own) }, Self { entries, ops }))
    }
}

impl<'t, M: Machine> IntoIterator for Actions<'t, M> {
    type Item = ActionCall<'t, M>;
    type IntoIter = ActionsIter<'t, M>;

    #[inline]
    fn into_iter(self) -> ActionsIter<'t, M> {
        self.iter()
    }
}

/// The iterator of [`Actions`].
#[derive(Clone, Debug)]
pub struct ActionsIter<'t, M: Machine>(Actions<'t, M>);

impl<'t, M: Machine> Iterator for ActionsIter<'t, M> {
    type Item = ActionCall<'t, M>;

    #[inline]
    fn next(&mut self) -> Option<ActionCall<'t, M>> {
        let (entry, entries) = self.0.entries.split_first()?;
        let count = usize::from(entry.ops);
        let (own, ops) = self.0.ops.split_at_checked(count).unwrap_or((self.0.ops, &[]));
        self.0 = Actions { entries, ops };
        Some(ActionCall { action: entry.action, ops: own, each: entry.each })
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.0.len(), Some(self.0.len()))
    }
}

impl<M: Machine> ExactSizeIterator for ActionsIter<'_, M> {}

impl<M: Machine> FusedIterator for ActionsIter<'_, M> {}

/// Consecutive actions that run once, or once for each term of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block<'t, M: Machine> {
    /// The collection; `None`: the actions run once.
    pub each: Option<M::Loop>,
    /// The actions, in order.
    pub actions: Actions<'t, M>,
}

/// The outcome of an event in a state: the row taken, the next state and the actions.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step<'t, M: Machine> {
    /// The row taken. `None`: the event is ignored in this state.
    pub row: Option<M::RowId>,
    /// The next state; the same one if the event is ignored.
    pub to: M::State,
    /// The resources that the event itself uses up: the timer that expired, the request answered.
    pub consumes: &'t [M::Resource],
    /// The actions, in order.
    pub actions: Actions<'t, M>,
}

impl<'t, M: Machine> Step<'t, M> {
    /// An ignored event.
    pub const fn ignored(to: M::State) -> Self {
        Self { row: None, to, consumes: &[], actions: Actions::NOTHING }
    }

    /// The step without its actions.
    pub const fn transition(self) -> Transition<M> {
        Transition { row: self.row, to: self.to }
    }

    /// The actions, in order, those of one loop together.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'t, M>> + use<'t, M> {
        let mut rest = self.actions;
        core::iter::from_fn(move || {
            let (block, others) = rest.split_block()?;
            rest = others;
            Some(block)
        })
    }
}

/// A step without its actions, which a sink has received.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transition<M: Machine> {
    /// The row taken. `None`: the event is ignored in this state.
    pub row: Option<M::RowId>,
    /// The next state; the same one if the event is ignored.
    pub to: M::State,
}

/// The error for an event without a row: the state does not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(
    feature = "serde",
    serde(bound(
        serialize = "M::State: serde::Serialize, M::Event: serde::Serialize",
        deserialize = "M::State: serde::Deserialize<'de>, M::Event: serde::Deserialize<'de>"
    ))
)]
pub struct Unexpected<M: Machine> {
    /// The current state.
    pub state: M::State,
    /// The event.
    pub event: M::Event,
    /// Whether the table declares this impossible; otherwise it declares nothing.
    pub impossible: bool,
}

impl<M: Machine> fmt::Display for Unexpected<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = if self.impossible { "impossible" } else { "no row" };
        let (state, event) = (self.state.name(), self.event.kind().name());
        write!(f, "{state}: {event} ({}): {why}", self.event.number())
    }
}

impl<M: Machine> core::error::Error for Unexpected<M> {}

//! What a table says of an event: the row, where it leads, what is done.

use core::fmt;
use core::iter::FusedIterator;

use crate::machine::{Event, Machine, Name};

/// What sort of thing a state holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ResourceKind {
    /// Armed, then fires once or is disarmed.
    Timer,
    /// Sent, then answered once, lost or abandoned.
    Request,
    /// A fact that is remembered.
    Note,
}

/// What an action does to a resource.
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
    /// It comes to be held.
    Create(M::Resource),
    /// It is held no longer.
    Delete(M::Resource),
    /// It is held and stays so, counted anew.
    Restart(M::Resource),
    /// An outstanding request is given up: its answer no longer comes here.
    Abandon(M::Resource),
}

impl<M: Machine> Op<M> {
    /// The resource that it is done to.
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

/// A loop of a row: its entries are done together, once for each term of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForEach<M: Machine> {
    /// What the core lists.
    pub collection: M::Loop,
    /// Which loop of the row, from 0.
    pub number: u8,
}

/// One action of a row, with what it does to resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionCall<'t, M: Machine> {
    /// The action.
    pub action: M::Action,
    /// What it does to resources, in order.
    pub ops: &'t [Op<M>],
    /// The loop that it stands in, if there is one.
    pub each: Option<ForEach<M>>,
}

/// One action of a row, and how many of the row's operations on resources are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionEntry<M: Machine> {
    /// The action.
    pub action: M::Action,
    /// How many of the operations, after those of the entries before it.
    pub ops: u16,
    /// The loop that it stands in.
    pub each: Option<ForEach<M>>,
}

/// What a row does, in order: a list of [`ActionCall`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Actions<'t, M: Machine> {
    entries: &'t [ActionEntry<M>],
    ops: &'t [Op<M>],
}

impl<'t, M: Machine> Actions<'t, M> {
    /// Nothing.
    pub const NOTHING: Self = Self { entries: &[], ops: &[] };

    /// These entries, with the operations of all of them one after the other.
    #[must_use]
    pub const fn new(entries: &'t [ActionEntry<M>], ops: &'t [Op<M>]) -> Self {
        Self { entries, ops }
    }

    /// How many actions there are.
    #[must_use]
    pub const fn len(self) -> usize {
        self.entries.len()
    }

    /// Whether nothing is done.
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

/// Actions that are done one after the other: once, or once for each term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block<'t, M: Machine> {
    /// What is listed; `None`: it is done once.
    pub each: Option<M::Loop>,
    /// What is done, in order.
    pub actions: Actions<'t, M>,
}

/// What a table says of a state and an event.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step<'t, M: Machine> {
    /// The row that is taken. `None`: the event changes nothing here.
    pub row: Option<M::RowId>,
    /// The state that is entered; the same one where nothing changes.
    pub to: M::State,
    /// What the event itself uses up: the timer that fired, the request that is answered.
    pub consumes: &'t [M::Resource],
    /// What is done, in order.
    pub actions: Actions<'t, M>,
}

impl<'t, M: Machine> Step<'t, M> {
    /// The event changes nothing.
    pub const fn ignored(to: M::State) -> Self {
        Self { row: None, to, consumes: &[], actions: Actions::NOTHING }
    }

    /// The step without its actions.
    pub const fn transition(self) -> Transition<M> {
        Transition { row: self.row, to: self.to }
    }

    /// What is done, in order, with the entries of a loop together.
    pub fn blocks(&self) -> impl Iterator<Item = Block<'t, M>> + use<'t, M> {
        let mut rest = self.actions;
        core::iter::from_fn(move || {
            let (block, others) = rest.split_block()?;
            rest = others;
            Some(block)
        })
    }
}

/// A step without its actions, which went into a sink.
#[must_use]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Transition<M: Machine> {
    /// The row that is taken. `None`: the event changes nothing here.
    pub row: Option<M::RowId>,
    /// The state that is entered; the same one where nothing changes.
    pub to: M::State,
}

/// An event that a table has no row for: the machine stays as it is.
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
    /// Where the machine is.
    pub state: M::State,
    /// What happened.
    pub event: M::Event,
    /// Whether the table says that this cannot happen, and not merely nothing.
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

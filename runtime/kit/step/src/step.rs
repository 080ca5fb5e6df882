//! The [`Core`] trait, its [`Input`]s and its [`Effect`]s.
//!
//! Neither a host nor the checker looks inside a core. If either needs an `if` about the protocol,
//! the table lacks a row.

use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;
use core::mem::take;

use crate::outcome::RowOutcome;
use crate::symbolic::Symbolic;

/// A sans-IO protocol: its rules and parameters, which never change. [`Core::State`] changes.
///
/// Calling contract: call [`Core::start`] once for a state, then [`Core::step`] for each input, in
/// the order in which the inputs happened, and carry out the effects of a step, in order, before
/// the next one. A step is atomic, bounded, and depends on nothing but its arguments.
pub trait Core: Sized {
    /// All that a step may read or change. Small; ordered collections only.
    type State: Clone + Eq + Hash + Debug + Symbolic;
    /// Another node, as this node addresses it.
    type Peer: Copy + Ord + Hash + Debug;
    /// A message between nodes.
    type Message: Clone + Ord + Hash + Debug + Symbolic;
    /// A timer's name. The host chooses its duration; the checker tries every order of expiry.
    type Timer: Copy + Ord + Hash + Debug + Symbolic;
    /// A command of the local user.
    type Command: Clone + Ord + Hash + Debug + Symbolic;
    /// A notification to the local user.
    type Notice: Clone + Ord + Hash + Debug + Symbolic;
    /// Data that survives a crash, or a change of it: see [`Core::merge_saved`].
    type Saved: Clone + Eq + Hash + Debug + Symbolic;

    /// The initial state: that of a node that has never run.
    fn start(&self) -> Self::State;

    /// Takes one input, changes the state, and appends the effects to `out`.
    fn step(&self, state: &mut Self::State, input: InputOf<Self>, out: &mut OutOf<Self>);

    /// Merges a new save into the saved data. A restart gets the result of all saves since the node
    /// first ran. By default the new save replaces the old one.
    fn merge_saved(saved: &mut Option<Self::Saved>, new: Self::Saved) {
        *saved = Some(new);
    }
}

/// An input of a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Input<P, M, T, C, S> {
    /// A message arrives.
    Message {
        /// Its sender.
        from: P,
        /// The message.
        message: M,
    },
    /// An armed timer fires, and is no longer armed.
    Fired(T),
    /// The local user issues a command.
    Command(C),
    /// The node starts with its saved data, or `None` if it never saved: a host gives it at every
    /// start, the first included, before any other input. No timer is armed.
    #[cfg_attr(
        feature = "serde",
        serde(
            with = "crate::restart",
            bound(serialize = "S: serde::Serialize", deserialize = "S: serde::Deserialize<'de>")
        )
    )]
    Restart(Option<S>),
}

/// An effect that a node's host carries out.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Effect<P, M, T, N, S> {
    /// Send a message.
    Send {
        /// Its receiver.
        to: P,
        /// The message.
        message: M,
    },
    /// Arm a timer; restart it if it is armed.
    Arm(T),
    /// Disarm a timer, if it is armed.
    Disarm(T),
    /// Make data durable before any later effect of the same step is carried out.
    Save(S),
    /// Notify the local user.
    Notify(N),
}

impl<P, M, T, N, S> Effect<P, M, T, N, S> {
    /// The same effect in the types of a core that contains this one.
    pub fn map<M2, T2, N2>(
        self,
        message: impl FnOnce(M) -> M2,
        timer: impl FnOnce(T) -> T2,
        notice: impl FnOnce(N) -> N2,
    ) -> Effect<P, M2, T2, N2, S> {
        match self {
            Self::Send { to, message: inner } => Effect::Send { to, message: message(inner) },
            Self::Arm(inner) => Effect::Arm(timer(inner)),
            Self::Disarm(inner) => Effect::Disarm(timer(inner)),
            Self::Save(saved) => Effect::Save(saved),
            Self::Notify(inner) => Effect::Notify(notice(inner)),
        }
    }

    /// The same effect of a core that saves other data; `None`: it is a save.
    pub fn unless_saved<S2>(self) -> Option<Effect<P, M, T, N, S2>> {
        Some(match self {
            Self::Send { to, message } => Effect::Send { to, message },
            Self::Arm(timer) => Effect::Arm(timer),
            Self::Disarm(timer) => Effect::Disarm(timer),
            Self::Save(_) => return None,
            Self::Notify(notice) => Effect::Notify(notice),
        })
    }
}

/// The output of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out<E> {
    /// The effects, in the order in which the host carries them out.
    pub effects: Vec<E>,
    /// The outcome of each event at each machine that the step reached, in order.
    pub rows: Vec<RowOutcome>,
}

impl<E> Default for Out<E> {
    fn default() -> Self {
        Self { effects: Vec::new(), rows: Vec::new() }
    }
}

impl<E> Out<E> {
    /// Steps a core that this one contains: its rows become rows of this one. Returns its effects.
    pub fn of_part<P>(&mut self, step: impl FnOnce(&mut Out<P>)) -> Vec<P> {
        let mut part = Out { effects: Vec::new(), rows: take(&mut self.rows) };
        step(&mut part);
        self.rows = part.rows;
        part.effects
    }
}

/// The input type of a core.
pub type InputOf<C> = Input<
    <C as Core>::Peer,
    <C as Core>::Message,
    <C as Core>::Timer,
    <C as Core>::Command,
    <C as Core>::Saved,
>;

/// The effect type of a core.
pub type EffectOf<C> = Effect<
    <C as Core>::Peer,
    <C as Core>::Message,
    <C as Core>::Timer,
    <C as Core>::Notice,
    <C as Core>::Saved,
>;

/// The out type of a core.
pub type OutOf<C> = Out<EffectOf<C>>;

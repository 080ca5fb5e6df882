//! The one entry point of every core: an [`Input`] goes in, [`Effect`]s come out, the state moves.
//!
//! Neither the driver nor the checker looks inside a core; if either needs an `if` about the
//! protocol, the table lacks a row.

use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;

use crate::outcome::RowOutcome;
use crate::symbolic::Symbolic;

/// A sans-IO protocol: rules and parameters. What changes is its [`Core::State`].
///
/// Calling contract: call [`Core::start`] once for a state, then [`Core::step`] for each input, in
/// the order in which the inputs happened, and carry out the effects of a step, in order, before
/// the next one. A step is atomic, bounded, and depends on nothing but its arguments.
pub trait Core: Sized {
    /// All that a step may read or change. Small; ordered collections only.
    type State: Clone + Eq + Hash + Debug + Symbolic;
    /// Another node, as this node addresses it.
    type Peer: Copy + Ord + Hash + Debug;
    /// What nodes send each other.
    type Message: Clone + Ord + Hash + Debug + Symbolic;
    /// A timer's name. Its duration is the driver's, its order with others the checker's.
    type Timer: Copy + Ord + Hash + Debug + Symbolic;
    /// What the local user may ask.
    type Command: Clone + Ord + Hash + Debug + Symbolic;
    /// What the local user is told.
    type Notice: Clone + Ord + Hash + Debug + Symbolic;
    /// What survives a crash, or a change of it: see [`Core::keep`].
    type Saved: Clone + Eq + Hash + Debug + Symbolic;

    /// The state of a node that has never run.
    fn start(&self) -> Self::State;

    /// Takes one input and writes the effects.
    fn step(&self, state: &mut Self::State, input: InputOf<Self>, out: &mut OutOf<Self>);

    /// Puts a newly saved part to what was saved before. A restart gets the sum of all that was
    /// saved since the node first ran. Unless a core says otherwise, the last one is all there is.
    fn keep(saved: &mut Option<Self::Saved>, new: Self::Saved) {
        *saved = Some(new);
    }
}

/// What happens to a node.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Input<P, M, T, C, S> {
    /// A message arrives.
    Message {
        /// Who sent it.
        from: P,
        /// What it says.
        message: M,
    },
    /// An armed timer fires; it is armed no longer.
    Fired(T),
    /// The local user asks.
    Command(C),
    /// The node starts again with what it last saved; every timer is gone.
    #[cfg_attr(
        feature = "serde",
        serde(
            with = "crate::restart",
            bound(serialize = "S: serde::Serialize", deserialize = "S: serde::Deserialize<'de>")
        )
    )]
    Restart(Option<S>),
}

/// What a node wants done.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Effect<P, M, T, N, S> {
    /// Send a message.
    Send {
        /// To whom.
        to: P,
        /// What.
        message: M,
    },
    /// Start a timer, or start it anew.
    Arm(T),
    /// Stop a timer, if it is armed.
    Disarm(T),
    /// Make this survive a crash, before any later effect of the same step is carried out.
    Save(S),
    /// Tell the local user.
    Notify(N),
}

impl<P, M, T, N, S> Effect<P, M, T, N, S> {
    /// The same effect in the words of a core that this one is a part of.
    pub fn map<M2, T2, N2>(
        self,
        message: impl FnOnce(M) -> M2,
        timer: impl FnOnce(T) -> T2,
        notice: impl FnOnce(N) -> N2,
    ) -> Effect<P, M2, T2, N2, S> {
        match self {
            Self::Send { to, message: said } => Effect::Send { to, message: message(said) },
            Self::Arm(armed) => Effect::Arm(timer(armed)),
            Self::Disarm(disarmed) => Effect::Disarm(timer(disarmed)),
            Self::Save(saved) => Effect::Save(saved),
            Self::Notify(told) => Effect::Notify(notice(told)),
        }
    }
}

/// Where a step writes its effects, and the rows it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out<E> {
    /// In the order in which they are to be carried out.
    pub effects: Vec<E>,
    /// The rows that the step took, of each machine it moved.
    pub rows: Vec<RowOutcome>,
}

impl<E> Default for Out<E> {
    fn default() -> Self {
        Self { effects: Vec::new(), rows: Vec::new() }
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

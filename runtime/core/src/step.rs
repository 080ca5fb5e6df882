//! The one entry point of every core: an [`Input`] goes in, [`Effect`]s come out, the state moves.
//!
//! Neither the driver nor the checker looks inside a core; if either needs an `if` about the
//! protocol, the table lacks a row.

use alloc::vec::Vec;
use core::fmt::Debug;
use core::hash::Hash;

use turnstile_machine::{Event, Machine, Name, Rules, Step};

use crate::number::Numbers;

/// A sans-IO protocol: rules and parameters. What changes is its [`Core::State`].
///
/// Calling contract: call [`Core::start`] once for a state, then [`Core::step`] for each input, in
/// the order in which the inputs happened, and carry out the effects of a step, in order, before
/// the next one. A step is atomic, bounded, and depends on nothing but its arguments.
pub trait Core: Sized {
    /// All that a step may read or change. Small; ordered collections only.
    type State: Clone + Eq + Hash + Debug + Numbers;
    /// Another node, as this node addresses it.
    type Peer: Copy + Ord + Hash + Debug;
    /// What nodes send each other.
    type Message: Clone + Ord + Hash + Debug + Numbers;
    /// A timer's name. Its duration is the driver's, its order with others the checker's.
    type Timer: Copy + Ord + Hash + Debug + Numbers;
    /// What the local user may ask.
    type Command: Clone + Ord + Hash + Debug + Numbers;
    /// What the local user is told.
    type Notice: Clone + Ord + Hash + Debug + Numbers;
    /// What survives a crash, or a change of it: see [`Core::keep`].
    type Saved: Clone + Eq + Hash + Debug + Numbers;

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
    Restart(Option<S>),
}

/// What a node wants done.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// Where a step writes its effects, and the rows it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Out<E> {
    /// In the order in which they are to be carried out.
    pub effects: Vec<E>,
    /// The rows that the step took, of each machine it moved.
    pub rows: Vec<Taken>,
}

impl<E> Default for Out<E> {
    fn default() -> Self {
        Self { effects: Vec::new(), rows: Vec::new() }
    }
}

/// What a table said during a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Taken {
    /// A row, by machine and the row's stable id.
    Row {
        /// `claim`.
        machine: &'static str,
        /// `50`.
        row: &'static str,
    },
    /// The cell is ignored by the table.
    Ignored {
        /// `claim`.
        machine: &'static str,
        /// The state's spelling.
        state: &'static str,
        /// The event's spelling.
        event: &'static str,
    },
    /// No row, or a cell that is said to be impossible: the core stays as it is.
    Unexpected {
        /// `claim`.
        machine: &'static str,
        /// The state's spelling.
        state: &'static str,
        /// The event's spelling.
        event: &'static str,
        /// The payload's number.
        number: u16,
    },
    /// An action that could not be carried out; the rest of the row was.
    Undone {
        /// `claim`.
        machine: &'static str,
        /// The action's or the resource's spelling.
        action: &'static str,
        /// What it lacked.
        because: &'static str,
    },
}

/// What a table says of an event, and what there is to note of it in [`Out::rows`]. Every machine
/// of a core steps here. `None`: there is no row, and the machine stays as it is.
pub fn take<'r, M: Machine, R: Rules<M>>(
    rules: &'r R,
    at: M::State,
    event: M::Event,
    guards: &impl Fn(M::Guard) -> bool,
) -> (Taken, Option<Step<'r, M>>) {
    let (machine, state, kind) = (M::TABLE.machine, at.name(), event.kind().name());
    match rules.step(at, event, guards) {
        Ok(step) => {
            let ignored = Taken::Ignored { machine, state, event: kind };
            let row = |row| Taken::Row { machine, row: rules.row_name(row) };
            (step.row.map_or(ignored, row), Some(step))
        }
        Err(_) => (Taken::Unexpected { machine, state, event: kind, number: event.number() }, None),
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

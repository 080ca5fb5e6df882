//! The types of the byte-range lock system: those of its cores, put behind one set for the World.

use turnstile_core::ranges::message::{FileId, Message};
use turnstile_core::ranges::{manager, server};
use turnstile_step::{IdClass, Symbolic, not_symbolic};
use turnstile_world::system::Types;

use super::past::Past;

/// The types of the byte-range lock system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RangeTypes;

/// A cache manager.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Manager {
    /// Its state.
    pub core: manager::State,
    /// What it did about one file had to do with another.
    pub is_mixed: bool,
    /// A client was not told what became of its locks or of its wish.
    pub is_untold: bool,
    /// A client that had lost nothing was refused a lock.
    pub is_turned_away: bool,
    /// A lock came to wait for a server lock that nobody asked for.
    pub is_unasked: bool,
    /// A client was allowed to read or write what it may not, or refused what it may.
    pub is_misjudged: bool,
}

impl Manager {
    pub(super) const fn new(core: manager::State) -> Self {
        Self {
            core,
            is_mixed: false,
            is_untold: false,
            is_turned_away: false,
            is_unasked: false,
            is_misjudged: false,
        }
    }
}

/// A message of the two.
pub type Letter = Message;

/// A node's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// The cache manager.
    Manager(Manager),
    /// The file server.
    Server(server::State),
}

/// A node's timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// Of the cache manager.
    Manager(manager::Timer),
    /// Of the file server.
    Server(server::Lapse),
}

/// What a node's user may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Command {
    /// A client of the cache manager.
    Manager(manager::Command),
    /// Another host.
    Server(server::Command),
}

/// What clients of the cache manager are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Notice(pub manager::Notice);

/// The file whose lock lapses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mark(pub FileId);

not_symbolic!(Mark);

impl Types for RangeTypes {
    type State = State;
    type Message = Letter;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();
    type Monitor = Past;
    type Mark = Mark;
}

impl Symbolic for State {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        match self {
            Self::Manager(state) => state.core.visit_ids(each),
            Self::Server(state) => state.visit_ids(each),
        }
    }
}

impl Symbolic for Timer {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        match self {
            Self::Manager(timer) => timer.visit_ids(each),
            Self::Server(timer) => timer.visit_ids(each),
        }
    }
}

impl Symbolic for Notice {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        self.0.visit_ids(each);
    }
}

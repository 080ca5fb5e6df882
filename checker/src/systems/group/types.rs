//! The types of the group lock: those of its members, and of what delivers their views.

use std::collections::BTreeMap;

use turnstile_core::group::message::{LockName, Message};
use turnstile_core::group::{Command as Told, Notice, State as Core, Timer};
use turnstile_core::view::View;
use turnstile_core::{Class, Numbers, without_numbers};

use super::membership::{Change, Membership};
use crate::world::system::Types;

/// The types of the group lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupTypes;

/// A node's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// A member that runs.
    Member(Box<Seat>),
    /// A member that has crashed or left.
    Gone,
    /// What delivers views.
    Membership(Membership),
}

/// A member and its callers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Seat {
    /// The core's state.
    pub core: Core,
    /// Its caller for each lock that is not free to call.
    pub callers: BTreeMap<LockName, Caller>,
    /// A lock() returned that had returned before.
    pub returned_twice: bool,
    /// A caller that held a lock was told that it is another's.
    pub lost_a_lock: bool,
}

/// Whoever calls lock() and unlock() at a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Caller {
    /// It waits for lock() to return.
    Waits,
    /// It was told that it holds the lock, and has neither given it back nor been told otherwise.
    Holds,
}

/// What a member hears.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Letter {
    /// From another member.
    Member(Message),
    /// From beneath.
    View(View),
    /// It ends.
    Stop,
}

/// What a node is asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Command {
    /// A member, by its callers.
    Member(Told),
    /// A member, by a caller that gives back what it does not hold.
    Needless(LockName),
    /// The membership changes.
    Membership(Change),
}

without_numbers!(Caller);

impl Types for GroupTypes {
    type State = State;
    type Message = Letter;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();
    type Watch = ();
    type Mark = ();
}

impl Numbers for State {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        match self {
            Self::Member(seat) => seat.core.visit(each),
            Self::Gone => {}
            Self::Membership(membership) => membership.visit(each),
        }
    }
}

impl Numbers for Letter {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        match self {
            Self::Member(message) => message.visit(each),
            Self::View(view) => view.visit(each),
            Self::Stop => {}
        }
    }
}

//! The types of the group lock: those of its members, and of what delivers their views: anything
//! that a view handling may come to, or the members' own handlers and the network beneath them.

use std::collections::BTreeMap;

use turnstile_core::group::message::{LockName, Message};
use turnstile_core::group::{self, Command as Told, State as Core};
use turnstile_core::stack::{self, Notice};
use turnstile_core::view::{self, MemberId, View};
use turnstile_step::Symbolic;
use turnstile_system_view_handler::types as handled;
use turnstile_world::system::Types;

use super::membership::{Change, Membership};
use super::stacked::Beneath;

/// The types of the group lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GroupTypes;

/// A node's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub enum State {
    /// A member that runs.
    Member(Box<Seat>),
    /// A member that has crashed or left.
    Gone,
    /// What delivers views.
    Membership(Membership),
    /// What is beneath members that handle their views themselves.
    Beneath(Beneath),
}

/// A member and its callers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Seat {
    /// What it runs.
    pub runs: Runs,
    /// Its caller for each lock that is not free to call.
    #[symbolic(skip)]
    pub callers: BTreeMap<LockName, Caller>,
    /// A lock() returned that had returned before.
    pub returned_twice: bool,
    /// A caller that held a lock was told that it is another's.
    pub lost_a_lock: bool,
    /// It said that a caller was told so, and had not told it.
    pub confirmed_untold: bool,
    /// As a coordinator it answered requests in another order than they came, or not each once.
    pub passed_over: bool,
}

/// The state of a member's core.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
#[expect(clippy::large_enum_variant, reason = "a seat is in a box as it is")]
pub enum Runs {
    /// Its locks; views are delivered to it.
    Locks(Core),
    /// Its locks on top of its view handling.
    Stack(stack::State),
}

impl Seat {
    /// A member without callers.
    pub(super) fn of(runs: Runs) -> Self {
        Self {
            runs,
            callers: BTreeMap::new(),
            returned_twice: false,
            lost_a_lock: false,
            confirmed_untold: false,
            passed_over: false,
        }
    }

    /// Its locks.
    #[must_use]
    pub fn core(&self) -> &Core {
        match &self.runs {
            Runs::Locks(locks) => locks,
            Runs::Stack(stack) => &stack.locks,
        }
    }

    /// Its view handling, if that is its own.
    #[must_use]
    pub fn handler(&self) -> Option<&view::State> {
        match &self.runs {
            Runs::Locks(_) => None,
            Runs::Stack(stack) => Some(&stack.views),
        }
    }
}

/// Whoever calls lock() and unlock() at a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Caller {
    /// It waits for lock() to return.
    Waits,
    /// It was told that it holds the lock, and has neither given it back nor been told otherwise.
    Holds,
    /// The same, and another one waits for lock() to return.
    HoldsAndWaits,
}

/// What a member hears.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Letter {
    /// From another member, about locks.
    Member(Message),
    /// From another member, about views; or from beneath, about who cannot be talked to.
    Handler(view::Message),
    /// From beneath, again and again: who has crashed.
    Crashed(MemberId),
    /// What is beneath notices that a process has ended.
    Ended(MemberId),
    /// From beneath.
    View(View),
    /// It ends.
    Stop,
}

/// A node's timers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Timer {
    /// Of a member's locks.
    Locks(group::Timer),
    /// Of a member's view handling, or of the network.
    Handler(handled::Timer),
}

/// What a node is asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub enum Command {
    /// A member, by its callers.
    Member(Told),
    /// A member, by a caller that gives back what it does not hold.
    Needless(LockName),
    /// A member, by a caller that asks for what its member holds.
    Again(LockName),
    /// A member stops; nobody has noticed.
    Crash,
    /// It is noticed, again and again, that a member has crashed.
    Noticed(MemberId),
    /// The membership changes.
    Membership(Change),
    /// A member's view handling, or the network.
    Handler(handled::Command),
}

impl Types for GroupTypes {
    type State = State;
    type Message = Letter;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();
    type Monitor = ();
    type Mark = ();
}

//! A stack: a member's locks on top of its view handling, with the views delivered from one to the
//! other.
//!
//! ```text
//!     lock(), unlock()  │   ▲  locked, rejected, timed out, lost
//!                 ┌─────▼───┴─────┐
//!                 │ group::Member │  LOCK, UNLOCK, LOCK-INFO-REQ, …
//!                 └───────▲───────┘
//!   each view, as it is installed
//!                 ┌───────┴───────┐
//!                 │ view::Handler │  JOIN, LEAVE, SUSPECT, MERGE-REQ, …
//!                 └───────▲───────┘
//!   joins, leaves, suspicions, other coordinators
//! ```
//!
//! Neither part depends on the other. The tables of the two decide about views and locks.
//!
//! ```
//! use turnstile_group_lock_core::{self as group, message::LockName};
//! use turnstile_view_handler_core::number::ViewId;
//! use turnstile_group_lock_core::stack::{Command, Notice, Stack};
//! use turnstile_view_handler_core::MemberId;
//! use turnstile_step::{Core, Effect, Input, Out};
//!
//! let (me, lock) = (MemberId(1), LockName(5));
//! let member = Stack::new(me);
//! let mut state = member.start();
//! let mut out = Out::default();
//!
//! // It has known view 7 in a former life. The first member of a group begins one; others join.
//! member.step(&mut state, Input::Restart(Some(ViewId::new(7))), &mut out);
//! member.step(&mut state, Input::Command(Command::Begin), &mut out);
//! assert_eq!(out.effects[0], Effect::Save(ViewId::new(8)));
//!
//! member.step(&mut state, Input::Command(Command::Lock(lock)), &mut out);
//! let held = |effect: &_| match effect {
//!     Effect::Notify(Notice::Locks(group::Notice::Locked(_, token))) => *token,
//!     _ => None,
//! };
//! assert_eq!(out.effects.last().and_then(held).expect("it is held").to_string(), "8.1.1");
//! ```

mod display;
mod message;
pub mod scenario;

use alloc::vec::Vec;

use turnstile_group_lock_machines::group_lock_client as client;
use turnstile_group_lock_machines::group_lock_coordinator as coordinator;
use turnstile_machine::Rules;
use turnstile_step::{Core, Effect, Input, InputOf, OutOf};
use turnstile_view_handler_machines::view_handler;

use crate::{self as group, Member};
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{self as view, Handler, MemberId, View};

pub use message::{Command, Message, Notice, State, Timer};

/// The core of a member with its views and its locks.
///
/// An installed view is delivered to the locks in the same step; a lock() at a member of no group
/// waits for one. A member that has left, and has installed a view without it, has no locks any
/// more: its callers see it from the notice of that view. It joins again as another member.
///
/// What it saves is the greatest number of a view that it knows, before anybody sees an effect of
/// that: fencing tokens grow with the views, and so they do when all members have restarted. A
/// restarted member is another one, too: messages to the former one are not for it.
///
/// It needs reliable FIFO links between members while both stay in the group, as [`Member`] does,
/// and tolerates the same inputs as [`Member`] and [`Handler`] do.
#[derive(Clone, Debug)]
pub struct Stack<
    V: Rules<view_handler::Machine> = view_handler::Machine,
    C: Rules<client::Machine> = client::Machine,
    K: Rules<coordinator::Machine> = coordinator::Machine,
> {
    /// The view handling below.
    pub views: Handler<V>,
    /// The locks above.
    pub locks: Member<C, K>,
}

impl Stack {
    /// A member by the compiled tables.
    #[must_use]
    pub const fn new(me: MemberId) -> Self {
        Self { views: Handler::new(me), locks: Member::new(me) }
    }
}

impl<V, C, K> Stack<V, C, K>
where
    V: Rules<view_handler::Machine>,
    C: Rules<client::Machine>,
    K: Rules<coordinator::Machine>,
{
    /// The state of a member with a view. The effects are those of a step.
    #[must_use]
    pub fn begin(&self, view: View, out: &mut OutOf<Self>) -> State {
        let mut state = self.start();
        self.begin_with(&mut state, view, out);
        state
    }

    fn begin_with(&self, state: &mut State, view: View, out: &mut OutOf<Self>) {
        state.views = view::State::new(self.views.me, state.views.at, Some(view.clone()));
        out.effects.push(Effect::Save(view.id));
        out.effects.push(Effect::Notify(Notice::Views(view::Notice::Installed(view.clone()))));
        self.deliver(&mut state.locks, view, out);
    }

    /// Begins a group of its own.
    fn begin_alone(&self, state: &mut State, out: &mut OutOf<Self>) {
        if state.views.view.is_none() && state.views.intent == view::Intent::Nothing {
            let id = ViewId::after([state.views.last_view]);
            self.begin_with(state, View::new(id, [self.views.me]), out);
        }
    }

    /// Passes an input to the view handling; a number that grows is saved first.
    fn step_views(&self, state: &mut State, input: InputOf<Handler<V>>, out: &mut OutOf<Self>) {
        let before = state.views.last_view;
        let below = out.of_part(|below| self.views.step(&mut state.views, input, below));
        let after = state.views.last_view;
        out.effects.extend((before < after).then_some(Effect::Save(after)));
        for effect in below {
            let installed = match &effect {
                Effect::Notify(view::Notice::Installed(view)) => Some(view.clone()),
                Effect::Notify(_)
                | Effect::Send { .. }
                | Effect::Arm(_)
                | Effect::Disarm(_)
                | Effect::Save(()) => None,
            };
            let effect = effect.map(Message::Views, Timer::Views, Notice::Views);
            out.effects.extend(effect.unless_saved());
            if let Some(view) = installed {
                self.deliver(&mut state.locks, view, out);
            }
        }
    }

    fn step_locks(
        &self,
        locks: &mut group::State,
        input: InputOf<Member<C, K>>,
        out: &mut OutOf<Self>,
    ) {
        let above = out.of_part(|above| self.locks.step(locks, input, above));
        out.effects.extend(above.into_iter().filter_map(|effect| {
            effect.map(Message::Locks, Timer::Locks, Notice::Locks).unless_saved()
        }));
    }

    /// Delivers a view to the locks; a view without this member clears them.
    fn deliver(&self, locks: &mut group::State, view: View, out: &mut OutOf<Self>) {
        if view.contains(self.locks.me) {
            return self.step_locks(locks, Input::Command(group::Command::View(view)), out);
        }
        let waiting = locks.locks().map(|(lock, _)| group::Timer::Lock(lock));
        let timers: Vec<_> = waiting.chain([group::Timer::Reconciliation]).collect();
        let disarmed = timers.into_iter().map(|timer| Effect::Disarm(Timer::Locks(timer)));
        out.effects.extend(disarmed);
        self.step_locks(locks, Input::Restart(None), out);
    }
}

impl<V, C, K> Core for Stack<V, C, K>
where
    V: Rules<view_handler::Machine>,
    C: Rules<client::Machine>,
    K: Rules<coordinator::Machine>,
{
    type State = State;
    type Peer = MemberId;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ViewId;

    fn start(&self) -> State {
        State { views: self.views.start(), locks: self.locks.start() }
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        match input {
            Input::Message { from, message: Message::Views(message) } => {
                self.step_views(state, Input::Message { from, message }, out);
            }
            Input::Message { from, message: Message::Locks(message) } => {
                self.step_locks(&mut state.locks, Input::Message { from, message }, out);
            }
            Input::Fired(Timer::Views(timer)) => self.step_views(state, Input::Fired(timer), out),
            Input::Fired(Timer::Locks(timer)) => {
                self.step_locks(&mut state.locks, Input::Fired(timer), out);
            }
            Input::Command(Command::Views(command)) => {
                self.step_views(state, Input::Command(command), out);
            }
            Input::Command(Command::Lock(lock)) => {
                let command = group::Command::Lock(lock);
                self.step_locks(&mut state.locks, Input::Command(command), out);
            }
            Input::Command(Command::Unlock(lock)) => {
                let command = group::Command::Unlock(lock);
                self.step_locks(&mut state.locks, Input::Command(command), out);
            }
            Input::Command(Command::Begin) => self.begin_alone(state, out),
            Input::Restart(saved) => {
                *state = self.start();
                state.views.last_view = saved.unwrap_or_default();
            }
        }
    }
}

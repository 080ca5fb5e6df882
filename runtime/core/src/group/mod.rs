//! Locks that the coordinator of a group keeps: every member is a client, one of them coordinates.
//!
//! [`Member`] runs two machines: `group-lock-client`, one instance for each lock that the member
//! uses ([`client`]), and `group-lock-coordinator` ([`coordinator`]). Views come from outside, as
//! commands; nothing in here decides who is alive.
//!
//! ```
//! use turnstile_core::group::message::LockName;
//! use turnstile_core::group::{Command, Member, Notice};
//! use turnstile_core::number::ViewId;
//! use turnstile_core::view::{MemberId, View};
//! use turnstile_step::{Core, Effect, Input, Out};
//!
//! let (me, lock) = (MemberId(1), LockName(5));
//! let member = Member::new(me);
//! let mut state = member.start();
//! let mut step = |command| {
//!     let mut out = Out::default();
//!     member.step(&mut state, Input::Command(command), &mut out);
//!     out.effects
//! };
//!
//! // Alone in its view it coordinates, and asks nobody what they hold.
//! step(Command::View(View::new(ViewId::new(1), [me])));
//! let effects = step(Command::Lock(lock));
//! assert!(effects.contains(&Effect::Notify(Notice::Locked(lock))));
//!
//! // In a view of two another one coordinates; it will ask what is held here.
//! let effects = step(Command::View(View::new(ViewId::new(2), [MemberId(2), me])));
//! assert_eq!(effects, []);
//! ```

mod client;
mod coordinator;
mod formula;
pub mod message;
mod reconcile;
mod state;
mod turn;

use turnstile_machine::Rules;
use turnstile_machines::group_lock_client as client_machine;
use turnstile_machines::group_lock_coordinator as coordinator_machine;
use turnstile_step::{Core, Input, InputOf, OutOf};

use self::message::Message;
use self::turn::Turn;
use crate::view::MemberId;

pub use state::{Command, Lock, Notice, Server, State, Timer};

/// The core of a member.
///
/// It needs links that neither lose nor reorder what one member sends to another while both stay
/// in the group. What a member sends to itself it hears within the same step. [`Command::View`]
/// brings views that have this member, each with a greater number than the one before; of two with
/// one number, from groups that do not know of each other, it brings one at most. After a restart
/// it is a new member, with another [`MemberId`].
///
/// No input makes it panic. What comes from who is not in its view, or from a coordinator that is
/// not its own, changes nothing; neither does an answer that comes twice, nor a timer that fires
/// though it is not armed. What a step could not do for its caller stands in [`Out::rows`].
///
/// [`Out::rows`]: turnstile_step::Out::rows
#[derive(Clone, Debug)]
pub struct Member<
    C: Rules<client_machine::Machine> = client_machine::Machine,
    K: Rules<coordinator_machine::Machine> = coordinator_machine::Machine,
> {
    /// This member, as others address it.
    pub me: MemberId,
    /// The table of its locks.
    pub client: C,
    /// The table of the coordinator.
    pub coordinator: K,
}

impl Member {
    /// A member by the tables that are baked in.
    #[must_use]
    pub const fn new(me: MemberId) -> Self {
        let (client, coordinator) = (client_machine::Machine, coordinator_machine::Machine);
        Self { me, client, coordinator }
    }
}

impl<C: Rules<client_machine::Machine>, K: Rules<coordinator_machine::Machine>> Core
    for Member<C, K>
{
    type State = State;
    type Peer = MemberId;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        State::at(self.coordinator.initial())
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let mut turn = Turn::new(self, state, out);
        match input {
            Input::Message { from, message } => turn.hear(from, message),
            Input::Fired(Timer::Lock(lock)) => turn.give_up(lock),
            Input::Fired(Timer::Reconciliation) => turn.stop_waiting(),
            Input::Command(Command::Lock(lock)) => turn.lock(lock),
            Input::Command(Command::Unlock(lock)) => turn.unlock(lock),
            Input::Command(Command::View(view)) => turn.view(view),
            Input::Restart(_) => *turn.state = self.start(),
        }
        turn.finish();
    }
}

//! Locks kept by the coordinator of a group: every member is a client, one member coordinates.
//!
//! [`Member`] runs two machines: `group-lock-client`, one instance for each lock that the member
//! uses ([`client`]), and `group-lock-coordinator` ([`coordinator`]). Views come from outside, as
//! commands; failure detection is not part of this core.
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
//! // Alone in its view it coordinates, and has no other member to query.
//! step(Command::View(View::new(ViewId::new(1), [me])));
//! let effects = step(Command::Lock(lock));
//! let Some(Effect::Notify(Notice::Locked(_, Some(token)))) = effects.last() else {
//!     panic!("it is held by a token")
//! };
//! assert_eq!(token.to_string(), "1.1.1");
//!
//! // In a view of two another member coordinates, which will query the locks of this one.
//! let effects = step(Command::View(View::new(ViewId::new(2), [MemberId(2), me])));
//! assert_eq!(effects, []);
//! ```

mod client;
mod context;
mod coordinator;
mod facts;
pub mod message;
mod reconcile;
mod state;

use turnstile_machine::Rules;
use turnstile_machines::group_lock_client as client_machine;
use turnstile_machines::group_lock_coordinator as coordinator_machine;
use turnstile_step::{Core, Input, InputOf, OutOf};

use self::context::StepContext;
use self::message::Message;
use crate::view::MemberId;

pub use state::{Command, CoordinatorState, LockState, Notice, State, Timer};

/// The core of a member.
///
/// It needs reliable FIFO links between members while both stay in the group. A message to itself
/// is delivered within the same step. [`Command::View`] delivers views that contain this member,
/// each with a greater number than the one before; of two views with one number, from groups that
/// do not know each other, at most one. A restarted member is a new one, with another [`MemberId`].
///
/// No input makes it panic. A message from outside its view or from another coordinator changes
/// nothing; neither does a repeated response, nor a timer that is not armed. Failed actions and
/// unhandled events are in [`Out::rows`].
///
/// [`Out::rows`]: turnstile_step::Out::rows
#[derive(Clone, Debug)]
pub struct Member<
    C: Rules<client_machine::Machine> = client_machine::Machine,
    K: Rules<coordinator_machine::Machine> = coordinator_machine::Machine,
> {
    /// The address of this member.
    pub me: MemberId,
    /// The table of each lock at the client.
    pub client: C,
    /// The table of the coordinator.
    pub coordinator: K,
}

impl Member {
    /// A member by the compiled tables.
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
        let mut context = StepContext::new(self, state, out);
        match input {
            Input::Message { from, message } => context.on_message(from, message),
            Input::Fired(Timer::Lock(lock)) => context.give_up(lock),
            Input::Fired(Timer::Reconciliation) => context.stop_waiting(),
            Input::Command(Command::Lock(lock)) => context.lock(lock),
            Input::Command(Command::Unlock(lock)) => context.unlock(lock),
            Input::Command(Command::View(view)) => context.view(view),
            Input::Restart(_) => *context.state = self.start(),
        }
        context.finish();
    }
}

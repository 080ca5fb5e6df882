//! Locks kept by a replicated log: every member applies the same commands at its own pace.
//!
//! [`Service::apply`] is the replicated part, pure: the machine `lock-status`, one instance for
//! each lock and member. [`Member`] runs it behind a log that Raft agrees on, with two machines of
//! its own: `lock-member`, which resigns and resets, and `lock-mutex`, one for each lock that its
//! threads use. Elections, failure detection and the order of commands are not part of this core.
//!
//! ```
//! use turnstile_core::number::Token;
//! use turnstile_core::replicated::Member;
//! use turnstile_core::replicated::message::{
//!     ElectionReason, Cluster, Command, Connectivity, Message, Notice, MutexEvent,
//! };
//! use turnstile_core::replicated::types::{Address, LockName};
//! use turnstile_step::{Core, Effect, Input, Out};
//!
//! let (me, lock) = (Address(1), LockName(5));
//! let member = Member::new(me);
//! let mut state = member.start();
//! let mut step = |input| {
//!     let mut out = Out::default();
//!     member.step(&mut state, input, &mut out);
//!     out.effects
//! };
//! let from_cluster = |message| Input::Message { from: Cluster, message };
//!
//! // A cluster of one starts: its leader resets the locks.
//! step(from_cluster(Message::View { is: Connectivity::Joined, members: vec![me] }));
//! let reset = step(from_cluster(Message::Elected(ElectionReason::MajorityIsJustReached)));
//! // lock() appends LOCK to the log, and returns when it is applied.
//! let lock_it = step(Input::Command(Command::Lock(lock)));
//!
//! let mut index = 0;
//! for effect in reset.into_iter().chain(lock_it) {
//!     // The log of one member: an executed entry is committed and applied with its index.
//!     let Effect::Send { message: Message::Execute(entry), .. } = effect else { continue };
//!     index += 1;
//!     let effects = step(from_cluster(Message::Apply { index: Token::new(index), entry }));
//!     let returns = Effect::Notify(Notice::Mutex { lock, event: MutexEvent::Returns });
//!     assert_eq!(effects.contains(&returns), index == 2);
//! }
//! ```

mod addresses;
mod context;
mod display;
mod locks;
mod member;
pub mod message;
mod mutex;
mod state;
pub mod types;

use turnstile_machine::Rules;
use turnstile_machines::{lock_member, lock_mutex, lock_status};
use turnstile_step::{Core, Input, InputOf, OutOf};

use self::context::StepContext;
use self::message::{Cluster, Command, Message, Notice};
use self::types::{Address, Timer};

pub use locks::{Lock, Locks, Service, StatusChange};
pub use state::{Lag, Mutex, State};

/// The core of a member.
///
/// It needs a log that delivers the same commands in the same order to each member, each once, or a
/// [`Message::Snapshot`] of some of them; and views and elections in the order in which they
/// happened. The commands of one member enter the log in the order in which it executed them. A
/// restarted member is a new one, with another [`Address`].
///
/// No input makes it panic. A repeated result, or one of an abandoned command, changes nothing;
/// neither does a timer that is not armed. The host chooses the timeout of a command
/// ([`Timer::Timeout`]) and the delay before an UNLOCK without a waiting thread is retried
/// ([`Timer::Retry`]).
#[derive(Clone, Debug)]
pub struct Member<
    S: Rules<lock_status::Machine> = lock_status::Machine,
    M: Rules<lock_member::Machine> = lock_member::Machine,
    X: Rules<lock_mutex::Machine> = lock_mutex::Machine,
> {
    /// The address of this member.
    pub me: Address,
    /// The replicated part.
    pub service: Service<S>,
    /// The table of the member.
    pub member: M,
    /// The table of its mutexes.
    pub mutex: X,
}

impl Member {
    /// A member by the compiled tables.
    #[must_use]
    pub const fn new(me: Address) -> Self {
        let service = Service { rules: lock_status::Machine };
        Self { me, service, member: lock_member::Machine, mutex: lock_mutex::Machine }
    }
}

impl<S: Rules<lock_status::Machine>, M: Rules<lock_member::Machine>, X: Rules<lock_mutex::Machine>>
    Core for Member<S, M, X>
{
    type State = State;
    type Peer = Cluster;
    type Message = Message;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    fn start(&self) -> State {
        State::at(self.member.initial())
    }

    fn step(&self, state: &mut State, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let mut context = StepContext::new(self, state, out);
        match input {
            Input::Message { from: Cluster, message } => context.on_message(message),
            Input::Fired(Timer::Timeout(lock)) => context.time_out(lock),
            Input::Fired(Timer::Retry(lock)) => context.retry(lock),
            Input::Command(command) => context.on_command(command),
            Input::Restart(_) => *context.state = self.start(),
        }
    }
}

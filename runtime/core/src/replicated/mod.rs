//! Locks that a replicated log keeps: every member applies the same commands at its own pace.
//!
//! [`Service::apply`] is the replicated part, pure: the machine `lock-status`, one instance for
//! each lock and member. [`Member`] runs it behind a log that Raft agrees on, with two machines of
//! its own: `lock-member`, which resigns and resets, and `lock-mutex`, one for each lock that its
//! threads use. Nothing in here elects, decides who is connected, or orders commands.
//!
//! ```
//! use turnstile_core::number::Token;
//! use turnstile_core::replicated::Member;
//! use turnstile_core::replicated::message::{
//!     Because, Cluster, Command, Connected, Message, Notice, Says,
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
//! let hears = |message| Input::Message { from: Cluster, message };
//!
//! // A cluster of one begins: its leader has the log cleared.
//! step(hears(Message::View { is: Connected::Joined, members: vec![me] }));
//! let reset = step(hears(Message::Elected(Because::MajorityIsJustReached)));
//! // lock() has the log say LOCK, and returns when that is applied.
//! let lock_it = step(Input::Command(Command::Lock(lock)));
//!
//! let mut index = 0;
//! for effect in reset.into_iter().chain(lock_it) {
//!     // An agreed log of one: what is to be executed comes back with its index.
//!     let Effect::Send { message: Message::Execute(entry), .. } = effect else { continue };
//!     index += 1;
//!     let told = step(hears(Message::Apply { index: Token::new(index), entry }));
//!     let returns = Effect::Notify(Notice::Mutex { lock, says: Says::Returns });
//!     assert_eq!(told.contains(&returns), index == 2);
//! }
//! ```

mod addresses;
mod locks;
mod member;
pub mod message;
mod mutex;
mod state;
mod turn;
pub mod types;
mod words;

use turnstile_machine::Rules;
use turnstile_machines::{lock_member, lock_mutex, lock_status};
use turnstile_step::{Core, Input, InputOf, OutOf};

use self::message::{Cluster, Command, Message, Notice};
use self::turn::Turn;
use self::types::{Address, Timer};

pub use locks::{Change, Lock, Locks, Service};
pub use state::{Lag, Mutex, State};

/// The core of a member.
///
/// It needs a log that gives each member the same commands in the same order, each once, or a
/// [`Message::Snapshot`] of some of them; and views and elections in the order in which they
/// happened. What one member executes comes into the log in the order in which it was executed.
/// After a restart it is a new member, with another [`Address`].
///
/// No input makes it panic. A result that comes twice, or of a command that was given up, changes
/// nothing; neither does a timer that fires though it is not armed. How long a command may take
/// ([`Timer::Timeout`]) and after what time an UNLOCK that nobody waits for is executed again
/// ([`Timer::Retry`]) is the driver's to say.
#[derive(Clone, Debug)]
pub struct Member<
    S: Rules<lock_status::Machine> = lock_status::Machine,
    M: Rules<lock_member::Machine> = lock_member::Machine,
    X: Rules<lock_mutex::Machine> = lock_mutex::Machine,
> {
    /// This member, in the log.
    pub me: Address,
    /// The replicated part.
    pub service: Service<S>,
    /// The table of the member.
    pub member: M,
    /// The table of its mutexes.
    pub mutex: X,
}

impl Member {
    /// A member by the tables that are baked in.
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
        let mut turn = Turn::new(self, state, out);
        match input {
            Input::Message { from: Cluster, message } => turn.hear(message),
            Input::Fired(Timer::Timeout(lock)) => turn.time_out(lock),
            Input::Fired(Timer::Retry(lock)) => turn.retry(lock),
            Input::Command(command) => turn.obey(command),
            Input::Restart(_) => *turn.state = self.start(),
        }
    }
}

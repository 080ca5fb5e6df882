//! The nodes: members whose steps are judged as they are taken, the log, and what brings results.

use std::sync::Arc;

use turnstile_core::number::Token;
use turnstile_core::replicated::message::{
    Because, Cluster as Peer, Command as Asked, Connected, Message, Notice as Told,
};
use turnstile_core::replicated::types::{Address, LockName, Request, Timer};
use turnstile_core::replicated::{Member, State};
use turnstile_machines::lock_mutex::State as Mutex;
use turnstile_step::{Core, Effect, Input, InputOf, Out, OutOf, Symbolic};
use turnstile_world::system::{self, NodeCore};
use turnstile_world::{CoreNode, NodeId, Ordered, Value};

use crate::cluster::Cluster;
use crate::delivered::Delivered;
use crate::mail::{Change, Letter};
use crate::predicates::has_nothing;
use crate::system::{MemberRules, MutexRules, Replicated, StatusRules};
use crate::threads::{Step, follows};

/// A member under its address.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Seat {
    /// The address.
    pub(crate) address: Address,
    /// The core's state.
    pub(crate) core: State,
    /// The listener was told what cannot follow what it was told before.
    pub(crate) strayed: bool,
    /// A thread was not told what became of its lock.
    pub(crate) is_untold: bool,
    /// It learnt that it is in a minority, and did not give up what it had.
    pub(crate) clings: bool,
    /// What was delivered to it.
    pub(crate) delivered: Delivered,
}

/// What the threads of a member do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Command {
    /// They ask the member.
    Ask(Asked),
    /// The one that has a mutex does what the lock protects.
    Act(LockName),
}

/// What is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Notice {
    /// By the member.
    Member(Told),
    /// What the lock protects was told to act.
    Acts {
        /// Under which lock.
        lock: LockName,
        /// For whom.
        by: Address,
        /// Under which token.
        token: Option<Token>,
    },
}

/// A member of a world, and its threads.
#[derive(Clone, Debug)]
pub(crate) struct MemberNode {
    pub(crate) system: Arc<Replicated>,
    pub(crate) node: NodeId,
    /// Which row is taken where several match.
    pub(crate) choice: u8,
}

type Inner = Member<StatusRules, MemberRules, MutexRules>;

impl MemberNode {
    fn inner(&self, me: Address) -> Inner {
        let Self { system, choice, .. } = self;
        let (member, mutex) = (system.member.choosing(*choice), system.mutex.choosing(*choice));
        Member { me, service: system.service(), member, mutex }
    }

    /// A member that has never run.
    fn seat(&self, address: Address) -> Seat {
        let core = self.inner(address).start();
        let delivered = Delivered::default();
        Seat { address, core, strayed: false, is_untold: false, clings: false, delivered }
    }

    /// A step of the member under its address, judged.
    fn judge(&self, seat: &mut Seat, input: InputOf<Inner>, out: &mut OutOf<Self>) {
        let (before, mut told) = (seat.core.clone(), seat.core.told.clone());
        let asked = if let Input::Command(command) = &input { Some(command.clone()) } else { None };
        let (mut is_alone, behind) = (false, seat.delivered.behind.clone());
        if let Input::Message { message, .. } = &input {
            is_alone = matches!(message, Message::View { is: Connected::Minority, members: _ });
            seat.delivered.receive(&self.system.service(), seat.address, message);
        }
        let mut inner: OutOf<Inner> = Out::default();
        self.inner(seat.address).step(&mut seat.core, input, &mut inner);
        out.rows.append(&mut inner.rows);
        let mut notices = Vec::new();
        let mut sends = |message| {
            if let Message::Execute(entry) = &message {
                seat.delivered.execute(entry);
            }
            Letter::Log(message)
        };
        let mut notifies = |notice| {
            notices.push(notice);
            if let Told::Changed { lock, status, token } = notice {
                let before = told.insert(lock, (status, token)).unwrap_or_default().0;
                seat.strayed |= !follows(before, status);
            }
            Notice::Member(notice)
        };
        let effects = inner.effects.into_iter();
        out.effects
            .extend(effects.map(|effect| effect.map(&mut sends, |timer| timer, &mut notifies)));
        let (before, after) = (&before, &seat.core);
        let behind = [&behind, &seat.delivered.behind];
        let step = Step { before, asked: asked.as_ref(), after, behind, notices: &notices };
        seat.is_untold |= !self.system.names().all(|lock| step.is_told(lock));
        seat.clings |= is_alone && !has_nothing(&seat.core);
    }
}

impl Core for MemberNode {
    type State = Seat;
    type Peer = Peer;
    type Message = Letter;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    /// A member of a cluster that has begun.
    fn start(&self) -> Seat {
        let present = self.system.cluster().present();
        let mut seat = self.seat(present[self.node]);
        let joined = Message::View { is: Connected::Joined, members: present };
        let elected = Message::Elected(Because::MajorityIsJustReached);
        let first = (self.node == 0).then_some(elected);
        for message in std::iter::once(joined).chain(first) {
            let input = Input::Message { from: Peer, message };
            self.inner(seat.address).step(&mut seat.core, input, &mut Out::default());
        }
        seat
    }

    fn step(&self, seat: &mut Seat, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let input = match input {
            Input::Message { from, message: Letter::Log(message) } => {
                Input::Message { from, message }
            }
            Input::Message { from, message: Letter::Past(address, message) }
                if address == seat.address =>
            {
                Input::Message { from, message }
            }
            Input::Message { message: Letter::Begin(address), .. } => {
                let names = self.system.names();
                let timers = names.flat_map(|lock| [Timer::Timeout(lock), Timer::Retry(lock)]);
                out.effects.extend(timers.map(Effect::Disarm));
                *seat = self.seat(address);
                return;
            }
            Input::Fired(timer) => Input::Fired(timer),
            Input::Command(Command::Ask(command)) => Input::Command(command),
            Input::Command(Command::Act(lock)) => {
                let token = seat.core.mutex(lock).and_then(|mutex| mutex.token);
                out.effects.push(Effect::Notify(Notice::Acts { lock, by: seat.address, token }));
                return;
            }
            Input::Message { message: Letter::Past(..), .. } | Input::Restart(_) => return,
        };
        self.judge(seat, input, out);
    }
}

impl CoreNode for MemberNode {
    type Core = Self;

    fn core(&self, choice: u8) -> Self {
        Self { choice, ..self.clone() }
    }

    fn choices(&self) -> u8 {
        self.system.member.choices().max(self.system.mutex.choices())
    }

    fn node(&self, _peer: Peer) -> NodeId {
        self.system.members
    }

    fn peer(&self, _node: NodeId) -> Peer {
        Peer
    }

    /// Threads lock what no thread has, unlock it and act under it; and they call the lock service
    /// past the mutex.
    fn commands(&self, seat: &Seat) -> Vec<Command> {
        let wish = |lock| {
            let at = seat.core.mutex(lock).map_or(Mutex::Unlocked, |mutex| mutex.at);
            let asked: Vec<Asked> = match at {
                Mutex::Unlocked | Mutex::Releasing => vec![Asked::Lock(lock), Asked::TryLock(lock)],
                Mutex::Locked => vec![Asked::Unlock(lock)],
                Mutex::Locking | Mutex::Waiting | Mutex::Unlocking => Vec::new(),
            };
            let past = [Request::Lock(lock), Request::TryLock(lock), Request::Unlock(lock)];
            let asked = asked.into_iter().chain(past.map(Asked::Serve)).map(Command::Ask);
            let acts = (at == Mutex::Locked).then_some(Command::Act(lock));
            asked.chain(acts).collect::<Vec<_>>()
        };
        let all = Command::Ask(Asked::Serve(Request::UnlockAll));
        self.system.names().flat_map(wish).chain([all]).collect()
    }

    fn fired_words(&self, timer: &Timer) -> String {
        timer.to_string()
    }

    fn state_words(&self, seat: &Seat) -> Option<String> {
        Some(seat.core.at.name().to_owned())
    }
}

/// The log of a world, and who is connected.
#[derive(Clone, Debug)]
pub(crate) struct LogNode(pub(crate) Arc<Replicated>);

impl NodeCore for LogNode {
    fn start(&self) -> Value {
        Value::new(self.0.cluster())
    }

    fn step(&self, _choice: u8, state: &mut Value, input: system::Input, out: &mut system::Out) {
        let (cluster, service) = (state.of_mut::<Cluster>(), self.0.service());
        let mail = match input {
            Input::Message { from, message } => {
                let Letter::Log(Message::Execute(entry)) = message.of() else { return };
                cluster.receive(from, entry.clone(), &service)
            }
            Input::Command(change) => cluster.change(*change.of(), &service),
            Input::Fired(_) | Input::Restart(_) => return,
        };
        let send = |(to, letter)| Effect::Send { to, message: Ordered::new(letter) };
        out.effects.extend(mail.into_iter().map(send));
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        state.of::<Cluster>().changes().into_iter().map(Ordered::new).collect()
    }

    fn input_words(&self, input: &system::Input) -> String {
        match input {
            Input::Command(change) => change.of::<Change>().to_string(),
            Input::Message { message, .. } => self.message_words(message),
            Input::Fired(_) | Input::Restart(_) => String::new(),
        }
    }

    fn message_words(&self, letter: &Ordered) -> String {
        letter.of::<Letter>().to_string()
    }
}

/// What brings results to the members of a world, each as late as it likes.
#[derive(Clone, Debug)]
pub(crate) struct AnswersNode(pub(crate) Arc<Replicated>);

impl NodeCore for AnswersNode {
    fn start(&self) -> Value {
        Value::new(())
    }

    fn step(&self, _choice: u8, _state: &mut Value, input: system::Input, out: &mut system::Out) {
        if let Input::Message { message, .. } = input
            && let Letter::Past(address, _) = message.of()
        {
            out.effects.push(Effect::Send { to: self.0.node(*address), message });
        }
    }

    fn commands(&self, _state: &Value) -> Vec<Ordered> {
        Vec::new()
    }

    fn message_words(&self, letter: &Ordered) -> String {
        letter.of::<Letter>().to_string()
    }
}

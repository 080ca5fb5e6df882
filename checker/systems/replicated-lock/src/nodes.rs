//! The nodes: members with a check of every step, the log, and the delivery of results.

use std::sync::Arc;

use turnstile_ids::number::Token;
use turnstile_replicated_lock_core::Member;
use turnstile_replicated_lock_core::message::{
    Cluster as Peer, Command as Asked, Connectivity, ElectionReason, Message, Notice as Told,
};
use turnstile_replicated_lock_core::types::{
    Address, LockName, LockStatus, LogOperation, ServiceRequest, Timer,
};
use turnstile_replicated_lock_machines::lock_mutex::State as Mutex;
use turnstile_step::{Core, Effect, Input, InputOf, Out, OutOf, Symbolic};
use turnstile_world::system::{self, NodeCore};
use turnstile_world::{Breaches, CoreNode, NodeId, Ordered, Value};

use crate::cluster::Cluster;
use crate::delivered::Delivered;
use crate::envelope::{ClusterEvent, Envelope};
use crate::log_service::LogService;
use crate::member_state::{Inner, MemberInput, MemberState, has_nothing};
use crate::mutex_step::{MutexStep, follows};
use crate::replicated::Replicated;
use crate::rule;

/// A command of a member's threads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Command {
    /// A command to the member.
    Ask(Asked),
    /// The thread with the mutex acts on the protected resource.
    Act(LockName),
}

/// A notice of a member's node to the monitor.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Notice {
    /// A notice of the member.
    Member(Told),
    /// An act on the protected resource.
    Acts {
        /// The lock.
        lock: LockName,
        /// The member's address.
        by: Address,
        /// The fencing token.
        token: Option<Token>,
    },
}

/// A member of a world, and its threads.
#[derive(Clone, Debug)]
pub(crate) struct MemberNode {
    pub(crate) system: Arc<Replicated>,
    pub(crate) node: NodeId,
    /// The choice among several matching rows.
    pub(crate) choice: u8,
}

impl MemberNode {
    /// The core; `of_entry`: the choice of the log for the entry that it applies.
    fn inner(&self, me: Address, of_entry: u8) -> Inner {
        let Self { system, choice, .. } = self;
        let (member, mutex) = (system.member.choosing(*choice), system.mutex.choosing(*choice));
        Member { me, service: system.replica(of_entry), member, mutex }
    }

    /// A member that has never run.
    fn member(&self, address: Address) -> MemberState {
        let core = self.inner(address, 0).start();
        MemberState { address, core, delivered: Delivered::default() }
    }

    /// Takes and checks a step of the member under its address.
    fn judge(
        &self,
        member: &mut MemberState,
        input: MemberInput,
        of_entry: u8,
        out: &mut OutOf<Self>,
        breaches: &mut Breaches,
    ) {
        let (before, mut told) = (member.core.clone(), member.core.told.clone());
        let behind = member.delivered.behind.clone();
        let (mut is_alone, mut reset) = (false, None);
        if let Input::Message { message, .. } = &input {
            is_alone = matches!(message, Message::View { is: Connectivity::Minority, members: _ });
            member.delivered.receive(&self.system.replica(of_entry), member.address, message);
            reset = member.delivered.reset(message).map(LogOperation::Reset);
        }
        let core = self.inner(member.address, of_entry);
        let inner = out.of_part(|inner| core.step(&mut member.core, input.clone(), inner));
        let (mut notices, mut executed) = (Vec::new(), Vec::new());
        let mut sends = |message| {
            if let Message::Execute(entry) = &message {
                member.delivered.execute(entry);
                executed.push(entry.clone());
            }
            Envelope::Log(message)
        };
        let mut notifies = |notice| {
            notices.push(notice);
            if let Told::Changed { lock, status, token } = notice {
                let before = told.insert(lock, (status, token)).unwrap_or_default().0;
                breaches.require(rule::LISTENER, follows(before, status));
            }
            Notice::Member(notice)
        };
        let effects = inner.into_iter();
        out.effects
            .extend(effects.map(|effect| effect.map(&mut sends, |timer| timer, &mut notifies)));
        told.retain(|_, (status, _)| *status != LockStatus::None);
        breaches.require(rule::LISTENER, told == member.core.told);
        let (me, before, after, executed) = (member.address, &before, &member.core, &executed);
        let (input, behind) = (&input, [&behind, &member.delivered.behind]);
        let step = MutexStep { me, before, input, after, behind, executed, notices: &notices };
        breaches.require(rule::NOTIFICATION, self.system.names().all(|lock| step.is_told(lock)));
        breaches.require(rule::REASON, self.system.names().all(|lock| step.has_reason(lock)));
        breaches.require(rule::COMMAND, self.system.names().all(|lock| step.executes(lock)));
        let operations = executed.iter().map(|entry| &entry.operation);
        let resets = operations.filter(|one| matches!(one, LogOperation::Reset(_)));
        breaches.require(rule::CALLED_RESET, resets.eq(reset.iter()));
        breaches.require(rule::MINORITY, !is_alone || has_nothing(&member.core));
    }
}

impl Core for MemberNode {
    type State = MemberState;
    type Peer = Peer;
    type Message = Envelope;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = ();

    /// A member of a running cluster.
    fn start(&self) -> MemberState {
        let present = Cluster::new(&self.system).present();
        let mut member = self.member(present[self.node]);
        let joined = Message::View { is: Connectivity::Joined, members: present };
        let elected = Message::Elected(ElectionReason::MajorityIsJustReached);
        let first = (self.node == 0).then_some(elected);
        for message in std::iter::once(joined).chain(first) {
            member.delivered.receive(&self.system.replica(0), member.address, &message);
            let input = Input::Message { from: Peer, message };
            self.inner(member.address, 0).step(&mut member.core, input, &mut Out::default());
        }
        member
    }

    fn step(&self, member: &mut MemberState, input: InputOf<Self>, out: &mut OutOf<Self>) {
        CoreNode::step(self, self, member, input, out, &mut Breaches::default());
    }
}

impl CoreNode for MemberNode {
    type Core = Self;

    fn core(&self, choice: u8) -> Self {
        Self { choice, ..self.clone() }
    }

    fn step(
        &self,
        core: &Self,
        member: &mut MemberState,
        input: InputOf<Self>,
        out: &mut OutOf<Self>,
        breaches: &mut Breaches,
    ) {
        let mut of_entry = 0;
        let input = match input {
            Input::Message { from, message: Envelope::Log(message) } => {
                Input::Message { from, message }
            }
            Input::Message { from, message: Envelope::Chosen(choice, message) } => {
                of_entry = choice;
                Input::Message { from, message }
            }
            Input::Message { from, message: Envelope::Direct(address, message) }
                if address == member.address =>
            {
                Input::Message { from, message }
            }
            Input::Message { message: Envelope::Restart(address), .. } => {
                let names = core.system.names();
                let timers = names.flat_map(|lock| [Timer::Timeout(lock), Timer::Retry(lock)]);
                out.effects.extend(timers.map(Effect::Disarm));
                *member = core.member(address);
                return;
            }
            Input::Fired(timer) => Input::Fired(timer),
            Input::Command(Command::Ask(command)) => Input::Command(command),
            Input::Command(Command::Act(lock)) => {
                let token = member.core.mutex(lock).and_then(|mutex| mutex.token);
                out.effects.push(Effect::Notify(Notice::Acts { lock, by: member.address, token }));
                return;
            }
            Input::Message { message: Envelope::Direct(..), .. } | Input::Restart(_) => return,
        };
        core.judge(member, input, of_entry, out, breaches);
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

    /// Threads lock a free mutex, unlock it and act under it; and they call the lock service
    /// directly, past the mutex.
    fn commands(&self, member: &MemberState) -> Vec<Command> {
        let wish = |lock| {
            let at = member.core.mutex(lock).map_or(Mutex::Unlocked, |mutex| mutex.at);
            let asked: Vec<Asked> = match at {
                Mutex::Unlocked | Mutex::Releasing => vec![Asked::Lock(lock), Asked::TryLock(lock)],
                Mutex::Locked => vec![Asked::Unlock(lock)],
                Mutex::Locking | Mutex::Waiting | Mutex::Unlocking => Vec::new(),
            };
            let direct = [
                ServiceRequest::Lock(lock),
                ServiceRequest::TryLock(lock),
                ServiceRequest::Unlock(lock),
            ];
            let asked = asked.into_iter().chain(direct.map(Asked::Serve)).map(Command::Ask);
            let acts = (at == Mutex::Locked).then_some(Command::Act(lock));
            asked.chain(acts).collect::<Vec<_>>()
        };
        let all = Command::Ask(Asked::Serve(ServiceRequest::UnlockAll));
        self.system.names().flat_map(wish).chain([all]).collect()
    }

    fn fired_words(&self, timer: &Timer) -> String {
        timer.to_string()
    }

    fn state_words(&self, member: &MemberState) -> Option<String> {
        Some(member.core.at.name().to_owned())
    }
}

/// The log of a world, and its connectivity.
#[derive(Clone, Debug)]
pub(crate) struct LogNode(pub(crate) Arc<Replicated>);

impl NodeCore for LogNode {
    fn start(&self) -> Value {
        Value::new(Cluster::new(&self.0))
    }

    fn choices(&self) -> u8 {
        self.0.status.choices()
    }

    fn step(&self, choice: u8, state: &mut Value, input: system::Input, out: &mut system::Out) {
        let cluster = state.of_mut::<Cluster>();
        let mut service = LogService::new(&self.0, choice, &mut out.breaches);
        let outbox = match input {
            Input::Message { from, message } => {
                let Envelope::Log(Message::Execute(entry)) = message.of() else { return };
                cluster.receive(from, entry.clone(), &mut service)
            }
            Input::Command(change) => cluster.change(*change.of(), &mut service),
            Input::Fired(_) | Input::Restart(_) => return,
        };
        let send = |(to, envelope)| Effect::Send { to, message: Ordered::new(envelope) };
        out.effects.extend(outbox.into_iter().map(send));
    }

    fn commands(&self, state: &Value) -> Vec<Ordered> {
        state.of::<Cluster>().changes().into_iter().map(Ordered::new).collect()
    }

    fn input_words(&self, input: &system::Input) -> String {
        match input {
            Input::Command(change) => change.of::<ClusterEvent>().to_string(),
            Input::Message { message, .. } => self.message_words(message),
            Input::Fired(_) | Input::Restart(_) => String::new(),
        }
    }

    fn message_words(&self, envelope: &Ordered) -> String {
        envelope.of::<Envelope>().to_string()
    }
}

/// The delivery of results to the members of a world, with unbounded delay.
#[derive(Clone, Debug)]
pub(crate) struct AnswersNode(pub(crate) Arc<Replicated>);

impl NodeCore for AnswersNode {
    fn start(&self) -> Value {
        Value::new(())
    }

    fn step(&self, _choice: u8, _state: &mut Value, input: system::Input, out: &mut system::Out) {
        if let Input::Message { message, .. } = input
            && let Envelope::Direct(address, _) = message.of()
        {
            out.effects.push(Effect::Send { to: self.0.node(*address), message });
        }
    }

    fn commands(&self, _state: &Value) -> Vec<Ordered> {
        Vec::new()
    }

    fn message_words(&self, envelope: &Ordered) -> String {
        envelope.of::<Envelope>().to_string()
    }
}

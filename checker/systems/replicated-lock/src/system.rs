//! The nodes and their wiring.

use turnstile_core::number::Token;
use turnstile_core::replicated::message::{
    Because, Cluster as Peer, Command as Told, Connected, Message, Notice as CoreNotice,
};
use turnstile_core::replicated::types::{Address, LockName, Request, Timer};
use turnstile_core::replicated::{Member, Service};
use turnstile_harness::SystemSpec;
use turnstile_harness::options::{Refusal, Replacement};
use turnstile_harness::rules::Chosen;
use turnstile_machines::lock_mutex::State as Mutex;
use turnstile_machines::{lock_member, lock_mutex, lock_status};
use turnstile_step::{Core, Effect, Input, InputOf as CoreInput, Out, OutOf as CoreOut};
use turnstile_world::NodeId;
use turnstile_world::system::{EffectOf, InputOf, Named, ObservationOf, OutOf, System};

use crate::types::{Acted, Command, Letter, Notice, ReplicatedTypes, Seat, State};
use crate::{predicates, words};

use crate::cluster::Cluster;
use crate::delivered::Delivered;
use crate::mail::Sent;
use crate::threads::{Step, follows};

/// The table that runs, chosen at run time.
pub type StatusRules = Chosen<lock_status::Machine>;
/// The table that runs, chosen at run time.
pub type MemberRules = Chosen<lock_member::Machine>;
/// The table that runs, chosen at run time.
pub type MutexRules = Chosen<lock_mutex::Machine>;

/// The cores of the replicated lock service. Members come first, then the cluster.
#[derive(Clone, Debug)]
pub struct Replicated {
    /// How many members.
    pub members: usize,
    /// How many others vote, and have no locks.
    pub witnesses: usize,
    /// How many locks they want.
    pub locks: u16,
    /// Results may fail.
    pub may_fail: bool,
    /// The table of the log's commands.
    pub status: StatusRules,
    /// The table of a member.
    pub member: MemberRules,
    /// The table of a mutex.
    pub mutex: MutexRules,
}

pub(crate) type Of = Member<StatusRules, MemberRules, MutexRules>;

impl Replicated {
    /// Members by the tables given.
    ///
    /// # Errors
    ///
    /// Names of a table that the cores were not compiled with.
    pub fn new(
        [members, witnesses]: [usize; 2],
        locks: u16,
        may_fail: bool,
        tables: &[Replacement],
    ) -> Result<Self, Refusal> {
        let status = StatusRules::among(tables)?;
        let member = MemberRules::among(tables)?;
        let mutex = MutexRules::among(tables)?;
        Ok(Self { members, witnesses, locks, may_fail, status, member, mutex })
    }

    fn core(&self, me: Address, choice: u8) -> Of {
        Member {
            me,
            service: self.service(),
            member: self.member.choosing(choice),
            mutex: self.mutex.choosing(choice),
        }
    }

    /// All members must come to the same: which of several rows a command takes is one choice.
    fn service(&self) -> Service<StatusRules> {
        Service { rules: self.status.clone() }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = LockName> + use<> {
        (0..u64::from(self.locks)).map(LockName)
    }

    /// The address that a member has, of those that it may have, when its node changes places.
    fn moved(&self, address: Address, to: &[NodeId]) -> Address {
        let members = u64::try_from(self.members).expect("a cluster is small");
        let (life, node) = ((address.0 - 1) / members, to[self.node(address)]);
        Address(life * members + u64::try_from(node).expect("a cluster is small") + 1)
    }

    /// The node that has an address, or had it.
    fn node(&self, address: Address) -> NodeId {
        let place = usize::try_from(address.0 - 1).expect("members start again a few times");
        place % self.members
    }

    /// A member that has never run.
    fn seat(&self, address: Address) -> Seat {
        let core = self.core(address, 0).start();
        let delivered = Delivered::default();
        Seat { address, core, strayed: false, is_untold: false, clings: false, delivered }
    }

    fn cluster(&self) -> Cluster {
        Cluster::new(self.members, self.witnesses, self.may_fail)
    }

    /// A member of a cluster that has begun.
    fn founder(&self, node: NodeId) -> Seat {
        let present = self.cluster().present();
        let mut seat = self.seat(present[node]);
        let joined = Message::View { is: Connected::Joined, members: present };
        let elected = Message::Elected(Because::MajorityIsJustReached);
        let first = (node == 0).then_some(elected);
        for message in std::iter::once(joined).chain(first) {
            let input = Input::Message { from: Peer, message };
            self.core(seat.address, 0).step(&mut seat.core, input, &mut Out::default());
        }
        seat
    }

    /// What the threads of a member may do: lock what no thread has, unlock it and act under it;
    /// and call the lock service past the mutex.
    fn wishes(&self, seat: &Seat) -> Vec<Command> {
        let wish = |lock| {
            let at = seat.core.mutex(lock).map_or(Mutex::Unlocked, |mutex| mutex.at);
            let told: Vec<Told> = match at {
                Mutex::Unlocked | Mutex::Releasing => vec![Told::Lock(lock), Told::TryLock(lock)],
                Mutex::Locked => vec![Told::Unlock(lock)],
                Mutex::Locking | Mutex::Waiting | Mutex::Unlocking => Vec::new(),
            };
            let past = [Request::Lock(lock), Request::TryLock(lock), Request::Unlock(lock)];
            let told = told.into_iter().chain(past.map(Told::Serve)).map(Command::Member);
            let acts = (at == Mutex::Locked).then_some(Command::Act(lock));
            told.chain(acts).collect::<Vec<_>>()
        };
        let all = Command::Member(Told::Serve(Request::UnlockAll));
        self.names().flat_map(wish).chain([all]).collect()
    }

    fn step_member(
        &self,
        seat: &mut Seat,
        choice: u8,
        input: CoreInput<Of>,
        out: &mut OutOf<ReplicatedTypes>,
    ) {
        let (before, mut told) = (seat.core.clone(), seat.core.told.clone());
        let asked = if let Input::Command(command) = &input { Some(command.clone()) } else { None };
        let message =
            if let Input::Message { message, .. } = &input { Some(message) } else { None };
        let is_alone =
            matches!(message, Some(Message::View { is: Connected::Minority, members: _ }));
        let behind = seat.delivered.behind.clone();
        if let Some(message) = message {
            seat.delivered.receive(&self.service(), seat.address, message);
        }
        let mut inner: CoreOut<Of> = Out::default();
        self.core(seat.address, choice).step(&mut seat.core, input, &mut inner);
        let notices = inner.effects.iter().filter_map(|effect| match effect {
            Effect::Notify(notice) => Some(*notice),
            Effect::Send { .. } | Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(()) => None,
        });
        let notices: Vec<CoreNotice> = notices.collect();
        out.rows.append(&mut inner.rows);
        for effect in inner.effects {
            out.effects.push(match effect {
                Effect::Send { to: Peer, message: Message::Execute(entry) } => {
                    seat.delivered.execute(&entry);
                    Effect::Send { to: self.members, message: Letter::Execute(entry) }
                }
                Effect::Send { .. } | Effect::Save(()) => continue,
                Effect::Arm(timer) => Effect::Arm(timer),
                Effect::Disarm(timer) => Effect::Disarm(timer),
                Effect::Notify(notice) => {
                    if let CoreNotice::Changed { lock, status, token } = notice {
                        let before = told.insert(lock, (status, token)).unwrap_or_default().0;
                        seat.strayed |= !follows(before, status);
                    }
                    Effect::Notify(Notice::Member(notice))
                }
            });
        }
        let (before, after) = (&before, &seat.core);
        let behind = [&behind, &seat.delivered.behind];
        let step = Step { before, asked: asked.as_ref(), after, behind, notices: &notices };
        seat.is_untold |= !self.names().all(|lock| step.is_told(lock));
        seat.clings |= is_alone && !predicates::has_nothing(&seat.core);
    }

    fn step_cluster(
        &self,
        cluster: &mut Cluster,
        input: InputOf<ReplicatedTypes>,
        out: &mut OutOf<ReplicatedTypes>,
    ) {
        let service = self.service();
        let mail = match input {
            Input::Message { from, message: Letter::Execute(entry) } => {
                cluster.receive(from, entry, &service)
            }
            Input::Command(Command::Cluster(change)) => cluster.change(change, &service),
            Input::Message { .. } | Input::Command(_) | Input::Fired(_) | Input::Restart(_) => {
                return;
            }
        };
        out.effects.extend(mail.into_iter().map(|(to, sent)| match sent {
            Sent::Message(message) => Effect::Send { to, message: Letter::Member(message) },
            Sent::Begin(address) => Effect::Send { to, message: Letter::Begin(address) },
            Sent::Answer(address, message) => {
                Effect::Send { to: self.members + 1, message: Letter::Past(address, message) }
            }
        }));
    }
}

impl System for Replicated {
    type Types = ReplicatedTypes;

    const BUDGETS: &'static [&'static str] = <Self as SystemSpec>::BUDGETS;

    fn start(&self, node: NodeId) -> State {
        if node < self.members {
            State::Member(Box::new(self.founder(node)))
        } else if node > self.members {
            State::Answers
        } else {
            State::Cluster(Box::new(self.cluster()))
        }
    }

    fn step(
        &self,
        _me: NodeId,
        choice: u8,
        state: &mut State,
        input: InputOf<ReplicatedTypes>,
        out: &mut OutOf<ReplicatedTypes>,
    ) {
        let seat = match state {
            State::Member(seat) => seat,
            State::Cluster(cluster) => return self.step_cluster(cluster, input, out),
            State::Answers => {
                if let Input::Message { message: Letter::Past(address, message), .. } = input {
                    let (to, message) = (self.node(address), Letter::Past(address, message));
                    out.effects.push(Effect::Send { to, message });
                }
                return;
            }
        };
        let input = match input {
            Input::Message { from: _, message: Letter::Member(message) } => {
                Input::Message { from: Peer, message }
            }
            Input::Message { from: _, message: Letter::Past(address, message) }
                if address == seat.address =>
            {
                Input::Message { from: Peer, message }
            }
            Input::Message { from: _, message: Letter::Begin(address) } => {
                let timers =
                    self.names().flat_map(|lock| [Timer::Timeout(lock), Timer::Retry(lock)]);
                out.effects.extend(timers.map(Effect::Disarm));
                **seat = self.seat(address);
                return;
            }
            Input::Fired(timer) => Input::Fired(timer),
            Input::Command(Command::Member(command)) => Input::Command(command),
            Input::Command(Command::Act(lock)) => {
                let token: Option<Token> = seat.core.mutex(lock).and_then(|mutex| mutex.token);
                let acts = Notice::Acts { lock, by: seat.address, token };
                out.effects.push(Effect::Notify(acts));
                return;
            }
            Input::Message { message: Letter::Execute(_) | Letter::Past(..), .. }
            | Input::Command(Command::Cluster(_))
            | Input::Restart(_) => return,
        };
        self.step_member(seat, choice, input, out);
    }

    fn choices(&self, node: NodeId) -> u8 {
        if node < self.members { self.member.choices().max(self.mutex.choices()) } else { 1 }
    }

    fn commands(&self, _node: NodeId, state: &State) -> Vec<Command> {
        match state {
            State::Member(seat) => self.wishes(seat),
            State::Cluster(cluster) => {
                cluster.changes().into_iter().map(Command::Cluster).collect()
            }
            State::Answers => Vec::new(),
        }
    }

    fn command_budget(&self, command: &Command) -> Option<&'static str> {
        match command {
            Command::Member(Told::Lock(_)) => Some("lock call"),
            Command::Member(Told::TryLock(_)) => Some("try call"),
            Command::Member(Told::Serve(_)) => Some("direct call"),
            Command::Member(Told::Unlock(_)) => Some("unlock call"),
            Command::Act(_) => Some("act"),
            Command::Cluster(change) => change.budget(),
        }
    }

    fn timer_budget(&self, timer: &Timer) -> Option<&'static str> {
        Some(match timer {
            Timer::Timeout(_) => "time-out",
            Timer::Retry(_) => "retry",
        })
    }

    fn monitor(&self) -> Vec<Acted> {
        vec![Acted::default(); usize::from(self.locks)]
    }

    fn observe(&self, monitor: &mut Vec<Acted>, seen: &ObservationOf<ReplicatedTypes>) {
        predicates::observe(monitor, seen);
    }

    fn comes_once(&self, letter: &Letter) -> bool {
        matches!(letter, Letter::Member(Message::Apply { .. } | Message::Snapshot { .. }))
    }

    fn renames(&self) -> bool {
        true
    }

    fn rename(&self, value: Named<'_, ReplicatedTypes>, to: &[NodeId]) {
        let mut each = |address: &mut Address| *address = self.moved(*address, to);
        match value {
            Named::State(State::Member(seat)) => {
                each(&mut seat.address);
                seat.core.visit_addresses(&mut each);
                seat.delivered.locks.visit_addresses(&mut each);
            }
            Named::State(State::Cluster(cluster)) => cluster.rename(to, &mut each),
            Named::Message(Letter::Member(message)) => message.visit_addresses(&mut each),
            Named::Message(Letter::Past(address, message)) => {
                each(address);
                message.visit_addresses(&mut each);
            }
            Named::Message(Letter::Begin(address)) => each(address),
            Named::Message(Letter::Execute(entry)) => entry.visit_addresses(&mut each),
            Named::Monitor(monitor) => {
                let acted = monitor.iter_mut().flat_map(|acted| &mut acted.order);
                acted.for_each(|node| *node = to[*node]);
            }
            Named::State(State::Answers) | Named::Timer(_) | Named::Saved(_) => {}
        }
    }

    fn input_words(&self, _node: NodeId, input: &InputOf<ReplicatedTypes>) -> String {
        words::input(input)
    }

    fn message_words(&self, letter: &Letter) -> String {
        letter.to_string()
    }

    fn effect_words(&self, _node: NodeId, effect: &EffectOf<ReplicatedTypes>) -> Option<String> {
        words::effect(effect)
    }

    fn state_words(&self, state: &State) -> Option<String> {
        match state {
            State::Member(seat) => Some(seat.core.at.name().to_owned()),
            State::Cluster(_) | State::Answers => None,
        }
    }
}

//! The claim system: clients of one resource, the claim server, and a store behind the lock.
//!
//! Wiring and predicates only; what the nodes do is turnstile-core's. The worlds, budgets and
//! properties stand in `spec/systems/claim.yaml`.

mod predicates;
mod world;

use turnstile_core::claim::client::{self, Client};
use turnstile_core::claim::message::{Caller, Lease, Message, ResourceName, Response, Server};
use turnstile_core::claim::record::{self, Limits, Records};
use turnstile_core::fence::{self, Fence};
use turnstile_core::number::{CallId, ClaimId, IdempotencyKey};
use turnstile_core::step::{
    Core, Effect, EffectOf as EffectOfCore, Input, InputOf as CoreInput, Out, OutOf as CoreOut,
};
use turnstile_core::{Class, Numbers, without_numbers};
use turnstile_machines::claim::{Resource, Rules as _};

use crate::report::options::{Refusal, Replacement};
use crate::systems::rules::chosen;
use crate::world::system::{EffectOf, InputOf, NodeId, OutOf, System, Types};
use crate::world::watch::Seen;

pub use world::{ENTRY, world};

chosen!(ClientRules, claim);
chosen!(RecordRules, claim_record);

/// The types of the claim system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimTypes;

/// A node's state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// A client of one claim.
    Client(Lessee),
    /// The claim server.
    Server(record::State),
    /// The store behind the lock.
    Store(fence::State),
}

/// A client, and what its clock has to do with the server's.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lessee {
    /// The core's state.
    pub core: client::State,
    /// The server counted the ttl anew when it handled the request from whose send the lease is
    /// counted; so the lease is over first.
    pub is_backed: bool,
}

/// A message, and what it has to do with the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Letter {
    /// The message.
    pub message: Message,
    /// It answers a request with which the server counted the ttl anew.
    pub is_backed: bool,
}

impl Letter {
    fn plain(message: Message) -> Self {
        Self { message, is_backed: false }
    }
}

/// A node's timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Timer {
    /// A timer of the claim machine.
    Client(Resource),
    /// A timer of the server.
    Server(record::Timer),
}

/// What a node's user may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Command {
    /// The user of a claim.
    Client(client::Command),
    /// Whoever keeps the server.
    Server(record::Command),
}

/// What a node's user is told.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Notice {
    /// The user of a claim.
    Client(client::Notice),
    /// Who keeps the server's histories.
    Server(record::Notice),
    /// Who looks at the store.
    Store(fence::Notice),
}

/// What survives a crash.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Saved {
    /// Of the server.
    Server(record::Saved),
}

/// What the properties remember of the clients.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Watch {
    /// By client.
    pub clients: Vec<Past>,
}

/// What the properties remember of one client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Past {
    /// A `claim()` waits for its answer.
    pub waits: bool,
    /// A `claim()` was answered.
    pub is_answered: bool,
    /// Its user was told that it holds the lock, and of no end of it.
    pub is_held: bool,
    /// A `release()` waits for its answer.
    pub releases: bool,
    /// A `claim()` was answered twice.
    pub answered_twice: bool,
    /// The store accepted an act of it since it was told that it holds the lock.
    pub acted: bool,
    /// And then one of another client.
    pub interrupted: bool,
    /// And then one of it again.
    pub interleaved: bool,
}

without_numbers!(Watch);

impl Types for ClaimTypes {
    type State = State;
    type Message = Letter;
    type Timer = Timer;
    type Command = Command;
    type Notice = Notice;
    type Saved = Saved;
    type Watch = Watch;
    type Mark = ClaimId;
}

/// The cores of the claim system. Clients come first, then the server, then the store.
#[derive(Clone, Debug)]
pub struct Claim {
    /// How many clients.
    pub clients: usize,
    /// The table of each client.
    pub client: ClientRules,
    /// The table of the server's records.
    pub record: RecordRules,
}

/// The one resource that everybody wants.
const RESOURCE: ResourceName = ResourceName(0);

/// Small enough to be met, large enough that a small world forgets nothing of its own.
const LIMITS: Limits = Limits { waiters_max: 8, finished_max: 8 };

/// A fresh idempotency key: above all that renumbering leaves, and another one for each client.
const FRESH_KEY: u64 = 1 << 32;

impl Claim {
    /// Two or more clients by the tables given.
    ///
    /// # Errors
    ///
    /// Names of a table that the cores were not compiled with.
    pub fn new(clients: usize, tables: &[Replacement]) -> Result<Self, Refusal> {
        Ok(Self {
            clients,
            client: ClientRules::among(tables)?,
            record: RecordRules::among(tables)?,
        })
    }

    /// The server's number.
    #[must_use]
    pub fn server(&self) -> NodeId {
        self.clients
    }

    /// The store's number.
    #[must_use]
    pub fn store(&self) -> NodeId {
        self.clients + 1
    }

    fn wishes(&self, node: NodeId, state: &client::State) -> Vec<client::Command> {
        if state.at == self.client.initial() {
            let key = IdempotencyKey::new(FRESH_KEY + node as u64);
            return vec![client::Command::Claim { key }];
        }
        if self.client.is_final(state.at) {
            return Vec::new();
        }
        let mut wishes = vec![client::Command::Release, client::Command::Signal];
        if state.is_held() {
            wishes.push(client::Command::Act);
        }
        wishes
    }

    fn client(&self, choice: u8) -> Client<ClientRules> {
        Client { rules: self.client.choosing(choice), resource: RESOURCE, waits: false }
    }

    fn records(&self, choice: u8) -> Records<RecordRules> {
        Records { rules: self.record.choosing(choice), limits: LIMITS }
    }

    fn step_client(
        &self,
        choice: u8,
        lessee: &mut Lessee,
        input: InputOf<ClaimTypes>,
        out: &mut OutOf<ClaimTypes>,
    ) {
        type Of = Client<ClientRules>;
        let mut is_backed = false;
        let input: CoreInput<Of> = match input {
            Input::Message { from, message: letter } => {
                let from = if from == self.server() { Server::Claims } else { Server::Store };
                is_backed = letter.is_backed;
                Input::Message { from, message: letter.message }
            }
            Input::Fired(Timer::Client(timer)) => Input::Fired(timer),
            Input::Command(Command::Client(command)) => Input::Command(command),
            Input::Fired(Timer::Server(_)) | Input::Command(Command::Server(_)) => return,
            Input::Restart(_) => Input::Restart(None),
        };
        let mut inner: CoreOut<Of> = Out::default();
        let had_lease = matches!(input, Input::Fired(Resource::LeaseTimer) | Input::Restart(_));
        self.client(choice).step(&mut lessee.core, input, &mut inner);
        let armed = inner.effects.contains(&Effect::Arm(Resource::LeaseTimer));
        let disarmed = inner.effects.contains(&Effect::Disarm(Resource::LeaseTimer));
        if armed || disarmed || had_lease {
            lessee.is_backed = armed && is_backed;
        }
        out.rows.append(&mut inner.rows);
        out.effects.extend(inner.effects.into_iter().filter_map(|effect| match effect {
            Effect::Send { to: Server::Claims, message } => {
                Some(Effect::Send { to: self.server(), message: Letter::plain(message) })
            }
            Effect::Send { to: Server::Store, message } => {
                Some(Effect::Send { to: self.store(), message: Letter::plain(message) })
            }
            Effect::Arm(timer) => Some(Effect::Arm(Timer::Client(timer))),
            Effect::Disarm(timer) => Some(Effect::Disarm(Timer::Client(timer))),
            Effect::Save(()) => None,
            Effect::Notify(notice) => Some(Effect::Notify(Notice::Client(notice))),
        }));
    }

    fn step_server(
        &self,
        choice: u8,
        state: &mut record::State,
        input: InputOf<ClaimTypes>,
        out: &mut OutOf<ClaimTypes>,
    ) {
        type Of = Records<RecordRules>;
        let input: CoreInput<Of> = match input {
            Input::Message { from, message: letter } => {
                Input::Message { from: caller(from), message: letter.message }
            }
            Input::Fired(Timer::Server(timer)) => Input::Fired(timer),
            Input::Command(Command::Server(command)) => Input::Command(command),
            Input::Fired(Timer::Client(_)) | Input::Command(Command::Client(_)) => return,
            Input::Restart(saved) => Input::Restart(saved.map(|Saved::Server(saved)| saved)),
        };
        let mut inner: CoreOut<Of> = Out::default();
        self.records(choice).step(state, input, &mut inner);
        out.rows.append(&mut inner.rows);
        let counted: Vec<ClaimId> = inner.effects.iter().filter_map(counted_anew).collect();
        out.effects.extend(inner.effects.into_iter().map(|effect| match effect {
            Effect::Send { to, message } => {
                let is_backed = matches!(message, Message::Response(response)
                    if response.grants() && response.claim.is_some_and(|id| counted.contains(&id)));
                Effect::Send { to: node(to), message: Letter { message, is_backed } }
            }
            Effect::Arm(timer) => Effect::Arm(Timer::Server(timer)),
            Effect::Disarm(timer) => Effect::Disarm(Timer::Server(timer)),
            Effect::Save(saved) => Effect::Save(Saved::Server(saved)),
            Effect::Notify(notice) => Effect::Notify(Notice::Server(notice)),
        }));
    }

    fn step_store(
        state: &mut fence::State,
        input: InputOf<ClaimTypes>,
        out: &mut OutOf<ClaimTypes>,
    ) {
        let input: CoreInput<Fence> = match input {
            Input::Message { from, message: letter } => {
                Input::Message { from: caller(from), message: letter.message }
            }
            Input::Fired(_) | Input::Command(_) => return,
            Input::Restart(_) => Input::Restart(None),
        };
        let mut inner: CoreOut<Fence> = Out::default();
        Fence.step(state, input, &mut inner);
        out.rows.append(&mut inner.rows);
        out.effects.extend(inner.effects.into_iter().filter_map(|effect| match effect {
            Effect::Notify(notice) => Some(Effect::Notify(Notice::Store(notice))),
            Effect::Send { .. } | Effect::Arm(_) | Effect::Disarm(_) | Effect::Save(_) => None,
        }));
    }
}

/// The claim whose ttl is counted anew.
fn counted_anew(effect: &EffectOfCore<Records<RecordRules>>) -> Option<ClaimId> {
    match effect {
        Effect::Arm(record::Timer::Ttl(claim)) => Some(*claim),
        Effect::Arm(record::Timer::Wait(_))
        | Effect::Send { .. }
        | Effect::Disarm(_)
        | Effect::Save(_)
        | Effect::Notify(_) => None,
    }
}

/// A node as the server's side knows it.
fn caller(node: NodeId) -> Caller {
    Caller(node as u64)
}

/// The call that a request opens or an answer ends.
fn call(letter: &Letter) -> Option<CallId> {
    match letter.message {
        Message::Request(request) => Some(request.call),
        Message::Response(response) => Some(response.call),
        Message::Act { token: _ } => None,
    }
}

fn node(caller: Caller) -> NodeId {
    NodeId::try_from(caller.0).expect("a caller is a node of the world")
}

impl System for Claim {
    type Types = ClaimTypes;

    fn start(&self, node: NodeId) -> State {
        if node < self.clients {
            State::Client(Lessee { core: self.client(0).start(), is_backed: false })
        } else if node == self.server() {
            State::Server(self.records(0).start())
        } else {
            State::Store(Fence.start())
        }
    }

    fn step(
        &self,
        _node: NodeId,
        choice: u8,
        state: &mut State,
        input: InputOf<ClaimTypes>,
        out: &mut OutOf<ClaimTypes>,
    ) {
        match state {
            State::Client(state) => self.step_client(choice, state, input, out),
            State::Server(state) => self.step_server(choice, state, input, out),
            State::Store(state) => Self::step_store(state, input, out),
        }
    }

    fn keep(&self, saved: &mut Option<Saved>, new: Saved) {
        let Saved::Server(new) = new;
        let mut inner = saved.take().map(|Saved::Server(saved)| saved);
        <Records<RecordRules> as Core>::keep(&mut inner, new);
        *saved = inner.map(Saved::Server);
    }

    fn choices(&self, node: NodeId) -> u8 {
        if node < self.clients {
            self.client.choices()
        } else if node == self.server() {
            self.record.choices()
        } else {
            1
        }
    }

    /// A user claims once, and may then release, act or be signalled at any moment of a claim
    /// that has not ended. A server may give up any claim that waits.
    fn commands(&self, node: NodeId, state: &State) -> Vec<Command> {
        match state {
            State::Client(client) => {
                self.wishes(node, &client.core).into_iter().map(Command::Client).collect()
            }
            State::Server(server) => server
                .claims()
                .filter(|(_, record)| record.status() == Some(record::Status::Waiting))
                .map(|(claim, _)| Command::Server(record::Command::GiveUp { claim }))
                .collect(),
            State::Store(_) => Vec::new(),
        }
    }

    fn command_budget(&self, command: &Command) -> Option<&'static str> {
        match command {
            Command::Client(client::Command::Claim { .. }) => None,
            Command::Client(client::Command::Release) => Some("release"),
            Command::Client(client::Command::Signal) => Some("signal"),
            Command::Client(client::Command::Act) => Some("act"),
            Command::Server(_) => Some("waiter given up"),
        }
    }

    fn timer_budget(&self, timer: &Timer) -> Option<&'static str> {
        match timer {
            Timer::Client(_) | Timer::Server(record::Timer::Wait(_)) => None,
            Timer::Server(record::Timer::Ttl(_)) => Some("ttl lapse"),
        }
    }

    fn is_answer(&self, request: &Letter, answer: &Letter) -> bool {
        matches!(answer.message, Message::Response(_)) && call(request) == call(answer)
    }

    fn unanswered(&self, letter: &Letter) -> Option<Letter> {
        let instead = Response::unanswered(call(letter)?);
        Some(Letter::plain(Message::Response(instead)))
    }

    fn server_error(&self, letter: &Letter) -> Option<Letter> {
        const TROUBLE: u16 = 503;
        let instead = Response::bare(call(letter)?, TROUBLE);
        Some(Letter::plain(Message::Response(instead)))
    }

    fn timer_name(&self, timer: &Timer) -> &'static str {
        match timer {
            Timer::Client(timer) => timer.name(),
            Timer::Server(record::Timer::Ttl(_)) => "ttl timer",
            Timer::Server(record::Timer::Wait(_)) => "wait timer",
        }
    }

    fn is_same_grant(
        &self,
        (_, earlier, _): (NodeId, &State, &Timer),
        (_, _, later): (NodeId, &State, &Timer),
    ) -> bool {
        match (earlier, later) {
            (State::Client(client), Timer::Server(record::Timer::Ttl(claim))) => {
                client.is_backed && client.core.claim == Some(*claim)
            }
            (State::Client(_) | State::Server(_) | State::Store(_), _) => false,
        }
    }

    fn mark(&self, _node: NodeId, _state: &State, timer: &Timer) -> Option<ClaimId> {
        match timer {
            Timer::Server(record::Timer::Ttl(claim)) => Some(*claim),
            Timer::Client(_) | Timer::Server(record::Timer::Wait(_)) => None,
        }
    }

    fn lapse(&self, answer: &mut Letter, mark: Option<&ClaimId>) {
        if let Message::Response(response) = &mut answer.message
            && response.grants()
            && mark.is_none_or(|mark| response.claim == Some(*mark))
        {
            *response = response.lapsed();
        }
    }

    fn watch(&self) -> Watch {
        Watch { clients: vec![Past::default(); self.clients] }
    }

    fn observe(&self, watch: &mut Watch, seen: &Seen<ClaimTypes>) {
        predicates::observe(watch, seen);
    }

    fn input_words(&self, _node: NodeId, input: &InputOf<ClaimTypes>) -> String {
        match input {
            Input::Message { message: letter, .. } => match letter.message {
                Message::Response(Response { status, lease: Lease::Lapsed, .. }) => {
                    format!("response ({status}), its lease over")
                }
                Message::Response(Response { status, .. }) => format!("response ({status})"),
                Message::Request(_) | Message::Act { .. } => letter.message.to_string(),
            },
            Input::Fired(timer) => format!("{} triggers", self.timer_name(timer)),
            Input::Command(Command::Client(command)) => match command {
                client::Command::Claim { .. } => "claim()".to_owned(),
                client::Command::Release => "client requests release".to_owned(),
                client::Command::Signal => "signal received".to_owned(),
                client::Command::Act => "acts".to_owned(),
            },
            Input::Command(Command::Server(record::Command::GiveUp { claim })) => {
                format!("claim {claim} given up")
            }
            Input::Command(Command::Server(command)) => format!("{command:?}"),
            Input::Restart(_) => "starts again".to_owned(),
        }
    }

    fn message_words(&self, letter: &Letter) -> String {
        letter.message.to_string()
    }

    fn effect_words(&self, _node: NodeId, effect: &EffectOf<ClaimTypes>) -> Option<String> {
        match effect {
            Effect::Arm(timer) => Some(format!("arms {}", self.timer_name(timer))),
            Effect::Disarm(timer) => Some(format!("disarms {}", self.timer_name(timer))),
            Effect::Notify(Notice::Client(notice)) => Some(format!("tells user: {notice:?}")),
            Effect::Notify(Notice::Store(notice)) => Some(format!("{notice:?}")),
            Effect::Notify(Notice::Server(record::Notice::Became { claim, status, .. })) => {
                Some(format!("claim {claim} is {}", status.name()))
            }
            Effect::Save(_) | Effect::Send { .. } => None,
        }
    }

    fn state_words(&self, state: &State) -> Option<String> {
        match state {
            State::Client(client) => Some(client.core.at.name().to_owned()),
            State::Server(_) | State::Store(_) => None,
        }
    }
}

impl Numbers for State {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        match self {
            Self::Client(client) => client.core.visit(each),
            Self::Server(state) => state.visit(each),
            Self::Store(state) => state.visit(each),
        }
    }
}

impl Numbers for Letter {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        self.message.visit(each);
    }
}

impl Numbers for Timer {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        match self {
            Self::Client(_) => {}
            Self::Server(timer) => timer.visit(each),
        }
    }
}

impl Numbers for Notice {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        match self {
            Self::Client(notice) => notice.visit(each),
            Self::Server(notice) => notice.visit(each),
            Self::Store(notice) => notice.visit(each),
        }
    }
}

impl Numbers for Saved {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        let Self::Server(saved) = self;
        saved.visit(each);
    }
}

//! The claim system: clients of one resource, the claim server, and a store behind the lock.
//!
//! Wiring and predicates only; what the nodes do is turnstile-core's. The worlds, budgets and
//! properties stand in `spec/systems/claim.yaml`.

mod cores;
mod predicates;
pub mod types;
mod world;

use turnstile_core::claim::client::{self, Client};
use turnstile_core::claim::message::{Lease, Message, ResourceName, Response};
use turnstile_core::claim::record::{self, Limits, Records};
use turnstile_core::fence::Fence;
use turnstile_core::number::{ClaimId, IdempotencyKey};
use turnstile_core::step::{Core, Effect, Input};
use turnstile_machines::claim::Rules as _;

use crate::report::options::{Refusal, Replacement};
use crate::systems::Wired;
use crate::systems::rules::chosen;
use crate::world::system::{EffectOf, InputOf, Named, NodeId, OutOf, System};
use crate::world::watch::Seen;

use self::cores::call;
pub use self::types::{
    ClaimTypes, Command, Lessee, Letter, Notice, Past, Saved, State, Timer, Watch,
};
pub use world::ENTRY;

chosen!(ClientRules, claim);
chosen!(RecordRules, claim_record);

/// The cores of the claim system. Clients come first, then the server, then the store.
#[derive(Clone, Debug)]
pub struct Claim {
    /// How many clients.
    pub clients: usize,
    /// The table of each client.
    pub client: ClientRules,
    /// The table of the server's records.
    pub record: RecordRules,
    /// Clients ask the server to answer only when the lock is granted.
    pub waits: bool,
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
    pub fn new(clients: usize, waits: bool, tables: &[Replacement]) -> Result<Self, Refusal> {
        Ok(Self {
            clients,
            client: ClientRules::among(tables)?,
            record: RecordRules::among(tables)?,
            waits,
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
        Client { rules: self.client.choosing(choice), resource: RESOURCE, waits: self.waits }
    }

    fn records(&self, choice: u8) -> Records<RecordRules> {
        Records { rules: self.record.choosing(choice), limits: LIMITS }
    }
}

impl System for Claim {
    type Types = ClaimTypes;

    const BUDGETS: &'static [&'static str] = <Self as Wired>::BUDGETS;

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
        let before = saved.take();
        *saved = match new {
            Saved::Server(new) => {
                let mut inner = before.and_then(Saved::of_server);
                <Records<RecordRules> as Core>::keep(&mut inner, new);
                inner.map(Saved::Server)
            }
            Saved::Store(new) => {
                let mut inner = before.and_then(Saved::of_store);
                <Fence as Core>::keep(&mut inner, new);
                inner.map(Saved::Store)
            }
        };
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
            Timer::Client(_) => None,
            Timer::Server(record::Timer::Ttl(_)) => Some("ttl lapse"),
            Timer::Server(record::Timer::Wait(_)) => Some(world::PATIENCE),
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

    fn refused(&self, letter: &Letter) -> Option<Letter> {
        let instead = Response::refused(call(letter)?);
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

    fn renames(&self) -> bool {
        true
    }

    /// Only the server names clients, in the requests that it has not answered yet; a letter goes
    /// by its link.
    fn rename(&self, value: Named<'_, ClaimTypes>, to: &[NodeId]) {
        match value {
            Named::State(State::Server(state)) => {
                state.visit_callers(&mut |from| *from = cores::caller(to[cores::node(*from)]));
            }
            Named::Watch(Watch { clients }) => {
                let before = clients.clone();
                before.into_iter().zip(to).for_each(|(past, &to)| clients[to] = past);
            }
            Named::State(State::Client(_) | State::Store(_))
            | Named::Message(_)
            | Named::Timer(_)
            | Named::Saved(_) => {}
        }
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

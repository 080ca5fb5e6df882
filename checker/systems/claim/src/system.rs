//! The nodes and their wiring.

use turnstile_core::claim::client::{self, Client};
use turnstile_core::claim::keychain;
use turnstile_core::claim::message::{Message, ResourceName, Response};
use turnstile_core::claim::record::{self, Limits, Records};
use turnstile_core::fence::Fence;
use turnstile_core::number::ClaimId;
use turnstile_harness::SystemSpec;
use turnstile_harness::rules::Chosen;
use turnstile_step::{Core, Effect, Input};
use turnstile_world::NodeId;
use turnstile_world::system::{EffectOf, InputOf, Named, ObservationOf, OutOf, System};

use crate::types::{
    Chain, ClaimTypes, Command, Lessee, Letter, Monitor, Office, Past, Saved, State, Timer, Way,
};
use crate::{cores, past, words, world};
use std::ops::Range;

use crate::cores::call;

/// The table that runs, chosen at run time.
pub type ClientRules = Chosen<turnstile_machines::claim::Machine>;
/// The table that runs, chosen at run time.
pub type RecordRules = Chosen<turnstile_machines::claim_record::Machine>;

/// The cores of the claim system. Clients come first, then keychains, the server, the store.
#[derive(Clone, Debug)]
pub struct Claim {
    /// How many clients.
    pub clients: usize,
    /// How many keychains.
    pub keychains: usize,
    /// How many resources there are; clients of one claim want the first, programs want all.
    pub locks: u32,
    /// How much the server keeps.
    pub limits: Limits,
    /// The table of each client.
    pub client: ClientRules,
    /// The table of the server's records.
    pub record: RecordRules,
    /// Clients ask the server to answer only when the lock is granted.
    pub waits: bool,
    /// Clients watch their claims: they are told by the server that one is over.
    pub watches: bool,
}

/// The one resource that everybody wants.
pub(crate) const RESOURCE: ResourceName = ResourceName(0);

/// A fresh idempotency key: above all that renumbering leaves, and another one for each client.
pub(crate) const FRESH_KEY: u64 = 1 << 32;

impl Claim {
    /// The server's number.
    #[must_use]
    pub fn server(&self) -> NodeId {
        self.clients + self.keychains
    }

    /// The store's number.
    #[must_use]
    pub fn store(&self) -> NodeId {
        self.server() + 1
    }

    /// Everything that there is a lock of.
    pub(crate) fn resources(&self) -> impl Iterator<Item = ResourceName> + use<> {
        (0..self.locks).map(ResourceName)
    }

    /// Where the properties remember what a keychain's program has of a resource; those of clients
    /// come first.
    pub(crate) fn seat(&self, keychain: NodeId, resource: ResourceName) -> usize {
        let before = (keychain - self.clients) * self.locks as usize;
        self.clients + before + resource.0 as usize
    }

    /// Where the properties remember what the user has that acts from a node.
    pub(crate) fn user(&self, node: NodeId) -> usize {
        if self.is_keychain(node) { self.seat(node, RESOURCE) } else { node }
    }

    /// The seats of a node; none of one that has no user.
    pub(crate) fn seats_of(&self, node: NodeId) -> Range<usize> {
        if node < self.clients {
            node..node + 1
        } else if self.is_keychain(node) {
            let first = self.seat(node, RESOURCE);
            first..first + self.locks as usize
        } else {
            0..0
        }
    }

    fn is_keychain(&self, node: NodeId) -> bool {
        (self.clients..self.server()).contains(&node)
    }

    pub(crate) fn client(&self, choice: u8, waits: bool) -> Client<ClientRules> {
        Client { rules: self.client.choosing(choice), resource: RESOURCE, waits }
    }

    pub(crate) fn records(&self, choice: u8) -> Records<RecordRules> {
        Records { rules: self.record.choosing(choice), limits: self.limits }
    }
}

impl System for Claim {
    type Types = ClaimTypes;

    const BUDGETS: &'static [&'static str] = <Self as SystemSpec>::BUDGETS;

    fn start(&self, node: NodeId) -> State {
        if node < self.clients {
            let core = self.client(0, self.waits).start();
            State::Client(Lessee { core, is_backed: false, waits: self.waits, is_deaf: false })
        } else if self.is_keychain(node) {
            State::Keychain(Chain::default())
        } else if node == self.server() {
            State::Server(Office { core: self.records(0).start(), ..Office::default() })
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
            State::Keychain(state) => self.step_keychain(choice, state, input, out),
            State::Server(state) => self.step_server(choice, state, input, out),
            State::Store(state) => Self::step_store(state, input, out),
        }
    }

    fn keep(&self, saved: &mut Option<Saved>, new: Saved) {
        let before = saved.take();
        *saved = match new {
            Saved::Server(new) => {
                let mut inner = before.and_then(Saved::server);
                <Records<RecordRules> as Core>::keep(&mut inner, new);
                inner.map(Saved::Server)
            }
            Saved::Store(new) => {
                let mut inner = before.and_then(Saved::store);
                <Fence as Core>::keep(&mut inner, new);
                inner.map(Saved::Store)
            }
        };
    }

    fn choices(&self, node: NodeId) -> u8 {
        if node < self.server() {
            self.client.choices()
        } else if node == self.server() {
            self.record.choices()
        } else {
            1
        }
    }

    /// A user claims once, and may then release, act or be signalled at any moment of a claim
    /// that has not ended. An operator may revoke any claim.
    fn commands(&self, node: NodeId, state: &State) -> Vec<Command> {
        match state {
            State::Client(client) => self.wishes(node, client),
            State::Keychain(chain) => self.asks(node, chain),
            State::Server(server) => {
                server.core.claims().map(|(claim, _)| Command::Revoke(claim)).collect()
            }
            State::Store(_) => Vec::new(),
        }
    }

    fn command_budget(&self, command: &Command) -> Option<&'static str> {
        match command {
            Command::Client(client::Command::Claim { .. })
            | Command::Keychain(keychain::Command::Claim { .. }) => None,
            Command::FreshKey(_) | Command::Keychain(keychain::Command::GoOn { .. }) => {
                Some("fresh key")
            }
            Command::Client(client::Command::Release)
            | Command::Keychain(keychain::Command::Release { .. }) => Some("release"),
            Command::Client(client::Command::Signal) => Some("signal"),
            Command::Client(client::Command::Act)
            | Command::Keychain(keychain::Command::Act { .. }) => Some("act"),
            Command::AskOtherwise => Some("change of mind"),
            Command::Keychain(keychain::Command::Close) => Some("program end"),
            Command::ClaimAgain(_) => Some("second claim"),
            Command::Revoke(_) => Some("revocation"),
        }
    }

    fn timer_budget(&self, timer: &Timer) -> Option<&'static str> {
        match timer {
            Timer::Client(_) | Timer::Keychain(_) => None,
            Timer::Server(record::Timer::Ttl(_)) => Some("ttl lapse"),
            Timer::Server(record::Timer::Wait(_)) => Some(world::PATIENCE),
            Timer::Server(record::Timer::Idle(_)) => Some("waiter given up"),
            Timer::Server(record::Timer::Lapse(_)) => Some("lapsed claim ends"),
        }
    }

    fn is_answer(&self, request: &Letter, answer: &Letter) -> bool {
        self.is_reply(answer) && call(request) == call(answer)
    }

    fn is_reply(&self, letter: &Letter) -> bool {
        matches!(letter.message, Message::Response(_))
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

    /// Only a request that the server keeps open is on its way for long.
    fn hung_up(&self, letter: &Letter) -> Option<Letter> {
        Some(Letter { way: Way::HungUp, ..*letter })
    }

    fn stray(&self, letter: &Letter) -> Letter {
        Letter { way: Way::Stray, ..*letter }
    }

    fn refused(&self, letter: &Letter) -> Option<Letter> {
        let instead = Response::refused(call(letter)?);
        Some(Letter::plain(Message::Response(instead)))
    }

    fn timer_name(&self, timer: &Timer) -> &'static str {
        match timer {
            Timer::Client(timer) | Timer::Keychain(keychain::Timer { resource: _, timer }) => {
                timer.name()
            }
            Timer::Server(record::Timer::Ttl(_)) => "ttl timer",
            Timer::Server(record::Timer::Wait(_)) => "wait timer",
            Timer::Server(record::Timer::Idle(_)) => "idle timer",
            Timer::Server(record::Timer::Lapse(_)) => "lapse timer",
        }
    }

    fn is_same_grant(
        &self,
        (_, earlier, lease): (NodeId, &State, &Timer),
        (_, _, later): (NodeId, &State, &Timer),
    ) -> bool {
        let Timer::Server(record::Timer::Ttl(claim)) = later else { return false };
        match (earlier, lease) {
            (State::Client(client), _) => client.is_backed && client.core.claim == Some(*claim),
            (State::Keychain(chain), Timer::Keychain(keychain::Timer { resource, .. })) => {
                let client = chain.core.claim(*resource);
                let is_of = client.is_some_and(|client| client.claim == Some(*claim));
                is_of && chain.backed.contains(resource)
            }
            (State::Keychain(_) | State::Server(_) | State::Store(_), _) => false,
        }
    }

    fn mark(&self, _node: NodeId, _state: &State, timer: &Timer) -> Option<ClaimId> {
        match timer {
            Timer::Server(record::Timer::Ttl(claim)) => Some(*claim),
            Timer::Client(_)
            | Timer::Keychain(_)
            | Timer::Server(
                record::Timer::Wait(_) | record::Timer::Idle(_) | record::Timer::Lapse(_),
            ) => None,
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

    fn monitor(&self) -> Monitor {
        let programs = self.keychains * self.locks as usize;
        Monitor { seats: vec![Past::default(); self.clients + programs], ..Monitor::default() }
    }

    fn observe(&self, monitor: &mut Monitor, seen: &ObservationOf<ClaimTypes>) {
        past::observe(self, monitor, seen);
    }

    fn renames(&self) -> bool {
        true
    }

    /// Only the server names clients, in the requests that it has not answered yet; a letter goes
    /// by its link.
    fn rename(&self, value: Named<'_, ClaimTypes>, to: &[NodeId]) {
        match value {
            Named::State(State::Server(state)) => {
                state.core.visit_callers(&mut |from| {
                    if *from != cores::STRAY {
                        *from = cores::caller(to[cores::node(*from)]);
                    }
                });
                state.watched.values_mut().for_each(|node| *node = to[*node]);
            }
            Named::Monitor(Monitor { seats, .. }) => {
                let before = seats.clone();
                for (client, past) in before.iter().take(self.clients).enumerate() {
                    seats[to[client]] = *past;
                }
                for keychain in self.clients..self.server() {
                    for resource in self.resources() {
                        let past = before[self.seat(keychain, resource)];
                        seats[self.seat(to[keychain], resource)] = past;
                    }
                }
            }
            Named::State(State::Client(_) | State::Keychain(_) | State::Store(_))
            | Named::Message(_)
            | Named::Timer(_)
            | Named::Saved(_) => {}
        }
    }

    fn input_words(&self, _node: NodeId, input: &InputOf<ClaimTypes>) -> String {
        match input {
            Input::Fired(timer) => format!("{} triggers", self.timer_name(timer)),
            Input::Message { message, .. } => words::letter(message),
            Input::Command(command) => words::command(command),
            Input::Restart(_) => "starts again".to_owned(),
        }
    }

    fn message_words(&self, letter: &Letter) -> String {
        if letter.way == Way::HungUp { words::letter(letter) } else { letter.message.to_string() }
    }

    fn effect_words(&self, _node: NodeId, effect: &EffectOf<ClaimTypes>) -> Option<String> {
        match effect {
            Effect::Arm(timer) => Some(format!("arms {}", self.timer_name(timer))),
            Effect::Disarm(timer) => Some(format!("disarms {}", self.timer_name(timer))),
            Effect::Notify(notice) => Some(words::notice(notice)),
            Effect::Save(_) | Effect::Send { .. } => None,
        }
    }

    fn state_words(&self, state: &State) -> Option<String> {
        match state {
            State::Client(client) => Some(client.core.at.name().to_owned()),
            State::Keychain(_) | State::Server(_) | State::Store(_) => None,
        }
    }
}

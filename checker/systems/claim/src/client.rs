//! A client of one claim as a node: what its user may ask, and what is judged of its steps.

use std::fmt;

use turnstile_core::claim::client::{self, Client};
use turnstile_core::claim::message::{Ask, Lease, Message, Request, Server};
use turnstile_core::number::IdempotencyKey;
use turnstile_machine::Rules as _;
use turnstile_machines::claim::{Resource, State as Stage};
use turnstile_step::{Core, Effect, EffectOf, Input, InputOf, OutOf, RowOutcome, Symbolic};
use turnstile_world::{CoreNode, NodeId};

use crate::letter::{InLetters, Letter, heard};
use crate::system::{Claim, ClientRules, FRESH_KEY, RESOURCE};

/// A client, and what its clock has to do with the server's.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct Lessee {
    /// The core's state.
    pub(crate) core: client::State,
    /// The server counted the ttl anew when it handled the request from whose send the lease is
    /// counted; so the lease is over first.
    pub(crate) is_backed: bool,
    /// It asks the server to answer only when the lock is granted.
    waits: bool,
    /// It was told that its claim is over, and still says that it holds the lock.
    pub(crate) is_deaf: bool,
}

/// What is asked of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum ClientCommand {
    /// By its user.
    User(client::Command),
    /// Whoever drives it gives it the key that it needs to claim anew.
    FreshKey(IdempotencyKey),
    /// From now on, if it polled, it asks for an answer only when the lock is granted, or the other
    /// way round.
    AskOtherwise,
}

/// A client of a world.
#[derive(Clone, Debug)]
pub(crate) struct ClientNode {
    pub(crate) claim: Claim,
    pub(crate) node: NodeId,
}

impl ClientNode {
    fn client(&self, waits: bool) -> InLetters<Client<ClientRules>> {
        InLetters(Client { rules: self.claim.client.clone(), resource: RESOURCE, waits })
    }
}

const LEASE_TIMER: client::Timer = client::Timer(Resource::LeaseTimer);

impl Core for ClientNode {
    type State = Lessee;
    type Peer = Server;
    type Message = Letter;
    type Timer = client::Timer;
    type Command = ClientCommand;
    type Notice = client::Notice;
    type Saved = ();

    fn start(&self) -> Lessee {
        let waits = self.claim.waits;
        Lessee { core: self.client(waits).start(), is_backed: false, waits, is_deaf: false }
    }

    fn step(&self, lessee: &mut Lessee, input: InputOf<Self>, out: &mut OutOf<Self>) {
        let heard = heard(&input);
        let had_lease = matches!(input, Input::Fired(LEASE_TIMER) | Input::Restart(_));
        let input = match input {
            Input::Command(ClientCommand::AskOtherwise) => {
                lessee.waits = !lessee.waits;
                return;
            }
            Input::Command(ClientCommand::User(command)) => Input::Command(command),
            Input::Command(ClientCommand::FreshKey(key)) => {
                Input::Command(client::Command::Claim { key })
            }
            Input::Message { from, message } => Input::Message { from, message },
            Input::Fired(timer) => Input::Fired(timer),
            Input::Restart(saved) => Input::Restart(saved),
        };
        let counts = self.claim.client.holds(Stage::Active).contains(&Resource::LeaseTimer);
        let renewed = counts && heard.is_some_and(|letter| renews(lessee, letter));
        let over = heard.and_then(Letter::over).filter(|claim| lessee.core.claim == Some(*claim));
        self.client(lessee.waits).step(&mut lessee.core, input, out);
        lessee.is_deaf |= over.is_some() && lessee.core.is_held();
        let armed = out.effects.contains(&Effect::Arm(LEASE_TIMER));
        if armed || had_lease || out.effects.contains(&Effect::Disarm(LEASE_TIMER)) {
            lessee.is_backed = armed && heard.is_some_and(|letter| letter.is_backed);
        }
        let stays = lessee.core.at == Stage::Active;
        out.rows.extend((renewed && stays && !armed).then_some(UNRENEWED));
        let is_heard = out.effects.iter().all(|effect| !posts(effect, !lessee.waits));
        out.rows.extend((!is_heard).then_some(UNHEARD));
    }
}

impl CoreNode for ClientNode {
    type Core = Self;

    fn core(&self, choice: u8) -> Self {
        Self { claim: self.claim.choosing(choice), node: self.node }
    }

    fn choices(&self) -> u8 {
        self.claim.client.choices()
    }

    fn node(&self, peer: Server) -> NodeId {
        self.claim.node_of(peer)
    }

    fn peer(&self, node: NodeId) -> Server {
        self.claim.server_at(node)
    }

    /// A user claims once, and may then release, act or be signalled at any moment of a claim
    /// that has not ended.
    fn commands(&self, lessee: &Lessee) -> Vec<ClientCommand> {
        let (state, rules) = (&lessee.core, &self.claim.client);
        let key = IdempotencyKey::new(FRESH_KEY + self.node as u64);
        if state.at == rules.initial() {
            let claim = ClientCommand::User(client::Command::Claim { key });
            return vec![claim, ClientCommand::AskOtherwise];
        }
        if rules.is_final(state.at) {
            return Vec::new();
        }
        let mut asks = vec![client::Command::Release, client::Command::Signal];
        asks.extend(state.is_held().then_some(client::Command::Act));
        let fresh = (state.at == Stage::StartingOver).then_some(ClientCommand::FreshKey(key));
        let others = fresh.into_iter().chain([ClientCommand::AskOtherwise]);
        asks.into_iter().map(ClientCommand::User).chain(others).collect()
    }

    fn timer_name(&self, timer: &client::Timer) -> &'static str {
        timer.0.name()
    }

    fn heard_words(&self, letter: &Letter) -> String {
        letter.heard_words()
    }

    fn fired_words(&self, timer: &client::Timer) -> String {
        format!("{timer} triggers")
    }

    fn notice_words(&self, notice: &client::Notice) -> Option<String> {
        Some(if *notice == client::Notice::KeyNeeded {
            "needs a fresh key".to_owned()
        } else {
            format!("tells user: {notice:?}")
        })
    }

    fn state_words(&self, lessee: &Lessee) -> Option<String> {
        Some(lessee.core.at.name().to_owned())
    }
}

impl fmt::Display for ClientCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User(client::Command::Claim { .. }) => "claim()",
            Self::User(client::Command::Release) => "client requests release",
            Self::User(client::Command::Signal) => "signal received",
            Self::User(client::Command::Act) => "acts",
            Self::FreshKey(_) => "gets a fresh key",
            Self::AskOtherwise => "asks otherwise from now on",
        })
    }
}

/// What is wrong where an answer in time to a holder does not arm its lease timer anew.
const UNRENEWED: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim",
    action: "restart lease timer",
    because: "an answer in time renews the lease",
};

/// What is wrong where a POST asks to be held though its client does not listen, or the other way
/// round.
const UNHEARD: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim",
    action: "send POST",
    because: "a client that listens asks the server to hold its POST, and no other does",
};

/// Whether a letter is an answer in time to a renewal that a holder waits for.
fn renews(lessee: &Lessee, letter: Letter) -> bool {
    let Message::Response(response) = letter.message else { return false };
    let mut calls = lessee.core.calls.iter();
    let is_open = calls.any(|call| {
        call.id == response.call
            && call.request == Resource::RenewPatchRequest
            && !call.is_abandoned
    });
    let is_in_time = response.lease == Lease::Live && (200..300).contains(&response.status);
    is_open && is_in_time
}

/// Whether an effect is a POST that the server is to hold, or is not.
fn posts(effect: &EffectOf<ClientNode>, is_held: bool) -> bool {
    let Effect::Send { message: letter, .. } = effect else { return false };
    matches!(letter.message, Message::Request(Request { ask: Ask::Post { wait, .. }, .. })
        if wait == is_held)
}

//! A client of one claim as a node: the commands of its user, and the checks of its steps.

use turnstile_claim_core::client::{self, Client};
use turnstile_claim_core::message::{Lease, Message, Request, RequestKind, Server};
use turnstile_claim_core::number::IdempotencyKey;
use turnstile_claim_machines::claim::{Resource, State as Stage};
use turnstile_machine::Rules as _;
use turnstile_step::{Core, Effect, Input, InputOf, OutOf, RowOutcome, Symbolic};
use turnstile_world::{Breaches, CoreNode, NodeId};

use crate::claim::{ClaimSystem, ClientRules, FRESH_KEY, RESOURCE};
use crate::client_command::{ClientCommand, ClientEffect, ClientInput};
use crate::envelope::{Envelope, Enveloped, received};
use crate::promises::{ClientStep, counts_leases};
use crate::rule;

/// A client, and the relation of its lease to the server's ttl.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Symbolic)]
pub(crate) struct ClientState {
    /// The core's state.
    pub(crate) core: client::State,
    /// The server restarted the ttl when it handled the request from whose send the lease is
    /// counted, so the lease expires first.
    pub(crate) is_backed: bool,
    /// It long-polls: the server is to answer only when the lock is granted.
    waits: bool,
    /// Answers take so long that no lease leaves time for a renewal.
    is_slow: bool,
}

/// A client of a world.
#[derive(Clone, Debug)]
pub(crate) struct ClientNode {
    pub(crate) claim: ClaimSystem,
    pub(crate) node: NodeId,
}

impl ClientNode {
    fn client(&self, waits: bool) -> Enveloped<Client<ClientRules>> {
        Enveloped(Client { rules: self.claim.client.clone(), resource: RESOURCE, waits })
    }
}

const LEASE_TIMER: client::Timer = client::Timer(Resource::LeaseTimer);

impl Core for ClientNode {
    type State = ClientState;
    type Peer = Server;
    type Message = Envelope;
    type Timer = client::Timer;
    type Command = ClientCommand;
    type Notice = client::Notice;
    type Saved = ();

    fn start(&self) -> ClientState {
        let waits = self.claim.waits;
        ClientState {
            core: self.client(waits).start(),
            is_backed: false,
            waits,
            is_slow: self.claim.is_slow,
        }
    }

    fn step(&self, client_state: &mut ClientState, input: InputOf<Self>, out: &mut OutOf<Self>) {
        CoreNode::step(self, self, client_state, input, out, &mut Breaches::default());
    }
}

impl CoreNode for ClientNode {
    type Core = Self;

    fn core(&self, choice: u8) -> Self {
        Self { claim: self.claim.choosing(choice), node: self.node }
    }

    fn step(
        &self,
        core: &Self,
        client_state: &mut ClientState,
        input: InputOf<Self>,
        out: &mut OutOf<Self>,
        breaches: &mut Breaches,
    ) {
        let input = if client_state.is_slow { slowed(input) } else { input };
        let received = received(&input);
        let before = (client_state.core.clone(), input.clone());
        let had_lease = matches!(input, Input::Fired(LEASE_TIMER) | Input::Restart(_));
        let input = match input {
            Input::Command(ClientCommand::TogglePolling) => {
                client_state.waits = !client_state.waits;
                return;
            }
            Input::Command(ClientCommand::ChangeLine) => {
                client_state.is_slow = !client_state.is_slow;
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
        let command = if let Input::Command(command) = &input { Some(*command) } else { None };
        let renewed = counts_leases(&core.claim.client)
            && received.is_some_and(|envelope| renews(client_state, envelope));
        let over = received
            .and_then(Envelope::over)
            .filter(|claim| client_state.core.claim == Some(*claim));
        core.client(client_state.waits).step(&mut client_state.core, input, out);
        let (before, input, rules) = (&before.0, &before.1, &core.claim.client);
        let (after, effects) = (&client_state.core, &out.effects);
        let step = ClientStep { before, input, command, after, effects, rules };
        // An event without a row is a violation by itself, and breaks no promise besides.
        let is_handled = !out.rows.iter().any(is_unhandled);
        if is_handled {
            step.add_to(breaches);
        }
        breaches.require(rule::KNOWN_END, over.is_none() || !client_state.core.is_held());
        let armed = out.effects.contains(&Effect::Arm(LEASE_TIMER));
        if armed || had_lease || out.effects.contains(&Effect::Disarm(LEASE_TIMER)) {
            client_state.is_backed = armed && received.is_some_and(|envelope| envelope.is_backed);
        }
        let stays = client_state.core.at == Stage::Active;
        out.rows.extend((renewed && stays && !armed).then_some(UNRENEWED));
        let is_heard = out.effects.iter().all(|effect| !posts(effect, !client_state.waits));
        out.rows.extend((!is_heard).then_some(LONG_POLL_MISMATCH));
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
    fn commands(&self, client_state: &ClientState) -> Vec<ClientCommand> {
        let (state, rules) = (&client_state.core, &self.claim.client);
        let key = IdempotencyKey::new(FRESH_KEY + self.node as u64);
        if state.at == rules.initial() {
            let claim = ClientCommand::User(client::Command::Claim { key });
            return vec![claim, ClientCommand::TogglePolling, ClientCommand::ChangeLine];
        }
        if rules.is_final(state.at) {
            return Vec::new();
        }
        let mut asks = vec![client::Command::Release, client::Command::Signal];
        asks.extend(state.is_held().then_some(client::Command::Act));
        let fresh = (state.at == Stage::StartingOver).then_some(ClientCommand::FreshKey(key));
        let others =
            fresh.into_iter().chain([ClientCommand::TogglePolling, ClientCommand::ChangeLine]);
        asks.into_iter().map(ClientCommand::User).chain(others).collect()
    }

    fn timer_name(&self, timer: &client::Timer) -> &'static str {
        timer.0.name()
    }

    fn heard_words(&self, envelope: &Envelope) -> String {
        envelope.heard_words()
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

    fn state_words(&self, client_state: &ClientState) -> Option<String> {
        Some(client_state.core.at.name().to_owned())
    }
}

/// The violation where an answer in time to a holder does not restart its lease timer.
const UNRENEWED: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim",
    action: "restart lease timer",
    reason: "an answer in time renews the lease",
};

/// The violation where a POST asks for a long poll although its client polls, or the reverse.
const LONG_POLL_MISMATCH: RowOutcome = RowOutcome::ActionFailed {
    machine: "claim",
    action: "send POST",
    reason: "a client that listens asks the server to hold its POST, and no other does",
};

/// Whether an event had no row.
const fn is_unhandled(outcome: &RowOutcome) -> bool {
    matches!(outcome, RowOutcome::Unexpected { .. })
}

/// Whether a message is an answer in time to an outstanding renewal of a holder.
fn renews(client_state: &ClientState, envelope: Envelope) -> bool {
    let Message::Response(response) = envelope.message else { return false };
    let mut calls = client_state.core.calls.iter();
    let is_open = calls.any(|call| {
        call.id == response.call
            && call.request == Resource::RenewPatchRequest
            && !call.is_abandoned
    });
    let is_in_time = response.lease != Lease::Lapsed && (200..300).contains(&response.status);
    is_open && is_in_time
}

/// The same input of a client with a slow line: a lease that is granted leaves no time.
fn slowed(input: ClientInput) -> ClientInput {
    match input {
        Input::Message { from, message: envelope } => {
            Input::Message { from, message: envelope.slowed() }
        }
        Input::Command(_) | Input::Fired(_) | Input::Restart(_) => input,
    }
}

/// Whether an effect is a POST that asks for a long poll (`is_held`), or one that does not.
fn posts(effect: &ClientEffect, is_held: bool) -> bool {
    let Effect::Send { message: envelope, .. } = effect else { return false };
    let Message::Request(Request { kind, .. }) = &envelope.message else { return false };
    matches!(kind, RequestKind::Post { wait, .. } if *wait == is_held)
}

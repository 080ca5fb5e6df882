//! The nodes and their wiring.

use turnstile_claim_core::message::{Message, Response};
use turnstile_claim_core::{client, keychain, record};
use turnstile_claim_machines::claim::Resource;
use turnstile_harness::SystemSpec;
use turnstile_ids::number::CallId;
use turnstile_world::system::{Naming, NodeCore, System};
use turnstile_world::{Breaches, NodeId, Observation, Ordered, Value};

use crate::budgets::{LONG_POLL, NEW_TERM, REVOCATION, STRANGER};
use crate::claim::ClaimSystem;
use crate::client::{ClientNode, ClientState};
use crate::client_command::ClientCommand;
use crate::envelope::{Envelope, Route};
use crate::keychain::{KeychainNode, KeychainState, ProgramCommand};
use crate::monitor::{self, Monitor, UserHistory};
use crate::requests::ServerCommand;
use crate::server::{ServerNode, ServerState};
use crate::store::StoreNode;

/// The nodes of a world, and its wiring.
#[derive(Debug)]
pub(crate) struct Nodes {
    claim: ClaimSystem,
    nodes: Vec<Box<dyn NodeCore>>,
}

impl Nodes {
    pub(crate) fn new(claim: ClaimSystem) -> Self {
        let mut nodes: Vec<Box<dyn NodeCore>> = Vec::new();
        for node in 0..claim.server() {
            let claim = claim.clone();
            nodes.push(if claim.is_keychain(node) {
                Box::new(KeychainNode { claim, node })
            } else {
                Box::new(ClientNode { claim, node })
            });
        }
        nodes.push(Box::new(ServerNode(claim.clone())));
        nodes.push(Box::new(StoreNode));
        Self { claim, nodes }
    }
}

/// An answer that a caller sees instead of the server's.
fn instead(of: &Ordered, answer: impl FnOnce(CallId) -> Response) -> Option<Ordered> {
    let call = of.of::<Envelope>().call()?;
    Some(Ordered::new(Envelope::plain(Message::Response(answer(call)))))
}

impl System for Nodes {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        &*self.nodes[node]
    }

    fn budgets(&self) -> Vec<&str> {
        ClaimSystem::BUDGETS.to_vec()
    }

    fn command_budget(&self, command: &Ordered) -> Option<&str> {
        if let Some(command) = command.get::<ClientCommand>() {
            return match command {
                ClientCommand::User(client::Command::Claim { .. }) => None,
                ClientCommand::User(client::Command::Release) => Some("release"),
                ClientCommand::User(client::Command::Signal) => Some("signal"),
                ClientCommand::User(client::Command::Act) => Some("act"),
                ClientCommand::FreshKey(_) => Some("fresh key"),
                ClientCommand::TogglePolling => Some("polling switch"),
                ClientCommand::ChangeLine => Some("line change"),
            };
        }
        if let Some(command) = command.get::<ServerCommand>() {
            return Some(match command {
                ServerCommand::Revoke(_) => REVOCATION,
                ServerCommand::Ask(_) | ServerCommand::HangUp(_) => STRANGER,
                ServerCommand::BeginTerm => NEW_TERM,
            });
        }
        let ProgramCommand { command, is_again } = command.of();
        match command {
            keychain::Command::Claim { .. } => is_again.then_some("second claim"),
            keychain::Command::GoOn { .. } => Some("fresh key"),
            keychain::Command::Release { .. } => Some("release"),
            keychain::Command::Act { .. } => Some("act"),
            keychain::Command::Close => Some("program exit"),
        }
    }

    fn timer_budget(&self, timer: &Ordered) -> Option<&str> {
        if timer.get() == Some(&client::Timer(Resource::TimeoutTimer)) {
            return self.claim.is_slow.then_some("time-out");
        }
        Some(match timer.get()? {
            record::Timer::Ttl(_) => "ttl lapse",
            record::Timer::Wait(_) => LONG_POLL,
            record::Timer::Idle(_) => "waiter expiry",
            record::Timer::Lapse(_) => "lapsed claim expiry",
        })
    }

    fn is_answer(&self, request: &Ordered, answer: &Ordered) -> bool {
        self.is_reply(answer) && request.of::<Envelope>().call() == answer.of::<Envelope>().call()
    }

    fn is_reply(&self, message: &Ordered) -> bool {
        matches!(message.of::<Envelope>().message, Message::Response(_))
    }

    fn unanswered(&self, message: &Ordered) -> Option<Ordered> {
        instead(message, Response::unanswered)
    }

    fn server_error(&self, message: &Ordered) -> Option<Ordered> {
        const TROUBLE: u16 = 503;
        const THROTTLED: u16 = 429;
        if self.claim.is_throttled {
            let request = Some(message).filter(|message| !self.is_reply(message))?;
            return instead(request, |call| Response::bare(call, THROTTLED));
        }
        instead(message, |call| Response::bare(call, TROUBLE))
    }

    fn refused(&self, request: &Ordered) -> Option<Ordered> {
        instead(request, Response::refused)
    }

    /// Only a request that the server keeps open stays outstanding.
    fn hung_up(&self, request: &Ordered) -> Option<Ordered> {
        Some(Ordered::new(Envelope { route: Route::HungUp, ..*request.of() }))
    }

    fn orphaned(&self, request: &Ordered) -> Ordered {
        Ordered::new(Envelope { route: Route::Stray, ..*request.of() })
    }

    fn are_related(
        &self,
        (_, earlier, lease): (NodeId, &Value, &Ordered),
        (_, _, later): (NodeId, &Value, &Ordered),
    ) -> bool {
        let Some(record::Timer::Ttl(claim)) = later.get() else { return false };
        if let Some(client_state) = earlier.get::<ClientState>() {
            return client_state.is_backed && client_state.core.claim == Some(*claim);
        }
        let Some(keychain::Timer { resource, .. }) = lease.get() else { return false };
        let keychain_state: &KeychainState = earlier.of();
        let client = keychain_state.core.claim(*resource);
        let is_of = client.is_some_and(|client| client.claim == Some(*claim));
        is_of && keychain_state.backed.contains(resource)
    }

    fn expires(&self, _node: NodeId, _state: &Value, timer: &Ordered) -> Option<Value> {
        let record::Timer::Ttl(claim) = timer.get()? else { return None };
        Some(Value::new(*claim))
    }

    fn expire(&self, answer: &mut Ordered, expired: Option<&Value>) {
        let envelope = *answer.of::<Envelope>();
        if let Message::Response(response) = envelope.message
            && response.grants()
            && expired.is_none_or(|expired| response.claim == Some(*expired.of()))
        {
            let message = Message::Response(response.lapsed());
            *answer = Ordered::new(Envelope { message, ..envelope });
        }
    }

    fn monitor(&self, _breaches: &mut Breaches) -> Value {
        let programs = self.claim.keychains * self.claim.locks as usize;
        let users = vec![UserHistory::default(); self.claim.clients + programs];
        Value::new(Monitor { users, ..Monitor::default() })
    }

    fn observe(&self, monitor: &mut Value, seen: &Observation, breaches: &mut Breaches) {
        monitor::observe(&self.claim, monitor.of_mut(), seen, breaches);
    }

    fn renames(&self) -> bool {
        true
    }

    /// Only the server refers to clients, in unanswered requests and as watchers; a message is
    /// addressed by its link.
    fn rename(&self, value: Naming<'_>, to: &[NodeId]) {
        match value {
            Naming::State(state) => {
                if state.get::<ServerState>().is_some() {
                    state.of_mut::<ServerState>().rename(to);
                }
            }
            Naming::Monitor(monitor) => monitor.of_mut::<Monitor>().rename(&self.claim, to),
            Naming::Message(_) | Naming::Timer(_) | Naming::Saved(_) => {}
        }
    }
}

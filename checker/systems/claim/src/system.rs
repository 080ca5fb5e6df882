//! The nodes and their wiring.

use std::ops::Range;

use turnstile_core::claim::message::{Message, ResourceName, Response, Server};
use turnstile_core::claim::record::{self, Limits};
use turnstile_core::claim::{client, keychain};
use turnstile_core::number::CallId;
use turnstile_harness::SystemSpec;
use turnstile_harness::rules::Chosen;
use turnstile_world::system::{Naming, NodeCore, System};
use turnstile_world::{NodeId, Observation, Ordered, Value};

use crate::chain::{Chain, KeychainNode, ProgramCommand};
use crate::client::{ClientCommand, ClientNode, Lessee};
use crate::letter::{Letter, Way};
use crate::past::{self, Monitor, Past};
use crate::server::{Office, Revoke, ServerNode};
use crate::store::StoreNode;
use crate::world;

/// The table that runs, chosen at run time.
pub(crate) type ClientRules = Chosen<turnstile_machines::claim::Machine>;
/// The table that runs, chosen at run time.
pub(crate) type RecordRules = Chosen<turnstile_machines::claim_record::Machine>;

/// The cores of the claim system. Clients come first, then keychains, the server, the store.
#[derive(Clone, Debug)]
pub(crate) struct Claim {
    /// How many clients.
    pub(crate) clients: usize,
    /// How many keychains.
    pub(crate) keychains: usize,
    /// How many resources there are; clients of one claim want the first, programs want all.
    pub(crate) locks: u32,
    /// How much the server keeps.
    pub(crate) limits: Limits,
    /// The table of each client.
    pub(crate) client: ClientRules,
    /// The table of the server's records.
    pub(crate) record: RecordRules,
    /// Clients ask the server to answer only when the lock is granted.
    pub(crate) waits: bool,
    /// Clients watch their claims: they are told by the server that one is over.
    pub(crate) watches: bool,
}

/// The one resource that everybody wants.
pub(crate) const RESOURCE: ResourceName = ResourceName(0);

/// A fresh idempotency key: above all that renumbering leaves, and another one for each client.
pub(crate) const FRESH_KEY: u64 = 1 << 32;

impl Claim {
    /// The server's number.
    pub(crate) fn server(&self) -> NodeId {
        self.clients + self.keychains
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

    /// The same, by tables that take the row of this number where several match.
    pub(crate) fn choosing(&self, choice: u8) -> Self {
        let (client, record) = (self.client.choosing(choice), self.record.choosing(choice));
        Self { client, record, ..*self }
    }

    /// The node that a client means.
    pub(crate) fn node_of(&self, server: Server) -> NodeId {
        match server {
            Server::Claims => self.server(),
            Server::Store => self.server() + 1,
        }
    }

    /// What a client calls a node.
    pub(crate) fn server_at(&self, node: NodeId) -> Server {
        if node == self.server() { Server::Claims } else { Server::Store }
    }
}

/// The nodes of a world, and what none of them decides.
#[derive(Debug)]
pub(crate) struct Nodes {
    claim: Claim,
    nodes: Vec<Box<dyn NodeCore>>,
}

impl Nodes {
    pub(crate) fn new(claim: Claim) -> Self {
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
    let call = of.of::<Letter>().call()?;
    Some(Ordered::new(Letter::plain(Message::Response(answer(call)))))
}

impl System for Nodes {
    fn node(&self, node: NodeId) -> &dyn NodeCore {
        &*self.nodes[node]
    }

    fn budgets(&self) -> &'static [&'static str] {
        Claim::BUDGETS
    }

    fn command_budget(&self, command: &Ordered) -> Option<&'static str> {
        if let Some(command) = command.get::<ClientCommand>() {
            return match command {
                ClientCommand::User(client::Command::Claim { .. }) => None,
                ClientCommand::User(client::Command::Release) => Some("release"),
                ClientCommand::User(client::Command::Signal) => Some("signal"),
                ClientCommand::User(client::Command::Act) => Some("act"),
                ClientCommand::FreshKey(_) => Some("fresh key"),
                ClientCommand::AskOtherwise => Some("change of mind"),
            };
        }
        if command.get::<Revoke>().is_some() {
            return Some(world::WATCHED);
        }
        let ProgramCommand { command, is_again } = command.of();
        match command {
            keychain::Command::Claim { .. } => is_again.then_some("second claim"),
            keychain::Command::GoOn { .. } => Some("fresh key"),
            keychain::Command::Release { .. } => Some("release"),
            keychain::Command::Act { .. } => Some("act"),
            keychain::Command::Close => Some("program end"),
        }
    }

    fn timer_budget(&self, timer: &Ordered) -> Option<&'static str> {
        Some(match timer.get()? {
            record::Timer::Ttl(_) => "ttl lapse",
            record::Timer::Wait(_) => world::PATIENCE,
            record::Timer::Idle(_) => "waiter given up",
            record::Timer::Lapse(_) => "lapsed claim ends",
        })
    }

    fn is_answer(&self, request: &Ordered, answer: &Ordered) -> bool {
        self.is_reply(answer) && request.of::<Letter>().call() == answer.of::<Letter>().call()
    }

    fn is_reply(&self, message: &Ordered) -> bool {
        matches!(message.of::<Letter>().message, Message::Response(_))
    }

    fn unanswered(&self, message: &Ordered) -> Option<Ordered> {
        instead(message, Response::unanswered)
    }

    fn server_error(&self, message: &Ordered) -> Option<Ordered> {
        const TROUBLE: u16 = 503;
        instead(message, |call| Response::bare(call, TROUBLE))
    }

    fn refused(&self, request: &Ordered) -> Option<Ordered> {
        instead(request, Response::refused)
    }

    /// Only a request that the server keeps open is on its way for long.
    fn hung_up(&self, request: &Ordered) -> Option<Ordered> {
        Some(Ordered::new(Letter { way: Way::HungUp, ..*request.of() }))
    }

    fn stray(&self, request: &Ordered) -> Ordered {
        Ordered::new(Letter { way: Way::Stray, ..*request.of() })
    }

    fn is_same_grant(
        &self,
        (_, earlier, lease): (NodeId, &Value, &Ordered),
        (_, _, later): (NodeId, &Value, &Ordered),
    ) -> bool {
        let Some(record::Timer::Ttl(claim)) = later.get() else { return false };
        if let Some(lessee) = earlier.get::<Lessee>() {
            return lessee.is_backed && lessee.core.claim == Some(*claim);
        }
        let Some(keychain::Timer { resource, .. }) = lease.get() else { return false };
        let chain: &Chain = earlier.of();
        let client = chain.core.claim(*resource);
        let is_of = client.is_some_and(|client| client.claim == Some(*claim));
        is_of && chain.backed.contains(resource)
    }

    fn mark(&self, _node: NodeId, _state: &Value, timer: &Ordered) -> Option<Value> {
        let record::Timer::Ttl(claim) = timer.get()? else { return None };
        Some(Value::new(*claim))
    }

    fn lapse(&self, answer: &mut Ordered, mark: Option<&Value>) {
        let letter = *answer.of::<Letter>();
        if let Message::Response(response) = letter.message
            && response.grants()
            && mark.is_none_or(|mark| response.claim == Some(*mark.of()))
        {
            let message = Message::Response(response.lapsed());
            *answer = Ordered::new(Letter { message, ..letter });
        }
    }

    fn monitor(&self) -> Value {
        let programs = self.claim.keychains * self.claim.locks as usize;
        let seats = vec![Past::default(); self.claim.clients + programs];
        Value::new(Monitor { seats, ..Monitor::default() })
    }

    fn observe(&self, monitor: &mut Value, seen: &Observation) {
        past::observe(&self.claim, monitor.of_mut(), seen);
    }

    fn renames(&self) -> bool {
        true
    }

    /// Only the server names clients, in the requests that it has not answered yet and as watchers;
    /// a letter goes by its link.
    fn rename(&self, value: Naming<'_>, to: &[NodeId]) {
        match value {
            Naming::State(state) => {
                if state.get::<Office>().is_some() {
                    state.of_mut::<Office>().rename(to);
                }
            }
            Naming::Monitor(monitor) => monitor.of_mut::<Monitor>().rename(&self.claim, to),
            Naming::Message(_) | Naming::Timer(_) | Naming::Saved(_) => {}
        }
    }
}

//! The parameters of a world: its nodes, its resources, and their tables.

use std::ops::Range;

use turnstile_claim_core::message::{ResourceName, Server};
use turnstile_claim_core::record::{Limits, Records};
use turnstile_harness::tables::rules::AnyTable;
use turnstile_world::NodeId;

/// The table that runs, chosen at run time.
pub(crate) type ClientRules = AnyTable<turnstile_claim_machines::claim::Machine>;
/// The table that runs, chosen at run time.
pub(crate) type RecordRules = AnyTable<turnstile_claim_machines::claim_record::Machine>;

/// The core of the server.
pub(crate) type ServerCore = Records<RecordRules>;

/// The cores of the claim system. Clients come first, then keychains, the server, the store.
#[derive(Clone, Debug)]
pub(crate) struct ClaimSystem {
    /// How many clients.
    pub(crate) clients: usize,
    /// How many keychains.
    pub(crate) keychains: usize,
    /// How many resources there are; clients claim the first, programs all of them.
    pub(crate) locks: u32,
    /// The limits of the server.
    pub(crate) limits: Limits,
    /// The table of each client.
    pub(crate) client: ClientRules,
    /// The table of the server's records.
    pub(crate) record: RecordRules,
    /// Clients long-poll.
    pub(crate) waits: bool,
    /// Clients watch their claims: the server notifies them of the end of one.
    pub(crate) watches: bool,
    /// The lines of clients are slow at first, and their claims time out only by a budget.
    pub(crate) is_slow: bool,
    /// The server throttles requests: where it fails, it answers that it has not handled one.
    pub(crate) is_throttled: bool,
    /// A client that is no node of the world sends the server any request.
    pub(crate) has_stranger: bool,
}

/// The resource that all clients claim.
pub(crate) const RESOURCE: ResourceName = ResourceName(0);

/// A fresh idempotency key: greater than all keys after renumbering, and distinct per client.
pub(crate) const FRESH_KEY: u64 = 1 << 32;

impl ClaimSystem {
    /// The server's number.
    pub(crate) fn server(&self) -> NodeId {
        self.clients + self.keychains
    }

    /// All resources.
    pub(crate) fn resources(&self) -> impl Iterator<Item = ResourceName> + use<> {
        (0..self.locks).map(ResourceName)
    }

    /// The index of a keychain's user of a resource in the monitor; clients come first.
    pub(crate) fn user_index(&self, keychain: NodeId, resource: ResourceName) -> usize {
        let before = (keychain - self.clients) * self.locks as usize;
        self.clients + before + resource.0 as usize
    }

    /// The index in the monitor of the user that acts from a node.
    pub(crate) fn acting_user(&self, node: NodeId) -> usize {
        if self.is_keychain(node) { self.user_index(node, RESOURCE) } else { node }
    }

    /// The indices of a node's users; empty for the server and the store.
    pub(crate) fn users_of(&self, node: NodeId) -> Range<usize> {
        if node < self.clients {
            node..node + 1
        } else if self.is_keychain(node) {
            let first = self.user_index(node, RESOURCE);
            first..first + self.locks as usize
        } else {
            0..0
        }
    }

    pub(crate) fn is_keychain(&self, node: NodeId) -> bool {
        (self.clients..self.server()).contains(&node)
    }

    /// The same system with tables that take the row of this number where several match.
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

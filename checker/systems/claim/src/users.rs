//! The claims of a state, as their users see them and as the server has them.

use std::collections::BTreeSet;

use turnstile_claim_core::message::ResourceName;
use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::{self, Record, Status};
use turnstile_claim_core::{client, keychain};
use turnstile_claim_machines::claim::{Resource, ResourceKind, State as Stage};
use turnstile_machine::Rules as _;
use turnstile_world::NodeId;
use turnstile_world::nodes::node::NodeStatus;
use turnstile_world::property::View;

use crate::claim::{ClaimSystem, RESOURCE};
use crate::client::ClientState;
use crate::keychain::{EndedClaim, KeychainState};
use crate::monitor::{Monitor, UserHistory};
use crate::server::ServerState;
use crate::server_step::statuses::is_finished;

/// A user's view of its claim.
pub(super) struct User<'a> {
    pub(super) node: NodeId,
    pub(super) life: NodeStatus,
    pub(super) resource: ResourceName,
    pub(super) client: &'a client::State,
    pub(super) history: &'a UserHistory,
}

/// All users of clients and programs, running or not.
pub(super) fn users<'a>(system: &ClaimSystem, view: &View<'a>) -> Vec<User<'a>> {
    let mut users = Vec::new();
    for (node, part) in view.nodes.iter().enumerate().take(system.server()) {
        let mut add = |user: usize, resource, client| {
            let history = &view.monitor::<Monitor>().users[user];
            users.push(User { node, life: part.status, resource, client, history });
        };
        if let Some(client_state) = part.state.get::<ClientState>() {
            add(node, RESOURCE, &client_state.core);
            continue;
        }
        let keychain_state: &KeychainState = part.state.of();
        for resource in keychain_state.core.claimed() {
            let client = keychain_state.core.claim(resource).expect("it is claimed");
            add(system.user_index(node, resource), resource, client);
        }
    }
    users
}

/// The history of every user, also if its keychain has dropped the claim.
pub(super) fn histories<'a>(view: &View<'a>) -> impl Iterator<Item = &'a UserHistory> + use<'a> {
    view.monitor::<Monitor>().users.iter()
}

/// The keychains.
pub(super) fn keychain_states<'a>(
    system: &ClaimSystem,
    view: &View<'a>,
) -> impl Iterator<Item = &'a KeychainState> + use<'a> {
    view.nodes[system.clients..system.server()].iter().map(|part| part.state.of())
}

pub(super) fn kept<'a>(
    system: &ClaimSystem,
    view: &View<'a>,
) -> impl Iterator<Item = (ClaimId, &'a Record)> + use<'a> {
    server_state(system, view).core.claims()
}

/// The server.
pub(super) fn server_state<'a>(system: &ClaimSystem, view: &View<'a>) -> &'a ServerState {
    view.state(system.server())
}

/// Whether the server's timers match the states of its claims.
pub(super) fn is_exact_at_server(system: &ClaimSystem, view: &View<'_>) -> bool {
    let server = &view.nodes[system.server()];
    let held: BTreeSet<record::Timer> = kept(system, view)
        .flat_map(|(id, record)| {
            let held = system.record.holds(record.at).iter();
            held.filter_map(move |resource| record::timer(*resource, id))
        })
        .collect();
    server.armed().copied().collect::<BTreeSet<_>>() == held
}

/// How many finished claims the server has saved.
pub(super) fn saved_and_finished(system: &ClaimSystem, view: &View<'_>) -> usize {
    let Some(saved) = &view.nodes[system.server()].saved else { return 0 };
    let kept = saved.of::<record::Saved>().claims.values().flatten();
    kept.filter(|kept| is_finished(kept.at)).count()
}

/// The claims that ended by an answer, by id or by key.
pub(super) fn ended(system: &ClaimSystem, view: &View<'_>) -> Vec<EndedClaim> {
    let is_over = |user: &User<'_>| {
        let at = user.client.at;
        user.life != NodeStatus::Down && system.client.is_final(at) && at != Stage::Lapsed
    };
    let users = users(system, view).into_iter().filter(is_over);
    let mut ended: Vec<_> = users.map(|user| (user.client.claim, user.client.key)).collect();
    ended.extend(
        keychain_states(system, view).flat_map(|keychain_state| keychain_state.ended.values()),
    );
    ended
}

/// Whether no user knows a claim or can still learn of it: each one that has claimed has ended,
/// none by a crash.
pub(super) fn is_unclaimed(system: &ClaimSystem, view: &View<'_>, claim: ClaimId) -> bool {
    let is_done = |user: &User<'_>| {
        let at = user.client.at;
        let has_ended = system.client.is_final(at) || at == system.client.initial();
        user.life != NodeStatus::Down && has_ended && user.client.claim != Some(claim)
    };
    users(system, view).iter().all(is_done)
        && ended(system, view).iter().all(|(known, _)| *known != Some(claim))
}

/// Whether the timers and requests match the machine's state.
pub(super) fn is_exact(system: &ClaimSystem, view: &View<'_>, user: &User<'_>) -> bool {
    let client = user.client;
    let node = view.nodes[user.node];
    let is_armed = |timer: Resource| {
        if user.node < system.clients {
            node.is_armed(&client::Timer(timer))
        } else {
            node.is_armed(&keychain::Timer { resource: user.resource, timer })
        }
    };
    let open = |request: Resource| {
        client.calls.iter().filter(|call| call.request == request && !call.is_abandoned).count()
    };
    let count = |resource: Resource| match resource.kind() {
        ResourceKind::Timer => usize::from(is_armed(resource)),
        ResourceKind::Request => open(resource),
        ResourceKind::Note => 0,
    };
    let (holds, may_hold) = (system.client.holds(client.at), system.client.may_hold(client.at));
    Resource::ALL.iter().filter(|one| one.kind() != ResourceKind::Note).all(|one| {
        let (must, may) = (holds.contains(one), may_hold.contains(one));
        (usize::from(must)..=usize::from(must || may)).contains(&count(*one))
    })
}

/// Whether each timer of a keychain belongs to one of its claims.
pub(super) fn has_no_other_timer(view: &View<'_>, node: NodeId) -> bool {
    let keychain_state: &KeychainState = view.state(node);
    let mut armed = view.nodes[node].armed::<keychain::Timer>();
    armed.all(|timer| keychain_state.core.claim(timer.resource).is_some())
}

/// How many users believe that they hold the lock of a resource.
pub(super) fn holders(system: &ClaimSystem, view: &View<'_>, resource: ResourceName) -> usize {
    let holds = |user: usize| view.monitor::<Monitor>().users[user].holds();
    let clients = (0..system.clients).filter(|_| resource == RESOURCE);
    let programs = (system.clients..system.server()).map(|node| system.user_index(node, resource));
    clients.chain(programs).filter(|user| holds(*user)).count()
}

/// Whether a record neither waits nor holds the lock.
pub(super) fn is_over(record: &Record) -> bool {
    record.status().is_none_or(Status::is_final)
}

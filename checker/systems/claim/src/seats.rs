//! The claims of a state as their users have them, and as the server has them.

use std::collections::BTreeSet;

use turnstile_core::claim::message::ResourceName;
use turnstile_core::claim::record::{self, Record, Status};
use turnstile_core::claim::{client, keychain};
use turnstile_core::number::ClaimId;
use turnstile_machine::Rules as _;
use turnstile_machines::claim::{Resource, ResourceKind, State as Stage};
use turnstile_world::NodeId;
use turnstile_world::node::Life;
use turnstile_world::property::View;

use crate::chain::{Chain, Ended};
use crate::client::Lessee;
use crate::past::{Monitor, Past};
use crate::server::Office;
use crate::system::{Claim, RESOURCE};

pub(super) type Look<'a> = View<'a>;

/// A claim as its user's side has it.
pub(super) struct Seat<'a> {
    pub(super) node: NodeId,
    pub(super) life: Life,
    pub(super) resource: ResourceName,
    pub(super) client: &'a client::State,
    pub(super) past: &'a Past,
}

impl Claim {
    /// The claims of clients and of programs, where they run or not.
    pub(super) fn seats<'a>(&self, view: &Look<'a>) -> Vec<Seat<'a>> {
        let mut seats = Vec::new();
        for (node, part) in view.nodes.iter().enumerate().take(self.server()) {
            let mut add = |seat: usize, resource, client| {
                let past = &view.monitor::<Monitor>().seats[seat];
                seats.push(Seat { node, life: part.life, resource, client, past });
            };
            if let Some(lessee) = part.state.get::<Lessee>() {
                add(node, RESOURCE, &lessee.core);
                continue;
            }
            let chain: &Chain = part.state.of();
            for resource in chain.core.claimed() {
                let client = chain.core.claim(resource).expect("it is claimed");
                add(self.seat(node, resource), resource, client);
            }
        }
        seats
    }

    /// What every claim has been told, also where its keychain has forgotten it.
    pub(super) fn pasts<'a>(&self, view: &Look<'a>) -> impl Iterator<Item = &'a Past> + use<'a> {
        view.monitor::<Monitor>().seats.iter()
    }

    /// The keychains.
    pub(super) fn chains<'a>(&self, view: &Look<'a>) -> impl Iterator<Item = &'a Chain> + use<'a> {
        view.nodes[self.clients..self.server()].iter().map(|part| part.state.of())
    }

    pub(super) fn kept<'a>(
        &self,
        view: &Look<'a>,
    ) -> impl Iterator<Item = (ClaimId, &'a Record)> + use<'a> {
        self.office(view).core.claims()
    }

    /// The server.
    pub(super) fn office<'a>(&self, view: &Look<'a>) -> &'a Office {
        view.state(self.server())
    }

    /// Whether the server's timers are those that its claims hold.
    pub(super) fn is_exact_at_server(&self, view: &Look<'_>) -> bool {
        let server = &view.nodes[self.server()];
        let held: BTreeSet<record::Timer> = self
            .kept(view)
            .flat_map(|(id, record)| {
                let held = self.record.holds(record.at).iter();
                held.filter_map(move |resource| record::timer(*resource, id))
            })
            .collect();
        server.life == Life::Down || server.armed().copied().collect::<BTreeSet<_>>() == held
    }

    /// How many finished claims the server has saved.
    pub(super) fn saved_and_finished(&self, view: &Look<'_>) -> usize {
        let Some(saved) = &view.nodes[self.server()].saved else { return 0 };
        let kept = saved.of::<record::Saved>().claims.values().flatten();
        kept.filter(|kept| Status::of(kept.at).is_none_or(Status::is_final)).count()
    }

    /// The claims that have ended by an answer, by id or by key.
    pub(super) fn ended(&self, view: &Look<'_>) -> Vec<Ended> {
        let is_over = |seat: &Seat<'_>| {
            let at = seat.client.at;
            seat.life != Life::Down && self.client.is_final(at) && at != Stage::Lapsed
        };
        let seats = self.seats(view).into_iter().filter(is_over);
        let mut ended: Vec<_> = seats.map(|seat| (seat.client.claim, seat.client.key)).collect();
        ended.extend(self.chains(view).flat_map(|chain| chain.ended.values()));
        ended
    }

    /// Whether what the machine's state holds is what is armed and outstanding.
    pub(super) fn is_exact(&self, view: &Look<'_>, seat: &Seat<'_>) -> bool {
        let client = seat.client;
        let node = view.nodes[seat.node];
        let is_armed = |timer: Resource| {
            if seat.node < self.clients {
                node.is_armed(&client::Timer(timer))
            } else {
                node.is_armed(&keychain::Timer { resource: seat.resource, timer })
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
        let (holds, may_hold) = (self.client.holds(client.at), self.client.may_hold(client.at));
        Resource::ALL.iter().filter(|one| one.kind() != ResourceKind::Note).all(|one| {
            let (must, may) = (holds.contains(one), may_hold.contains(one));
            (usize::from(must)..=usize::from(must || may)).contains(&count(*one))
        })
    }

    /// Whether each timer of a keychain belongs to one of its claims.
    pub(super) fn has_no_other_timer(view: &Look<'_>, node: NodeId) -> bool {
        let chain: &Chain = view.state(node);
        let mut armed = view.nodes[node].armed::<keychain::Timer>();
        armed.all(|timer| chain.core.claim(timer.resource).is_some())
    }

    /// How many users believe that they hold the lock of a resource.
    pub(super) fn holders(&self, view: &Look<'_>, resource: ResourceName) -> usize {
        let holds = |seat: usize| view.monitor::<Monitor>().seats[seat].holds();
        let clients = (0..self.clients).filter(|_| resource == RESOURCE);
        let programs = (self.clients..self.server()).map(|node| self.seat(node, resource));
        clients.chain(programs).filter(|seat| holds(*seat)).count()
    }
}

/// Whether a claim is being given back, or what its POST has made is.
pub(super) fn is_given_back(at: Stage) -> bool {
    match at {
        Stage::Aborting
        | Stage::Releasing
        | Stage::Withdrawing
        | Stage::Recalling
        | Stage::RetryingAbort
        | Stage::RetryingRelease
        | Stage::RetryingWithdraw
        | Stage::RetryingRecall
        | Stage::Aborted
        | Stage::AbortedCapital
        | Stage::Released
        | Stage::Withdrawn
        | Stage::Lapsed
        | Stage::Done
        | Stage::Fail => true,
        Stage::New
        | Stage::Registering
        | Stage::RetryingRegister
        | Stage::Waiting
        | Stage::Activating
        | Stage::RetryingActivate
        | Stage::Confirming
        | Stage::RetryingConfirm
        | Stage::StartingOver
        | Stage::Active
        | Stage::Renewing
        | Stage::RetryingRenew => false,
    }
}

/// Whether nothing of a record is left to wait for or to hold.
pub(super) fn is_over(record: &Record) -> bool {
    record.status().is_none_or(Status::is_final)
}

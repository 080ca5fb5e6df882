//! What the properties of the claim system ask of a state, and what they remember.

use turnstile_core::claim::client;
use turnstile_core::claim::record::{Record, Status};
use turnstile_core::fence;
use turnstile_machines::claim::{Resource, ResourceKind, Rules as _, State as Stage};
use turnstile_machines::claim_record;

use crate::systems::claim::{Claim, ClaimTypes, Command, Notice, Past, State, Timer, Watch};
use crate::world::node::Life;
use crate::world::property::View;
use crate::world::system::NodeId;
use crate::world::watch::Seen;

turnstile_macros::system!(bundled "claim");

/// Remembers what the properties need of the past.
pub(super) fn observe(watch: &mut Watch, seen: &Seen<ClaimTypes>) {
    match seen {
        Seen::Asked(client, Command::Client(command)) => {
            asked(&mut watch.clients[*client], *command);
        }
        Seen::Told(client, Notice::Client(notice)) => told(&mut watch.clients[*client], *notice),
        Seen::Told(_, Notice::Store(fence::Notice::Accepted { from, token: _ })) => {
            let from = super::cores::node(*from);
            for (client, past) in watch.clients.iter_mut().enumerate() {
                accepted(past, client == from);
            }
        }
        Seen::Crashed(client) | Seen::Restarted(client) => {
            if let Some(past) = watch.clients.get_mut(*client) {
                *past = Past { interleaved: past.interleaved, ..Past::default() };
            }
        }
        Seen::Told(_, Notice::Server(_) | Notice::Store(fence::Notice::Refused { .. }))
        | Seen::Asked(_, Command::Server(_))
        | Seen::Trouble(_) => {}
    }
}

fn asked(past: &mut Past, command: client::Command) {
    match command {
        client::Command::Claim { key: _ } => past.waits = true,
        // Who sends a signal waits for nothing any more, but for what it gives back already.
        client::Command::Signal => (past.waits, past.is_held) = (false, false),
        // A release() before claim() has answered has no lock to speak of.
        client::Command::Release => past.releases |= past.is_held,
        client::Command::Act => {}
    }
}

fn told(past: &mut Past, notice: client::Notice) {
    match notice {
        client::Notice::Acquired { token: _ } => {
            (past.acted, past.interrupted, past.is_held) = (false, false, true);
            answer(past);
        }
        // To a claim() or a release() that waits it is the answer; to a holder it is news.
        client::Notice::TimedOut | client::Notice::Failed { status: _ } if past.waits => {
            answer(past);
        }
        client::Notice::TimedOut if !past.releases => past.answered_twice = true,
        client::Notice::TimedOut
        | client::Notice::Failed { status: _ }
        | client::Notice::Released
        | client::Notice::Lost => (past.releases, past.is_held) = (false, false),
    }
}

fn answer(past: &mut Past) {
    past.answered_twice |= past.is_answered;
    (past.waits, past.is_answered) = (false, true);
}

/// The store accepted an act of this client, or of another one.
fn accepted(past: &mut Past, is_own: bool) {
    if is_own {
        past.interleaved |= past.interrupted;
        past.acted = true;
    } else {
        past.interrupted |= past.acted;
    }
}

type Look<'a> = View<'a, ClaimTypes>;

impl Claim {
    /// The clients, with their numbers and whether they run.
    fn clients<'a>(
        &self,
        view: &Look<'a>,
    ) -> impl Iterator<Item = (NodeId, Life, &'a client::State)> + use<'a> {
        view.nodes.iter().take(self.clients).enumerate().filter_map(|(id, node)| {
            match &node.state {
                State::Client(client) => Some((id, node.life, &client.core)),
                State::Server(_) | State::Store(_) => None,
            }
        })
    }

    /// Those that run and have come to an end.
    fn ended<'a>(&self, view: &Look<'a>) -> impl Iterator<Item = &'a client::State> {
        let ended = self
            .clients(view)
            .filter(|(_, life, client)| *life != Life::Down && self.client.is_final(client.at));
        ended.map(|(_, _, client)| client)
    }

    /// Whether what the machine's state holds is what is armed and outstanding.
    fn is_exact(&self, view: &Look<'_>, node: NodeId, client: &client::State) -> bool {
        let timers = &view.nodes[node].timers;
        let open = |request: Resource| {
            client.calls.iter().filter(|call| call.request == request && !call.is_abandoned).count()
        };
        let count = |resource: Resource| match resource.kind() {
            ResourceKind::Timer => usize::from(timers.contains(&Timer::Client(resource))),
            ResourceKind::Request => open(resource),
            ResourceKind::Note => 0,
        };
        let (holds, may_hold) = (self.client.holds(client.at), self.client.may_hold(client.at));
        Resource::ALL.iter().filter(|one| one.kind() != ResourceKind::Note).all(|one| {
            let (must, may) = (holds.contains(one), may_hold.contains(one));
            (usize::from(must)..=usize::from(must || may)).contains(&count(*one))
        })
    }
}

impl claim::Properties for Claim {
    type View<'a> = Look<'a>;

    fn no_event_without_a_row(&self, view: &Look<'_>) -> bool {
        !matches!(view.trouble(), Some(trouble) if trouble.is_unexpected())
    }

    fn what_is_done_can_be_done(&self, view: &Look<'_>) -> bool {
        !matches!(view.trouble(), Some(trouble) if !trouble.is_unexpected())
    }

    fn a_request_is_answered(&self, view: &Look<'_>) -> bool {
        self.clients(view).any(|(_, _, client)| client.claim.is_some())
    }

    fn held_is_armed(&self, view: &Look<'_>) -> bool {
        self.clients(view)
            .filter(|(_, life, _)| *life != Life::Down)
            .all(|(node, _, client)| self.is_exact(view, node, client))
    }

    fn one_holder_acts(&self, view: &Look<'_>) -> bool {
        view.watch.system.clients.iter().all(|past| !past.interleaved)
    }

    fn a_client_acts(&self, view: &Look<'_>) -> bool {
        view.watch.system.clients.iter().any(|past| past.acted)
    }

    fn told_is_held(&self, view: &Look<'_>) -> bool {
        let State::Server(server) = view.state(self.server()) else { return true };
        self.clients(view).filter(|(_, _, client)| client.is_held()).all(|(_, _, client)| {
            let record = client.claim.and_then(|claim| server.claim(claim));
            record.is_some_and(|record| record.at == claim_record::State::Active)
        })
    }

    fn a_client_is_told_it_holds_the_lock(&self, view: &Look<'_>) -> bool {
        self.clients(view).any(|(_, _, client)| client.is_held())
    }

    fn one_answer(&self, view: &Look<'_>) -> bool {
        view.watch.system.clients.iter().all(|past| !past.answered_twice)
    }

    fn a_claim_is_answered(&self, view: &Look<'_>) -> bool {
        view.watch.system.clients.iter().any(|past| past.is_answered)
    }

    fn an_answer_can_come(&self, view: &Look<'_>) -> bool {
        view.watch.system.clients.iter().all(|past| !past.waits)
    }

    fn a_release_can_be_answered(&self, view: &Look<'_>) -> bool {
        view.watch.system.clients.iter().all(|past| !past.releases)
    }

    fn a_release_waits(&self, view: &Look<'_>) -> bool {
        view.watch.system.clients.iter().any(|past| past.releases)
    }

    fn the_first_claim_is_answered(&self, view: &Look<'_>) -> bool {
        !self.the_first_client_waits(view)
    }

    fn the_first_client_waits(&self, view: &Look<'_>) -> bool {
        view.nodes[0].life != Life::Down && view.watch.system.clients[0].waits
    }

    fn the_first_release_is_answered(&self, view: &Look<'_>) -> bool {
        !self.the_first_client_gives_back(view)
    }

    fn the_first_client_gives_back(&self, view: &Look<'_>) -> bool {
        view.nodes[0].life != Life::Down && view.watch.system.clients[0].releases
    }

    fn one_claim_each(&self, view: &Look<'_>) -> bool {
        let State::Server(server) = view.state(self.server()) else { return true };
        let open =
            server.claims().filter(|(_, record)| !record.status().is_none_or(Status::is_final));
        open.count() <= self.clients
    }

    fn a_listener_waits(&self, view: &Look<'_>) -> bool {
        let State::Server(server) = view.state(self.server()) else { return false };
        server.claims().any(|(_, record)| record.at == claim_record::State::Listening)
    }

    fn nobody_listens_in_vain(&self, view: &Look<'_>) -> bool {
        let State::Server(server) = view.state(self.server()) else { return true };
        let is_at = |state| server.claims().any(|(_, record)| record.at == state);
        !is_at(claim_record::State::Listening) || is_at(claim_record::State::Active)
    }

    fn a_claim_waits(&self, view: &Look<'_>) -> bool {
        view.watch.system.clients.iter().any(|past| past.waits)
    }

    fn nothing_is_left(&self, view: &Look<'_>) -> bool {
        let State::Server(server) = view.state(self.server()) else { return true };
        server.claims().all(|(_, record)| {
            record.at == claim_record::State::Lapsed || record.status().is_none_or(Status::is_final)
        })
    }

    fn every_client_has_ended(&self, view: &Look<'_>) -> bool {
        self.clients(view)
            .all(|(_, life, client)| life == Life::Down || self.client.is_final(client.at))
    }

    fn what_is_given_up_is_given_back(&self, view: &Look<'_>) -> bool {
        let State::Server(server) = view.state(self.server()) else { return true };
        let mut ended = self.ended(view).filter(|client| client.at != Stage::Lapsed);
        ended.all(|client| {
            let of = |id, record: &Record| match client.claim {
                Some(claim) => claim == id,
                None => client.key.is_some() && record.key == client.key,
            };
            let left = |record: &Record| !record.status().is_none_or(Status::is_final);
            !server.claims().any(|(id, record)| of(id, record) && left(record))
        })
    }

    fn a_client_has_ended(&self, view: &Look<'_>) -> bool {
        self.ended(view).next().is_some()
    }
}

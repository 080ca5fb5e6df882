//! What the properties of the claim system ask of a state.

use turnstile_core::claim::record::Status;
use turnstile_core::number::ClaimId;
use turnstile_machine::Rules as _;
use turnstile_machines::claim_record;
use turnstile_world::node::Life;

use super::seats::{Look, Seat, is_given_back, is_over};
use crate::chain::Chain;
use crate::client::Lessee;
use crate::past::{Monitor, Past};
use crate::system::Claim;

turnstile_machine::system!("spec/systems/claim.yaml");

impl claim::Properties for Claim {
    type View<'a> = Look<'a>;

    fn no_event_without_a_row(&self, view: &Look<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if violation.is_unexpected())
    }

    fn what_is_done_can_be_done(&self, view: &Look<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if !violation.is_unexpected())
    }

    fn a_request_is_answered(&self, view: &Look<'_>) -> bool {
        self.seats(view).iter().any(|seat| seat.client.claim.is_some())
    }

    fn held_is_armed(&self, view: &Look<'_>) -> bool {
        let seats = self.seats(view);
        let mut up = seats.iter().filter(|seat| seat.life != Life::Down);
        up.all(|seat| self.is_exact(view, seat))
            && (self.clients..self.server()).all(|node| Self::has_no_other_timer(view, node))
            && self.is_exact_at_server(view)
    }

    fn one_claim_is_active(&self, view: &Look<'_>) -> bool {
        self.resources().all(|resource| {
            let active = self.kept(view).filter(|(_, record)| {
                record.resource == resource && record.status() == Some(Status::Active)
            });
            active.count() <= 1
        })
    }

    fn a_claim_is_active(&self, view: &Look<'_>) -> bool {
        self.kept(view).any(|(_, record)| record.status() == Some(Status::Active))
    }

    fn the_oldest_waiter_is_next(&self, view: &Look<'_>) -> bool {
        !view.monitor::<Monitor>().is_passed_over
    }

    fn a_claim_waits_at_the_server(&self, view: &Look<'_>) -> bool {
        self.kept(view).any(|(_, record)| record.status() == Some(Status::Waiting))
    }

    fn nobody_waits_for_nobody(&self, view: &Look<'_>) -> bool {
        !view.monitor::<Monitor>().is_idle
    }

    fn every_grant_has_a_new_token(&self, view: &Look<'_>) -> bool {
        let is_its_own = |seat: &Seat<'_>| {
            let mut records = self.kept(view);
            let record = records.find(|(id, _)| Some(*id) == seat.client.claim);
            record.is_none_or(|(_, record)| record.token == seat.client.token)
        };
        let seats = self.seats(view);
        !view.monitor::<Monitor>().is_unfenced
            && seats.iter().filter(|seat| seat.past.holds()).all(is_its_own)
    }

    fn one_holder_acts(&self, view: &Look<'_>) -> bool {
        self.pasts(view).all(|past| !past.interleaved)
    }

    fn a_client_acts(&self, view: &Look<'_>) -> bool {
        self.pasts(view).any(|past| past.acted)
    }

    fn the_newest_token_is_accepted(&self, view: &Look<'_>) -> bool {
        !view.monitor::<Monitor>().is_shut_out
    }

    fn who_loses_its_lock_is_told_so(&self, view: &Look<'_>) -> bool {
        self.pasts(view).all(|past| !past.is_mistold)
    }

    fn told_is_held(&self, view: &Look<'_>) -> bool {
        self.seats(view).iter().filter(|seat| seat.past.holds()).all(|seat| {
            let mut records = self.kept(view);
            records.any(|(id, record)| {
                Some(id) == seat.client.claim
                    && record.resource == seat.resource
                    && record.at == claim_record::State::Active
            })
        })
    }

    fn a_client_is_told_it_holds_the_lock(&self, view: &Look<'_>) -> bool {
        self.pasts(view).any(Past::holds)
    }

    fn one_user_holds(&self, view: &Look<'_>) -> bool {
        self.resources().all(|resource| self.holders(view, resource) <= 1)
    }

    fn told_is_what_the_claim_says(&self, view: &Look<'_>) -> bool {
        let seats = self.seats(view);
        let held = self.pasts(view).filter(|past| past.holds()).count();
        seats.iter().all(|seat| seat.past.holds() == seat.client.is_held())
            && held == seats.iter().filter(|seat| seat.past.holds()).count()
    }

    fn a_resource_is_claimed_once(&self, view: &Look<'_>) -> bool {
        self.pasts(view).all(|past| !past.is_doubled)
    }

    fn what_has_ended_can_be_claimed_again(&self, view: &Look<'_>) -> bool {
        let seats = self.seats(view);
        let is_program = |seat: &&Seat<'_>| seat.node >= self.clients;
        !seats.iter().filter(is_program).any(|seat| self.client.is_final(seat.client.at))
    }

    fn a_program_wants_nothing_after_its_end(&self, view: &Look<'_>) -> bool {
        let seats = self.seats(view);
        let mut closed = seats.iter().filter(|seat| {
            let chain = view.nodes[seat.node].state.get::<Chain>();
            chain.is_some_and(|chain| chain.is_closed)
        });
        closed.all(|seat| is_given_back(seat.client.at))
    }

    fn a_program_has_ended(&self, view: &Look<'_>) -> bool {
        self.chains(view).any(|chain| chain.is_closed)
    }

    fn one_answer(&self, view: &Look<'_>) -> bool {
        self.pasts(view).all(|past| !past.answered_twice)
    }

    fn a_claim_is_answered(&self, view: &Look<'_>) -> bool {
        self.pasts(view).any(|past| past.is_answered)
    }

    fn an_answer_can_come(&self, view: &Look<'_>) -> bool {
        self.pasts(view).all(|past| !past.waits)
    }

    fn a_release_can_be_answered(&self, view: &Look<'_>) -> bool {
        self.pasts(view).all(|past| !past.releases)
    }

    fn a_release_waits(&self, view: &Look<'_>) -> bool {
        self.pasts(view).any(|past| past.releases)
    }

    fn the_first_claim_is_answered(&self, view: &Look<'_>) -> bool {
        !self.the_first_client_waits(view)
    }

    fn the_first_client_waits(&self, view: &Look<'_>) -> bool {
        view.nodes[0].life != Life::Down && self.pasts(view).next().is_some_and(|past| past.waits)
    }

    fn the_first_release_is_answered(&self, view: &Look<'_>) -> bool {
        !self.the_first_client_gives_back(view)
    }

    fn the_first_client_gives_back(&self, view: &Look<'_>) -> bool {
        view.nodes[0].life != Life::Down
            && self.pasts(view).next().is_some_and(|past| past.releases)
    }

    fn one_claim_each(&self, view: &Look<'_>) -> bool {
        let open = self.kept(view).filter(|(_, record)| !is_over(record));
        open.count() <= view.monitor::<Monitor>().seats.len()
    }

    fn few_finished_claims_are_kept(&self, view: &Look<'_>) -> bool {
        let finished = self.kept(view).filter(|(_, record)| is_over(record));
        let saved = self.saved_and_finished(view);
        finished.count().max(saved) <= self.limits.finished_max
            && !view.monitor::<Monitor>().is_forgetful
    }

    fn few_claims_wait(&self, view: &Look<'_>) -> bool {
        self.resources().all(|resource| {
            let waiting = self.kept(view).filter(|(_, record)| {
                record.resource == resource && record.status() == Some(Status::Waiting)
            });
            waiting.count() <= self.limits.waiters_max
        })
    }

    fn a_listener_waits(&self, view: &Look<'_>) -> bool {
        self.kept(view).any(|(_, record)| record.at == claim_record::State::Listening)
    }

    fn nobody_listens_in_vain(&self, view: &Look<'_>) -> bool {
        self.resources().all(|resource| {
            let is_at = |state| {
                let mut records = self.kept(view);
                records.any(|(_, record)| record.resource == resource && record.at == state)
            };
            !is_at(claim_record::State::Listening) || is_at(claim_record::State::Active)
        })
    }

    fn a_claim_waits(&self, view: &Look<'_>) -> bool {
        self.pasts(view).any(|past| past.waits)
    }

    fn nothing_is_left(&self, view: &Look<'_>) -> bool {
        self.kept(view)
            .all(|(_, record)| record.at == claim_record::State::Lapsed || is_over(record))
    }

    fn what_has_lapsed_ends(&self, view: &Look<'_>) -> bool {
        self.kept(view).all(|(_, record)| is_over(record))
    }

    fn who_watches_a_claim_hears_of_its_end(&self, view: &Look<'_>) -> bool {
        let watched = self.office(view).watched.keys();
        let mut kept = watched.map(|claim| self.kept(view).find(|(id, _)| id == claim));
        kept.all(|kept| kept.is_some_and(|(_, record)| !is_over(record)))
    }

    fn a_claim_is_watched(&self, view: &Look<'_>) -> bool {
        !self.office(view).watched.is_empty()
    }

    fn who_hears_of_its_end_holds_no_lock(&self, view: &Look<'_>) -> bool {
        (0..self.clients).all(|client| !view.state::<Lessee>(client).is_deaf)
            && self.chains(view).all(|chain| !chain.is_deaf)
    }

    fn every_client_has_ended(&self, view: &Look<'_>) -> bool {
        let seats = self.seats(view);
        let is_up = |seat: &&Seat<'_>| seat.life != Life::Down;
        seats.iter().filter(is_up).all(|seat| self.client.is_final(seat.client.at))
            && self.chains(view).all(|chain| chain.is_closed)
    }

    fn who_waits_is_not_ended_for_it(&self, view: &Look<'_>) -> bool {
        let failed = self.seats(view).into_iter().filter(|seat| seat.past.has_failed);
        let failed: Vec<_> = failed.filter_map(|seat| seat.client.claim).collect();
        let is_expired = |claim: &ClaimId| {
            let mut kept = self.kept(view);
            let record = kept.find(|(id, _)| id == claim);
            record.is_none_or(|(_, record)| record.status() == Some(Status::Expired))
        };
        !failed.iter().any(is_expired)
    }

    fn what_is_given_up_is_given_back(&self, view: &Look<'_>) -> bool {
        let ended = self.ended(view);
        let mut open = self.kept(view).filter(|(_, record)| !is_over(record));
        !open.any(|(id, _)| ended.iter().any(|(claim, _)| *claim == Some(id)))
    }

    fn what_was_asked_for_is_given_back(&self, view: &Look<'_>) -> bool {
        let ended = self.ended(view);
        let mut open = self.kept(view).filter(|(_, record)| !is_over(record));
        !open.any(|(_, record)| {
            let is_its = |(claim, key): &(Option<_>, _)| claim.is_none() && *key == record.key;
            record.key.is_some() && ended.iter().any(is_its)
        })
    }

    fn a_client_has_ended(&self, view: &Look<'_>) -> bool {
        let seats = self.seats(view);
        let is_up = |seat: &&Seat<'_>| seat.life != Life::Down;
        seats.iter().filter(is_up).any(|seat| self.client.is_final(seat.client.at))
            || !self.ended(view).is_empty()
    }
}

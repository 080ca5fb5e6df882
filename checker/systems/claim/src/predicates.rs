//! The predicates of the claim system's properties.

use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::Status;
use turnstile_claim_machines::claim::State;
use turnstile_claim_machines::claim_record;
use turnstile_machine::Rules as _;
use turnstile_world::nodes::node::NodeStatus;
use turnstile_world::property::View;

use super::users::{
    User, ended, has_no_other_timer, histories, holders, is_exact, is_exact_at_server, is_over,
    is_unclaimed, kept, keychain_states, saved_and_finished, server_state, users,
};
use crate::claim::ClaimSystem;
use crate::keychain::KeychainState;
use crate::monitor::{Monitor, UserHistory};
use crate::promises::{counts_leases, is_given_back};
use crate::rule;

turnstile_machine::system!("spec/systems/claim.yaml");

impl claim::Properties for ClaimSystem {
    type View<'a> = View<'a>;

    fn no_unhandled_event(&self, view: &View<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if violation.is_unexpected())
    }

    fn no_action_fails(&self, view: &View<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if !violation.is_unexpected())
    }

    fn a_request_is_answered(&self, view: &View<'_>) -> bool {
        users(self, view).iter().any(|user| user.client.claim.is_some())
    }

    fn timers_match_state(&self, view: &View<'_>) -> bool {
        let users = users(self, view);
        let mut up = users.iter().filter(|user| user.life != NodeStatus::Down);
        up.all(|user| is_exact(self, view, user))
            && (self.clients..self.server()).all(|node| has_no_other_timer(view, node))
            && is_exact_at_server(self, view)
    }

    fn at_most_one_active_claim(&self, view: &View<'_>) -> bool {
        self.resources().all(|resource| {
            let active = kept(self, view).filter(|(_, record)| {
                record.resource == resource && record.status() == Some(Status::Active)
            });
            active.count() <= 1
        })
    }

    fn a_claim_is_active(&self, view: &View<'_>) -> bool {
        kept(self, view).any(|(_, record)| record.status() == Some(Status::Active))
    }

    fn fifo_among_waiters(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::FIFO)
    }

    fn a_claim_is_queued(&self, view: &View<'_>) -> bool {
        kept(self, view).any(|(_, record)| record.status() == Some(Status::Waiting))
    }

    fn waiting_implies_an_active_claim(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::FREE_LOCK)
    }

    fn a_claim_is_stored(&self, view: &View<'_>) -> bool {
        kept(self, view).next().is_some()
    }

    fn answers_state_the_status(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::ANSWER)
    }

    fn a_status_changes_by_its_cause(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::STATUS)
    }

    fn timers_count_from_their_cause(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::TIMER)
    }

    fn every_lost_lease_is_announced(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::ANNOUNCEMENT)
    }

    fn every_change_is_saved(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::SAVE)
    }

    fn no_id_is_given_again(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::NEW_ID)
    }

    fn fencing_tokens_increase(&self, view: &View<'_>) -> bool {
        let is_its_own = |user: &User<'_>| {
            let mut records = kept(self, view);
            let record = records.find(|(id, _)| Some(*id) == user.client.claim);
            record.is_none_or(|(_, record)| record.token == user.client.token)
        };
        let users = users(self, view);
        !view.breaks(rule::TOKEN)
            && users.iter().filter(|user| user.history.holds()).all(is_its_own)
    }

    fn mutual_exclusion_at_the_store(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::ACTS)
    }

    fn a_client_acts(&self, view: &View<'_>) -> bool {
        histories(view).any(|history| history.acted)
    }

    fn the_newest_token_is_accepted(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::NEWEST_TOKEN)
    }

    fn a_loss_is_not_reported_as_a_release(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::LOSS)
    }

    fn granted_implies_held(&self, view: &View<'_>) -> bool {
        // By the protocol a lapsed claim is still active; a client that counts its lease has
        // noticed that it lapses.
        let leases = counts_leases(&self.client);
        let is_held =
            |at| at == claim_record::State::Active || !leases && at == claim_record::State::Lapsed;
        users(self, view).iter().filter(|user| user.history.holds()).all(|user| {
            let mut records = kept(self, view);
            records.any(|(id, record)| {
                Some(id) == user.client.claim
                    && record.resource == user.resource
                    && is_held(record.at)
            })
        })
    }

    fn a_lock_is_granted(&self, view: &View<'_>) -> bool {
        histories(view).any(UserHistory::holds)
    }

    fn mutual_exclusion_among_users(&self, view: &View<'_>) -> bool {
        self.resources().all(|resource| holders(self, view, resource) <= 1)
    }

    fn user_and_claim_agree(&self, view: &View<'_>) -> bool {
        let users = users(self, view);
        let held = histories(view).filter(|history| history.holds()).count();
        users.iter().all(|user| user.history.holds() == user.client.is_held())
            && held == users.iter().filter(|user| user.history.holds()).count()
    }

    fn a_second_claim_is_refused(&self, view: &View<'_>) -> bool {
        histories(view).all(|history| !history.claimed_twice)
    }

    fn ended_claims_are_dropped(&self, view: &View<'_>) -> bool {
        let users = users(self, view);
        let is_program = |user: &&User<'_>| user.node >= self.clients;
        !users.iter().filter(is_program).any(|user| self.client.is_final(user.client.at))
    }

    fn an_ended_program_wants_no_lock(&self, view: &View<'_>) -> bool {
        let users = users(self, view);
        let mut closed = users.iter().filter(|user| {
            let keychain_state = view.nodes[user.node].state.get::<KeychainState>();
            keychain_state.is_some_and(|keychain_state| keychain_state.is_closed)
        });
        closed.all(|user| is_given_back(user.client.at))
    }

    fn a_program_has_ended(&self, view: &View<'_>) -> bool {
        keychain_states(self, view).any(|keychain_state| keychain_state.is_closed)
    }

    fn at_most_one_reply(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::ONE_RETURN)
    }

    fn a_claim_call_has_returned(&self, view: &View<'_>) -> bool {
        histories(view).any(|history| history.is_answered)
    }

    fn a_waiting_call_can_still_return(&self, view: &View<'_>) -> bool {
        histories(view).all(|history| !history.waits)
    }

    fn a_waiting_release_can_still_return(&self, view: &View<'_>) -> bool {
        histories(view).all(|history| !history.releases)
    }

    fn a_release_call_waits(&self, view: &View<'_>) -> bool {
        histories(view).any(|history| history.releases)
    }

    fn claim_eventually_returns(&self, view: &View<'_>) -> bool {
        !self.the_first_client_waits(view)
    }

    fn the_first_client_waits(&self, view: &View<'_>) -> bool {
        view.nodes[0].status != NodeStatus::Down
            && histories(view).next().is_some_and(|history| history.waits)
    }

    fn release_eventually_returns(&self, view: &View<'_>) -> bool {
        !self.the_first_client_releases(view)
    }

    fn the_first_client_releases(&self, view: &View<'_>) -> bool {
        view.nodes[0].status != NodeStatus::Down
            && histories(view).next().is_some_and(|history| history.releases)
    }

    fn at_most_one_open_claim_per_client(&self, view: &View<'_>) -> bool {
        let open = kept(self, view).filter(|(_, record)| !is_over(record));
        open.count() <= view.monitor::<Monitor>().users.len()
    }

    fn finished_claims_are_bounded(&self, view: &View<'_>) -> bool {
        let finished = kept(self, view).filter(|(_, record)| is_over(record));
        let saved = saved_and_finished(self, view);
        finished.count().max(saved) <= self.limits.finished_max
            && !view.breaks(rule::OLDEST_DELETED)
    }

    fn the_wait_queue_is_bounded(&self, view: &View<'_>) -> bool {
        self.resources().all(|resource| {
            let waiting = kept(self, view).filter(|(_, record)| {
                record.resource == resource && record.status() == Some(Status::Waiting)
            });
            waiting.count() <= self.limits.waiters_max
        })
    }

    fn a_long_poll_is_open(&self, view: &View<'_>) -> bool {
        kept(self, view).any(|(_, record)| record.at == claim_record::State::Listening)
    }

    fn no_needless_long_poll(&self, view: &View<'_>) -> bool {
        self.resources().all(|resource| {
            let is_at = |state| {
                let mut records = kept(self, view);
                records.any(|(_, record)| record.resource == resource && record.at == state)
            };
            !is_at(claim_record::State::Listening) || is_at(claim_record::State::Active)
        })
    }

    fn a_claim_call_waits(&self, view: &View<'_>) -> bool {
        histories(view).any(|history| history.waits)
    }

    fn clean_when_quiescent(&self, view: &View<'_>) -> bool {
        kept(self, view)
            .all(|(_, record)| record.at == claim_record::State::Lapsed || is_over(record))
    }

    fn lapsed_claims_can_expire(&self, view: &View<'_>) -> bool {
        kept(self, view).all(|(_, record)| is_over(record))
    }

    fn watchers_are_notified(&self, view: &View<'_>) -> bool {
        let watched = server_state(self, view).watched.keys();
        let mut kept = watched.map(|claim| kept(self, view).find(|(id, _)| id == claim));
        kept.all(|kept| kept.is_some_and(|(_, record)| !is_over(record)))
    }

    fn a_claim_is_watched(&self, view: &View<'_>) -> bool {
        !server_state(self, view).watched.is_empty()
    }

    fn a_notified_client_holds_no_lock(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::KNOWN_END) && !view.breaks(rule::OTHER_CLAIM)
    }

    fn every_client_has_ended(&self, view: &View<'_>) -> bool {
        let users = users(self, view);
        let is_up = |user: &&User<'_>| user.life != NodeStatus::Down;
        users.iter().filter(is_up).all(|user| self.client.is_final(user.client.at))
            && keychain_states(self, view).all(|keychain_state| keychain_state.is_closed)
    }

    fn a_failure_is_reported(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::FAILURE) && !view.breaks(rule::ENDING)
    }

    fn giving_up_has_its_own_time(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::TIME_TO_GIVE_UP)
            && !view.breaks(rule::RECALL)
            && !view.breaks(rule::REGISTRATION)
    }

    fn signals_and_releases_are_obeyed(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::OBEDIENCE)
    }

    fn a_grant_in_time_is_taken(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::GRANT) && !view.breaks(rule::KEY) && !view.breaks(rule::ABANDONED)
    }

    fn only_an_expired_claim_starts_over(&self, view: &View<'_>) -> bool {
        let users = users(self, view);
        let mut starting = users.iter().filter(|user| user.client.at == State::StartingOver);
        starting.all(|user| {
            let mut kept = kept(self, view);
            let record = kept.find(|(id, _)| Some(*id) == user.client.claim);
            let status = record.map(|(_, record)| record.status());
            user.history.needs_key && status.is_none_or(|status| status == Some(Status::Expired))
        })
    }

    fn expiry_fails_no_waiting_call(&self, view: &View<'_>) -> bool {
        let failed = users(self, view).into_iter().filter(|user| user.history.has_failed);
        let failed: Vec<_> = failed.filter_map(|user| user.client.claim).collect();
        let is_expired = |claim: &ClaimId| {
            let mut kept = kept(self, view);
            let record = kept.find(|(id, _)| id == claim);
            record.is_none_or(|(_, record)| record.status() == Some(Status::Expired))
        };
        !failed.iter().any(is_expired)
    }

    fn abandoned_claims_are_released(&self, view: &View<'_>) -> bool {
        let ended = ended(self, view);
        let mut open = kept(self, view).filter(|(_, record)| !is_over(record));
        !open.any(|(id, _)| ended.iter().any(|(claim, _)| *claim == Some(id)))
    }

    fn unacknowledged_claims_are_released(&self, view: &View<'_>) -> bool {
        let ended = ended(self, view);
        let mut open = kept(self, view).filter(|(_, record)| !is_over(record));
        !open.any(|(id, record)| match record.key {
            Some(_) => ended.iter().any(|(claim, key)| claim.is_none() && *key == record.key),
            None => ended.iter().any(|(claim, _)| claim.is_none()) && is_unclaimed(self, view, id),
        })
    }

    fn a_client_has_ended(&self, view: &View<'_>) -> bool {
        let users = users(self, view);
        let is_up = |user: &&User<'_>| user.life != NodeStatus::Down;
        users.iter().filter(is_up).any(|user| self.client.is_final(user.client.at))
            || !ended(self, view).is_empty()
    }
}

//! The predicates of the group lock's properties.

use std::collections::BTreeSet;

use turnstile_group_lock_core as group;
use turnstile_group_lock_machines::group_lock_client::{self as client};
use turnstile_group_lock_machines::group_lock_coordinator::{
    self as coordinator, Resource, WholeInvariant as Invariant, WholeRule as Rule,
};
use turnstile_machine::Rules as _;
use turnstile_view_handler_core::MemberId;
use turnstile_world::NodePart;
use turnstile_world::property::View;

use super::facts::{self, held};
use super::group_lock::{GroupLock, member};
use crate::member_state::{Caller, MemberState, timer_of_locks};
use crate::membership::Membership;
use crate::rule;
use crate::step_check::{is_at_most, is_unlocking, last_token};

turnstile_machine::system!("spec/systems/group-lock.yaml");

/// The running members.
fn members<'a>(view: &View<'a>) -> impl Iterator<Item = (MemberId, &'a MemberState)> + Clone {
    let parts = view.nodes.iter().enumerate();
    parts.filter_map(|(node, part)| Some((member(node), part.state.get()?)))
}

impl GroupLock {
    fn facts<'a>(&self, view: &View<'a>) -> facts::MemberFacts<'a> {
        let membership = view.nodes.iter().find_map(|part| part.state.get::<Membership>());
        facts::MemberFacts { members: members(view).collect(), membership }
    }

    fn says(&self, invariant: Invariant, view: &View<'_>) -> bool {
        self.coordinator.whole_invariant(invariant, &self.facts(view))
    }

    fn ends(&self, rule: Rule, view: &View<'_>) -> bool {
        self.coordinator.whole_rule(rule, &self.facts(view))
    }
}

/// The armed timers of a member's locks.
fn locks_timers(part: &NodePart) -> BTreeSet<group::Timer> {
    part.timers.iter().filter_map(timer_of_locks).collect()
}

impl GroupLock {
    /// The timers that the states of a member's machines hold.
    fn arms(&self, member_state: &MemberState) -> BTreeSet<group::Timer> {
        let waits = |at| self.client.holds(at).contains(&client::Resource::Timeout);
        let locks = member_state.core().locks().filter(|(_, lock)| waits(lock.at));
        let locks = locks.map(|(name, _)| group::Timer::Lock(name));
        let held = self.coordinator.holds(member_state.core().coordinator().at);
        let collects = held.contains(&Resource::ReconciliationTimeout);
        locks.chain(collects.then_some(group::Timer::Reconciliation)).collect()
    }
}

impl group_lock::Properties for GroupLock {
    type View<'a> = View<'a>;

    fn no_unhandled_event(&self, view: &View<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if violation.is_unexpected())
    }

    fn fifo_among_pending_requests(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::ORDER)
    }

    fn a_lock_is_refused_only_if_taken(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::REFUSAL)
    }

    fn a_round_begins_without_requests(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::EMPTY_ROUND)
    }

    fn an_unlock_is_pending_until_answered(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::PENDING_UNLOCK)
    }

    fn an_unlock_is_pending(&self, view: &Self::View<'_>) -> bool {
        members(view).any(|(_, member_state)| {
            member_state.core().locks().any(|(_, lock)| is_unlocking(lock.at))
        })
    }

    fn the_first_member_coordinates(&self, view: &Self::View<'_>) -> bool {
        members(view).all(|(me, member_state)| {
            let core = member_state.core();
            let is_first = core.view.as_ref().and_then(|view| view.coordinator()) == Some(me);
            is_first == (core.coordinator().at != coordinator::State::Member)
        })
    }

    fn a_round_ends_once_all_have_joined_it(&self, view: &Self::View<'_>) -> bool {
        let ended = [coordinator::State::Coord, coordinator::State::Telling];
        let mut ended = members(view)
            .map(|(_, member_state)| member_state.core())
            .filter(|core| ended.contains(&core.coordinator().at));
        ended.all(|core| {
            let is_in = |me| core.view.as_ref().is_some_and(|view| view.contains(me));
            let mut others = members(view).filter(|(me, _)| is_in(*me));
            others.all(|(_, other)| {
                let other = other.core();
                other.view.is_none() || other.round >= core.coordinator().round
            })
        })
    }

    fn no_action_fails(&self, view: &View<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if !violation.is_unexpected())
    }

    fn a_coordinator_serves(&self, view: &View<'_>) -> bool {
        members(view).any(|(_, member_state)| member_state.core().coordinator().is_handling)
    }

    fn only_a_coordinator_has_server_state(&self, view: &View<'_>) -> bool {
        self.says(Invariant::TheCoordinatorSState, view)
    }

    fn no_stale_reconciliation_state(&self, view: &View<'_>) -> bool {
        let tells = |at| self.coordinator.holds(at).contains(&Resource::Losers);
        members(view).all(|(_, member_state)| {
            let server = member_state.core().coordinator();
            let is_member = server.at == coordinator::State::Member;
            let keeps_a_round = is_member && server.round.is_some();
            let keeps_losers = !tells(server.at) && server.losers().next().is_some();
            let collects = server.at == coordinator::State::Reconciling || tells(server.at);
            let keeps_responses = !collects && server.queried().next().is_some();
            !keeps_a_round && !keeps_losers && !keeps_responses
        })
    }

    fn a_member_keeps_nothing_that_is_over(&self, view: &View<'_>) -> bool {
        let is_kept = |member_state: &MemberState| {
            let state = member_state.core();
            let is_used = |(_, lock): (_, &group::LockState)| {
                lock.at != self.client.initial() || lock.is_client_lock
            };
            let is_later = |(_, early)| state.view.as_ref().is_none_or(|view| early > view.id);
            state.locks().all(is_used) && state.early().all(is_later)
        };
        !view.breaks(rule::EARLY) && members(view).all(|(_, member_state)| is_kept(member_state))
    }

    fn at_most_one_coordinator_per_view(&self, view: &View<'_>) -> bool {
        self.says(Invariant::TheCoordinator, view)
    }

    fn mutual_exclusion_within_a_view(&self, view: &View<'_>) -> bool {
        self.says(Invariant::OneHolder, view)
    }

    fn fencing_tokens_grow(&self, view: &View<'_>) -> bool {
        let mut tokens = BTreeSet::new();
        let mut kept = members(view).flat_map(|(_, member_state)| &member_state.tokens);
        !view.breaks(rule::GROWTH)
            && kept.all(|token| tokens.insert(token))
            && members(view).all(|(me, member_state)| {
                let core = member_state.core();
                let is_less = |other: &MemberState| {
                    other.tokens.values().all(|token| is_at_most(*token, last_token(me, core)))
                };
                let mut others = members(view).filter(|(_, other)| other.core().view == core.view);
                !core.coordinator().is_handling || others.all(|(_, other)| is_less(other))
            })
    }

    fn a_lock_is_held(&self, view: &View<'_>) -> bool {
        members(view).any(|(_, member_state)| held(member_state).next().is_some())
    }

    fn losers_are_notified_before_service_resumes(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::NOTIFIED_FIRST)
            && !view.breaks(rule::LOSERS)
            && self.says(Invariant::TheLockTable, view)
    }

    fn a_member_knows_its_coordinator(&self, view: &View<'_>) -> bool {
        self.says(Invariant::TheCurrentCoord, view)
    }

    fn timers_match_state(&self, view: &View<'_>) -> bool {
        let is_kept = |part: &&NodePart| {
            part.state
                .get()
                .is_none_or(|member_state| self.arms(member_state) == locks_timers(part))
        };
        view.nodes.iter().all(is_kept)
    }

    fn a_merge_leaves_a_holder(&self, view: &View<'_>) -> bool {
        self.says(Invariant::Losers, view)
    }

    fn no_orphaned_client_lock(&self, view: &View<'_>) -> bool {
        let one = client::WholeInvariant::ClientLocks;
        members(view).all(|(_, member_state)| {
            self.client.whole_invariant(one, &facts::ClientFacts(member_state))
        })
    }

    fn locks_are_lost_only_in_a_merge(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::LOSS)
    }

    fn lock_returns_at_most_once(&self, view: &View<'_>) -> bool {
        !view.breaks(rule::RETURN)
    }

    fn a_coordinator_eventually_serves(&self, view: &View<'_>) -> bool {
        self.ends(Rule::Served, view)
    }

    fn a_coordinator_does_not_serve(&self, view: &View<'_>) -> bool {
        !self.ends(Rule::Served, view)
    }

    fn lock_eventually_returns(&self, view: &View<'_>) -> bool {
        !self.a_lock_waits(view)
    }

    fn a_lock_waits(&self, view: &View<'_>) -> bool {
        let mut members =
            members(view).filter(|(_, member_state)| member_state.core().view.is_some());
        members.any(|(_, member_state)| {
            member_state.callers.values().any(|caller| *caller != Caller::Holds)
        })
    }

    fn locks_of_departed_holders_are_released(&self, view: &View<'_>) -> bool {
        self.ends(Rule::OwnersArePresent, view)
    }

    fn a_holder_has_departed(&self, view: &View<'_>) -> bool {
        !self.ends(Rule::OwnersArePresent, view)
    }

    fn unwanted_locks_are_released(&self, view: &View<'_>) -> bool {
        self.ends(Rule::OwnersWantTheirLocks, view)
    }

    fn a_lock_is_in_a_lock_table(&self, view: &View<'_>) -> bool {
        members(view).any(|(_, member_state)| !member_state.core().coordinator().table.is_empty())
    }
}

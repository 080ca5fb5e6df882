//! What the properties of the group lock ask of a state.

use std::collections::BTreeSet;

use turnstile_core::group;
use turnstile_core::view::MemberId;
use turnstile_machine::Rules as _;
use turnstile_machines::group_lock_client::{self as client};
use turnstile_machines::group_lock_coordinator::{
    self as coordinator, Resource, WholeInvariant as Invariant, WholeRule as Rule,
};
use turnstile_world::NodePart;
use turnstile_world::property::View;

use super::facts::{self, held};
use super::member;
use super::system::Group;
use crate::membership::Membership;
use crate::seat::{Caller, Seat, timer_of_locks};

turnstile_machine::system!("spec/systems/group-lock.yaml");

type Look<'a> = View<'a>;

/// The members that run.
fn seats<'a>(view: &Look<'a>) -> impl Iterator<Item = (MemberId, &'a Seat)> + Clone {
    let parts = view.nodes.iter().enumerate();
    parts.filter_map(|(node, part)| Some((member(node), part.state.get()?)))
}

impl Group {
    fn facts<'a>(&self, view: &Look<'a>) -> facts::Group<'a> {
        let membership = view.nodes.iter().find_map(|part| part.state.get::<Membership>());
        facts::Group { seats: seats(view).collect(), membership }
    }

    fn says(&self, invariant: Invariant, view: &Look<'_>) -> bool {
        self.coordinator.whole_invariant(invariant, &self.facts(view))
    }

    fn ends(&self, rule: Rule, view: &Look<'_>) -> bool {
        self.coordinator.whole_rule(rule, &self.facts(view))
    }
}

/// Of the timers that are armed, those of a member's locks.
fn locks_timers(part: &NodePart) -> BTreeSet<group::Timer> {
    part.timers.iter().filter_map(timer_of_locks).collect()
}

impl Group {
    /// The timers that the states of a member's machines hold.
    fn arms(&self, seat: &Seat) -> BTreeSet<group::Timer> {
        let waits = |at| self.client.holds(at).contains(&client::Resource::Timeout);
        let locks = seat.core().locks().filter(|(_, lock)| waits(lock.at));
        let locks = locks.map(|(name, _)| group::Timer::Lock(name));
        let held = self.coordinator.holds(seat.core().server().at);
        let collects = held.contains(&Resource::ReconciliationTimeout);
        locks.chain(collects.then_some(group::Timer::Reconciliation)).collect()
    }
}

impl group_lock::Properties for Group {
    type View<'a> = Look<'a>;

    fn no_event_without_a_row(&self, view: &Look<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if violation.is_unexpected())
    }

    fn requests_are_served_in_order(&self, view: &Self::View<'_>) -> bool {
        seats(view).all(|(_, seat)| !seat.passed_over)
    }

    fn what_is_done_can_be_done(&self, view: &Look<'_>) -> bool {
        !matches!(view.violation(), Some(violation) if !violation.is_unexpected())
    }

    fn a_coordinator_serves(&self, view: &Look<'_>) -> bool {
        seats(view).any(|(_, seat)| seat.core().server().is_handling)
    }

    fn only_a_coordinator_has_its_state(&self, view: &Look<'_>) -> bool {
        self.says(Invariant::TheCoordinatorSState, view)
    }

    fn what_is_over_is_forgotten(&self, view: &Look<'_>) -> bool {
        let tells = |at| self.coordinator.holds(at).contains(&Resource::Losers);
        seats(view).all(|(_, seat)| {
            let server = seat.core().server();
            let is_member = server.at == coordinator::State::Member;
            let keeps_a_round = is_member && server.round.is_some();
            let keeps_losers = !tells(server.at) && server.losers().next().is_some();
            !keeps_a_round && !keeps_losers
        })
    }

    fn one_coordinator_in_a_view(&self, view: &Look<'_>) -> bool {
        self.says(Invariant::TheCoordinator, view)
    }

    fn one_holder_in_a_view(&self, view: &Look<'_>) -> bool {
        self.says(Invariant::OneHolder, view)
    }

    fn a_lock_is_held(&self, view: &Look<'_>) -> bool {
        seats(view).any(|(_, seat)| held(seat).next().is_some())
    }

    fn losers_are_told_first(&self, view: &Look<'_>) -> bool {
        let is_told = seats(view).all(|(_, seat)| !seat.confirmed_untold);
        is_told && self.says(Invariant::TheLockTable, view)
    }

    fn a_member_knows_its_coordinator(&self, view: &Look<'_>) -> bool {
        self.says(Invariant::TheCurrentCoord, view)
    }

    fn held_is_armed(&self, view: &Look<'_>) -> bool {
        let is_kept = |part: &&NodePart| {
            part.state.get().is_none_or(|seat| self.arms(seat) == locks_timers(part))
        };
        view.nodes.iter().all(is_kept)
    }

    fn one_holder_is_left(&self, view: &Look<'_>) -> bool {
        self.says(Invariant::Losers, view)
    }

    fn no_client_lock_without_an_owner(&self, view: &Look<'_>) -> bool {
        let one = client::WholeInvariant::ClientLocks;
        seats(view).all(|(_, seat)| self.client.whole_invariant(one, &facts::Locks(seat)))
    }

    fn a_lock_is_lost_in_a_merge_alone(&self, view: &Look<'_>) -> bool {
        seats(view).all(|(_, seat)| !seat.lost_a_lock)
    }

    fn each_lock_returns_once(&self, view: &Look<'_>) -> bool {
        seats(view).all(|(_, seat)| !seat.returned_twice)
    }

    fn a_coordinator_comes_to_serve(&self, view: &Look<'_>) -> bool {
        self.ends(Rule::Served, view)
    }

    fn a_coordinator_does_not_serve(&self, view: &Look<'_>) -> bool {
        !self.ends(Rule::Served, view)
    }

    fn each_lock_returns(&self, view: &Look<'_>) -> bool {
        !self.a_lock_waits(view)
    }

    fn a_lock_waits(&self, view: &Look<'_>) -> bool {
        let mut members = seats(view).filter(|(_, seat)| seat.core().view.is_some());
        members.any(|(_, seat)| seat.callers.values().any(|caller| *caller != Caller::Holds))
    }

    fn a_lock_whose_holder_is_gone_becomes_free(&self, view: &Look<'_>) -> bool {
        self.ends(Rule::OwnersArePresent, view)
    }

    fn a_holder_is_gone(&self, view: &Look<'_>) -> bool {
        !self.ends(Rule::OwnersArePresent, view)
    }

    fn nothing_is_held_that_nobody_asked_for(&self, view: &Look<'_>) -> bool {
        self.ends(Rule::OwnersWantTheirLocks, view)
    }

    fn a_lock_is_in_a_lock_table(&self, view: &Look<'_>) -> bool {
        seats(view).any(|(_, seat)| !seat.core().server().table.is_empty())
    }
}

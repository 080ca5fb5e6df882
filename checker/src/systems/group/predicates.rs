//! What the properties of the group lock ask of a state.

use turnstile_core::group::message::LockName;
use turnstile_core::group::{Server, State as Core};
use turnstile_core::view::MemberId;
use turnstile_machines::group_lock_client::{Resource, Rules as _};
use turnstile_machines::group_lock_coordinator::{Formulae as _, Invariant, Rules as _};

use super::facts::{self, held, is_in_view_of};
use super::{Group, GroupTypes, member};
use crate::systems::group::types::{Caller, Seat, State};
use crate::world::property::View;

turnstile_macros::system!(bundled "group-lock");

type Look<'a> = View<'a, GroupTypes>;

/// The members that run.
fn seats<'a>(view: &Look<'a>) -> impl Iterator<Item = (MemberId, &'a Seat)> + Clone {
    view.nodes.iter().enumerate().filter_map(|(node, part)| match &part.state {
        State::Member(seat) => Some((member(node), &**seat)),
        State::Gone | State::Membership(_) => None,
    })
}

/// The coordinators whose lock-handler runs.
fn servers<'a>(view: &Look<'a>) -> impl Iterator<Item = (MemberId, &'a Core, &'a Server)> {
    let all = seats(view).map(|(member, seat)| (member, &seat.core, seat.core.server()));
    all.filter(|(_, _, server)| server.is_handling)
}

/// Whether the lock-table of a coordinator whose lock-handler runs has a lock for a member that is
/// so.
fn has_lock_for(
    view: &Look<'_>,
    is_so: impl Fn(MemberId, &Core, LockName, MemberId) -> bool,
) -> bool {
    servers(view).any(|(coordinator, core, server)| {
        let mut table = server.table.iter();
        table.any(|(lock, owner)| is_so(coordinator, core, *lock, *owner))
    })
}

/// Whether a coordinator and a member run and can reach each other.
fn are_together(view: &Look<'_>, one: MemberId, other: MemberId) -> bool {
    view.nodes.iter().any(|part| match &part.state {
        State::Membership(membership) => membership.are_together(one, other),
        State::Member(_) | State::Gone => false,
    })
}

/// Whether a lock is in a lock-table for a member of the view whose caller has nothing to do with
/// it.
fn is_for_nobody(view: &Look<'_>) -> bool {
    has_lock_for(view, |_, core, lock, owner| {
        let mut others = seats(view).filter(|(member, _)| *member == owner);
        others.any(|(_, seat)| is_in_view_of(&seat.core, core) && !seat.callers.contains_key(&lock))
    })
}

impl Group {
    fn says(&self, invariant: Invariant, view: &Look<'_>) -> bool {
        self.coordinator.invariant(invariant, &facts::Group(seats(view).collect()))
    }
}

impl group_lock::Properties for Group {
    type View<'a> = Look<'a>;

    fn no_event_without_a_row(&self, view: &Look<'_>) -> bool {
        !matches!(view.trouble(), Some(trouble) if trouble.is_unexpected())
    }

    fn what_is_done_can_be_done(&self, view: &Look<'_>) -> bool {
        !matches!(view.trouble(), Some(trouble) if !trouble.is_unexpected())
    }

    fn a_coordinator_serves(&self, view: &Look<'_>) -> bool {
        servers(view).next().is_some()
    }

    fn only_a_coordinator_has_its_state(&self, view: &Look<'_>) -> bool {
        self.says(Invariant::TheCoordinatorSState, view)
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
        self.says(Invariant::TheLockTable, view)
    }

    fn no_client_lock_without_an_owner(&self, view: &Look<'_>) -> bool {
        seats(view).all(|(_, seat)| {
            let of = |at| self.client.holds(at).contains(&Resource::ClientLock);
            let mut held = seat.core.locks().filter(|(_, lock)| of(lock.at));
            held.all(|(name, _)| seat.callers.get(&name) == Some(&Caller::Holds))
        })
    }

    fn a_lock_is_lost_in_a_merge_alone(&self, view: &Look<'_>) -> bool {
        seats(view).all(|(_, seat)| !seat.lost_a_lock)
    }

    fn each_lock_returns_once(&self, view: &Look<'_>) -> bool {
        seats(view).all(|(_, seat)| !seat.returned_twice)
    }

    fn a_coordinator_comes_to_serve(&self, view: &Look<'_>) -> bool {
        !self.a_coordinator_does_not_serve(view)
    }

    fn a_coordinator_does_not_serve(&self, view: &Look<'_>) -> bool {
        seats(view).any(|(_, seat)| {
            let server = seat.core.server();
            server.at != self.coordinator.initial() && !server.is_handling
        })
    }

    fn each_lock_returns(&self, view: &Look<'_>) -> bool {
        !self.a_lock_waits(view)
    }

    fn a_lock_waits(&self, view: &Look<'_>) -> bool {
        seats(view).any(|(_, seat)| seat.callers.values().any(|caller| *caller == Caller::Waits))
    }

    fn a_lock_whose_holder_is_gone_becomes_free(&self, view: &Look<'_>) -> bool {
        !self.a_holder_is_gone(view)
    }

    fn a_holder_is_gone(&self, view: &Look<'_>) -> bool {
        has_lock_for(view, |coordinator, _, _, owner| !are_together(view, coordinator, owner))
    }

    fn nothing_is_held_that_nobody_asked_for(&self, view: &Look<'_>) -> bool {
        !is_for_nobody(view)
    }

    fn a_lock_is_held_for_nobody(&self, view: &Look<'_>) -> bool {
        is_for_nobody(view)
    }
}

//! What the properties of the view handling system ask of a state.

use turnstile_core::view::{MemberId, Request, State, View as Group, Wants};
use turnstile_machine::Rules as _;
use turnstile_machines::view_handler::{Resource, WholeInvariant as Invariant};
use turnstile_world::NodeId;
use turnstile_world::node::NodePart;
use turnstile_world::property::View;

use super::facts::{Group as Facts, Seat};
use super::past::{Monitor, Past};
use super::{Views, member};

turnstile_machine::system!("spec/systems/view-handler.yaml");

type Asked<'a, 'v> = &'a View<'v>;

/// A member that is up.
struct Member<'v> {
    state: &'v State,
    part: &'v NodePart,
}

fn up<'v>(view: Asked<'_, 'v>) -> impl Iterator<Item = (NodeId, Member<'v>)> {
    let parts = view.nodes.iter().copied().enumerate().filter(|(_, part)| part.is_up());
    parts.filter_map(|(node, part)| Some((node, Member { state: part.state.get()?, part })))
}

impl Views {
    fn holds(&self, state: &State, resource: Resource) -> bool {
        self.rules.holds(state.at).contains(&resource)
    }

    fn is_suspended(&self, state: &State) -> bool {
        self.holds(state, Resource::Resumer)
    }

    /// Whether all members that run are as an invariant of the table says.
    fn keeps(&self, invariant: Invariant, view: Asked<'_, '_>) -> bool {
        let seats = up(view).map(|(node, Member { state, part })| Seat {
            member: member(node),
            state,
            part,
        });
        self.rules.whole_invariant(invariant, &Facts(seats.collect()))
    }

    /// Whether some member runs that is in the view of another, and of these two this is so: who
    /// the other is, its view, and the view of the first.
    fn some_pair(
        view: Asked<'_, '_>,
        is_so: impl Fn(MemberId, &Group, Option<&Group>) -> bool,
    ) -> bool {
        up(view).any(|(who, one)| {
            let Some(group) = &one.state.view else { return false };
            let mut members = up(view).filter(|(other, _)| group.contains(member(*other)));
            members.any(|(_, other)| is_so(member(who), group, other.state.view.as_ref()))
        })
    }

    /// Whether some coord has such an event in its queue or in work.
    fn some_accepted(view: Asked<'_, '_>, is_such: impl Fn(&Request) -> bool) -> bool {
        up(view).any(|(_, Member { state, .. })| {
            let made = state.work.iter().flat_map(|work| &work.events);
            state.queue.iter().chain(made).any(&is_such)
        })
    }

    fn is_suspect(past: &Past, of: MemberId) -> bool {
        past.suspects.contains(&of)
    }
}

impl view_handler::Properties for Views {
    type View<'a> = View<'a>;

    fn no_event_without_a_row(&self, view: &Self::View<'_>) -> bool {
        view.violation().is_none()
    }

    fn a_handler_is_suspended(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(_, part)| self.is_suspended(part.state))
    }

    fn a_view_change_and_a_merge_never_run_at_once(&self, view: &Self::View<'_>) -> bool {
        self.keeps(Invariant::NotAtOnce, view)
    }

    fn no_merge_across_a_view_change(&self, view: &Self::View<'_>) -> bool {
        !view.monitor::<Monitor>().merged_across
    }

    fn groups_have_merged(&self, view: &Self::View<'_>) -> bool {
        view.monitor::<Monitor>().has_merged
    }

    fn a_suspension_has_one_owner(&self, view: &Self::View<'_>) -> bool {
        !view.monitor::<Monitor>().other_owner
    }

    fn the_first_coord_is_resumed(&self, view: &Self::View<'_>) -> bool {
        !self.the_first_coord_is_suspended(view)
    }

    fn the_first_coord_is_suspended(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(node, part)| node == 0 && self.is_suspended(part.state))
    }

    fn the_last_coord_is_resumed(&self, view: &Self::View<'_>) -> bool {
        !self.the_last_coord_is_suspended(view)
    }

    fn the_last_coord_is_suspended(&self, view: &Self::View<'_>) -> bool {
        let last = match self.groups.len() {
            1 => self.side,
            _ => self.groups.iter().rev().skip(1).sum(),
        };
        up(view).any(|(node, part)| node == last && self.is_suspended(part.state))
    }

    fn each_merge_req_is_answered(&self, view: &Self::View<'_>) -> bool {
        !view.monitor::<Monitor>().owes_an_answer
    }

    fn whoever_is_suspended_is_told(&self, view: &Self::View<'_>) -> bool {
        let monitor = &view.monitor::<Monitor>();
        up(view).all(|(node, part)| {
            monitor.members[node].is_overtaken.is_some() == self.is_suspended(part.state)
        })
    }

    fn a_suspension_lasts_as_long_as_its_cause(&self, view: &Self::View<'_>) -> bool {
        self.keeps(Invariant::TheCause, view)
    }

    fn a_view_without_the_leader_ends_the_wait(&self, view: &Self::View<'_>) -> bool {
        !up(view).any(|(node, Member { state, .. })| {
            let is_without =
                |group: &Group| state.leader.is_some_and(|leader| !group.contains(leader.merge.of));
            view.monitor::<Monitor>().members[node].is_overtaken == Some(true)
                && state.view.as_ref().is_some_and(is_without)
        })
    }

    fn what_comes_is_installed(&self, view: &Self::View<'_>) -> bool {
        up(view).all(|(node, Member { state, .. })| {
            let sent = view.monitor::<Monitor>().members[node].sent;
            sent <= state.made.max(state.view.is_none().then_some(state.last_view))
        })
    }

    fn every_suspension_ends(&self, view: &Self::View<'_>) -> bool {
        !self.a_handler_is_suspended(view)
    }

    fn every_suspension_ends_by_itself(&self, view: &Self::View<'_>) -> bool {
        !self.a_handler_is_suspended(view)
    }

    fn a_resumer_is_armed_while_suspended(&self, view: &Self::View<'_>) -> bool {
        self.keeps(Invariant::TheResumer, view)
    }

    fn the_groups_of_a_merge_are_apart(&self, view: &Self::View<'_>) -> bool {
        up(view).all(|(_, Member { state, .. })| {
            let groups = state.view.iter().flat_map(|group| &group.subgroups);
            let members = groups.flat_map(turnstile_core::view::Members::iter);
            let mut met = std::collections::BTreeSet::new();
            members.into_iter().all(|one| met.insert(one))
        })
    }

    fn a_suspected_member_is_left_out(&self, view: &Self::View<'_>) -> bool {
        !self.a_member_is_suspected(view)
    }

    fn a_member_is_suspected(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(node, part)| {
            let past = &view.monitor::<Monitor>().members[node];
            let members = part.state.view.iter().flat_map(|group| group.members.iter());
            members.into_iter().any(|one| Self::is_suspect(past, one))
        })
    }

    fn a_view_comes_from_its_coord(&self, view: &Self::View<'_>) -> bool {
        self.keeps(Invariant::TheCoordInstalls, view)
    }

    fn a_view_is_being_installed(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(_, part)| part.state.work.is_some())
    }

    fn views_follow_each_other(&self, view: &Self::View<'_>) -> bool {
        !view.monitor::<Monitor>().went_back
    }

    fn a_member_has_another_view_than_at_first(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(node, part)| {
            let first = self.first_view(node).map(|group| group.members);
            part.state.view.as_ref().map(|group| &group.members) != first.as_ref()
        })
    }

    fn one_view_of_a_number(&self, view: &Self::View<'_>) -> bool {
        !Self::some_pair(view, |who, group, other| {
            group.coordinator() == Some(who)
                && !group.is_merge()
                && other.is_some_and(|other| other.id == group.id && other != group)
        })
    }

    fn a_number_and_a_coord_are_one_view(&self, view: &Self::View<'_>) -> bool {
        let views = || up(view).filter_map(|(_, part)| part.state.view.as_ref());
        let is_one = |one: &Group, other: &Group| {
            one.id != other.id || one.coordinator() != other.coordinator() || one == other
        };
        views().all(|one| views().all(|other| is_one(one, other)))
    }

    fn a_view_comes_to_all_its_members(&self, view: &Self::View<'_>) -> bool {
        !self.a_view_has_not_come_to_all_its_members(view)
    }

    fn a_view_has_not_come_to_all_its_members(&self, view: &Self::View<'_>) -> bool {
        Self::some_pair(view, |_, group, other| other != Some(group))
    }

    fn two_partitions_become_one(&self, view: &Self::View<'_>) -> bool {
        let mut groups = up(view).map(|(_, part)| &part.state.view);
        let first = groups.next();
        groups.all(|group| Some(group) == first)
    }

    fn members_have_different_views(&self, view: &Self::View<'_>) -> bool {
        !self.two_partitions_become_one(view)
    }

    fn who_joins_belongs_to_the_group(&self, view: &Self::View<'_>) -> bool {
        !up(view).any(|(_, part)| part.state.wants == Wants::Join { with_state: false })
    }

    fn a_join_was_accepted(&self, view: &Self::View<'_>) -> bool {
        Self::some_accepted(view, |event| matches!(event, Request::Join { with_state: false, .. }))
    }

    fn who_leaves_is_let_go(&self, view: &Self::View<'_>) -> bool {
        !up(view).any(|(_, part)| part.state.wants == Wants::Leave)
    }

    fn a_leave_was_accepted(&self, view: &Self::View<'_>) -> bool {
        Self::some_accepted(view, |event| matches!(event, Request::Leave { .. }))
    }

    fn who_has_joined_gets_the_state(&self, view: &Self::View<'_>) -> bool {
        !self.a_member_waits_for_the_state(view)
    }

    fn a_member_waits_for_the_state(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(_, part)| part.state.wants == Wants::State)
    }

    fn who_joins_gets_the_state(&self, view: &Self::View<'_>) -> bool {
        let with_state = Wants::Join { with_state: true };
        !up(view).any(|(_, part)| [with_state, Wants::State].contains(&part.state.wants))
    }

    fn a_join_with_state_was_accepted(&self, view: &Self::View<'_>) -> bool {
        self.a_member_waits_for_the_state(view)
            || Self::some_accepted(view, |one| {
                matches!(one, Request::Join { with_state: true, .. })
            })
    }
}

//! The predicates of the view handling system's properties.

use turnstile_machine::Rules as _;
use turnstile_view_handler_core::{
    Intent, MemberId, MembershipRequest, State, Timer, View as GroupView,
};
use turnstile_view_handler_machines::view_handler::{Resource, WholeInvariant as Invariant};
use turnstile_world::NodeId;
use turnstile_world::nodes::node::NodePart;
use turnstile_world::property::View;

use super::facts::{RunningMember, RunningMembers as Facts};
use super::monitor::{MemberHistory, Monitor};
use super::rule;
use super::{Views, member};

turnstile_machine::system!("spec/systems/view-handler.yaml");

type Asked<'a, 'v> = &'a View<'v>;

/// A running member.
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

    /// Whether the running members satisfy an invariant of the table.
    fn keeps(&self, invariant: Invariant, view: Asked<'_, '_>) -> bool {
        let members = up(view).map(|(node, Member { state, part })| RunningMember {
            member: member(node),
            state,
            part,
        });
        self.rules.whole_invariant(invariant, &Facts(members.collect()))
    }

    /// Whether a running member is in the view of another, and the pair satisfies the predicate
    /// over the other's name, the other's view, and the member's own name and state.
    fn some_pair(
        view: Asked<'_, '_>,
        is_so: impl Fn(MemberId, &GroupView, (MemberId, &State)) -> bool,
    ) -> bool {
        up(view).any(|(who, one)| {
            let Some(group) = &one.state.view else { return false };
            let mut members = up(view).filter(|(other, _)| group.contains(member(*other)));
            members.any(|(other, part)| is_so(member(who), group, (member(other), part.state)))
        })
    }

    /// Whether some coord has such an event in its queue or in process.
    fn some_accepted(view: Asked<'_, '_>, is_such: impl Fn(&MembershipRequest) -> bool) -> bool {
        up(view).any(|(_, Member { state, .. })| {
            let made = state.installation.iter().flat_map(|work| &work.events);
            state.queue.iter().chain(made).any(&is_such)
        })
    }

    fn is_suspect(history: &MemberHistory, of: MemberId) -> bool {
        history.suspects.contains(&of)
    }
}

impl view_handler::Properties for Views {
    type View<'a> = View<'a>;

    fn no_unhandled_event(&self, view: &Self::View<'_>) -> bool {
        view.violation().is_none()
    }

    fn a_handler_is_suspended(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(_, part)| self.is_suspended(part.state))
    }

    fn view_changes_and_merges_exclude_each_other(&self, view: &Self::View<'_>) -> bool {
        self.keeps(Invariant::MutualExclusion, view)
    }

    fn no_merge_across_a_view_change(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::OWN_MERGE)
    }

    fn groups_have_merged(&self, view: &Self::View<'_>) -> bool {
        view.monitor::<Monitor>().has_merged
    }

    fn no_stale_resume(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::OWN_RESUME)
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

    fn every_merge_req_is_answered(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::ANSWER_MERGE_REQ)
    }

    fn merge_processes_queued_events(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::PROCESS_QUEUE)
    }

    fn excluded_members_suspect(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::SUSPECT)
    }

    fn the_resumer_resumes(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::RESUME)
    }

    fn views_are_installed_before_resumption(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::INSTALL_FIRST)
    }

    fn suspension_is_notified(&self, view: &Self::View<'_>) -> bool {
        let monitor = &view.monitor::<Monitor>();
        up(view).all(|(node, part)| {
            monitor.members[node].installed_since_suspension.is_some()
                == self.is_suspended(part.state)
        })
    }

    fn suspension_matches_its_cause(&self, view: &Self::View<'_>) -> bool {
        self.keeps(Invariant::SuspensionMatchesItsCause, view)
    }

    fn a_view_without_the_leader_ends_the_wait(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::WAIT_FOR_LEADER)
            && !up(view).any(|(node, Member { state, .. })| {
                let is_without = |group: &GroupView| {
                    state.merge_leader.is_some_and(|leader| !group.contains(leader.merge.of))
                };
                view.monitor::<Monitor>().members[node].installed_since_suspension == Some(true)
                    && state.view.as_ref().is_some_and(is_without)
            })
    }

    fn newer_views_are_installed(&self, view: &Self::View<'_>) -> bool {
        up(view).all(|(node, Member { state, .. })| {
            let sent = view.monitor::<Monitor>().members[node].sent;
            sent <= state.made
        })
    }

    fn views_are_installed_in_order(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::INSTALL_NEWER)
    }

    fn members_say_what_they_do(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::SAY)
    }

    fn members_are_excluded_for_a_cause(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::EXCLUSION)
    }

    fn a_member_enters_a_group_only_by_a_join(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::ENTRY)
    }

    fn a_queue_is_processed(&self, view: &Self::View<'_>) -> bool {
        up(view).all(|(_, Member { state, part })| {
            let mut queued = state.queue.iter();
            let is_once = |event: &_| state.queue.iter().filter(|one| *one == event).count() == 1;
            let (is_armed, mut late) = (part.is_armed(&Timer::Queue), part.late());
            let mut is_due = || late.any(|timer: &Timer| *timer == Timer::Queue);
            let is_right = if state.queue.is_empty() { !is_armed } else { is_armed || is_due() };
            is_right && queued.all(is_once)
        }) && !view.breaks(rule::GIVE_UP)
    }

    fn a_member_keeps_nothing_that_is_over(&self, view: &Self::View<'_>) -> bool {
        up(view).all(|(_, Member { state, .. })| {
            let is_in = |view: Option<&GroupView>, who| view.is_some_and(|view| view.contains(who));
            let made = state.installation.as_ref().map(|made| &made.view);
            let joins = |who| {
                state.queue.iter().any(|event| {
                    matches!(event, MembershipRequest::Join { member, .. } if *member == who)
                })
            };
            let has = |who| is_in(state.view.as_ref(), who) || is_in(made, who) || joins(who);
            let own = state.view.as_ref().map(|own| own.id);
            let is_open = |id| own.is_some_and(|own| own <= id) && id <= state.last_view;
            let suspected = state.queue.iter().filter_map(|event| {
                let MembershipRequest::Suspect { member } = event else { return None };
                Some(*member)
            });
            suspected.chain(state.suspects.iter()).all(has)
                && state.exclusions.iter().all(|one| is_open(one.id))
                && state.exclusions.is_sorted_by(|one, next| one.by < next.by)
                && state
                    .missed_merges
                    .iter()
                    .all(|one| own < Some(one.id) || !is_in(state.view.as_ref(), one.leader))
                && state.made.is_none_or(|made| own < Some(made))
        })
    }

    fn every_suspension_ends(&self, view: &Self::View<'_>) -> bool {
        !self.a_handler_is_suspended(view)
    }

    fn every_suspension_ends_without_a_resumer(&self, view: &Self::View<'_>) -> bool {
        !self.a_handler_is_suspended(view)
    }

    fn a_resumer_is_armed_while_suspended(&self, view: &Self::View<'_>) -> bool {
        self.keeps(Invariant::TheResumer, view)
    }

    fn merged_groups_are_disjoint(&self, view: &Self::View<'_>) -> bool {
        up(view).all(|(_, Member { state, .. })| {
            let groups = state.view.iter().flat_map(|group| &group.subgroups);
            let members = groups.flat_map(turnstile_view_handler_core::Members::iter);
            let mut met = std::collections::BTreeSet::new();
            members.into_iter().all(|one| met.insert(one))
        })
    }

    fn suspected_members_are_excluded(&self, view: &Self::View<'_>) -> bool {
        !self.a_member_is_suspected(view)
    }

    fn a_member_is_suspected(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(node, part)| {
            let history = &view.monitor::<Monitor>().members[node];
            let members = part.state.view.iter().flat_map(|group| group.members.iter());
            members.into_iter().any(|one| Self::is_suspect(history, one))
        })
    }

    fn only_the_coord_installs_a_view(&self, view: &Self::View<'_>) -> bool {
        self.keeps(Invariant::TheCoordInstalls, view)
    }

    fn a_view_is_being_installed(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(_, part)| part.state.installation.is_some())
    }

    fn view_numbers_increase(&self, view: &Self::View<'_>) -> bool {
        !view.breaks(rule::GREATER_NUMBER)
    }

    fn a_view_has_changed(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(node, part)| {
            let first = self.first_view(node).map(|group| group.members);
            part.state.view.as_ref().map(|group| &group.members) != first.as_ref()
        })
    }

    fn one_view_per_number(&self, view: &Self::View<'_>) -> bool {
        !Self::some_pair(view, |who, group, (_, State { view: other, .. })| {
            group.coordinator() == Some(who)
                && !group.is_merge()
                && other.as_ref().is_some_and(|other| other.id == group.id && other != group)
        })
    }

    fn number_and_coord_identify_a_view(&self, view: &Self::View<'_>) -> bool {
        let views = || up(view).filter_map(|(_, part)| part.state.view.as_ref());
        let is_one = |one: &GroupView, other: &GroupView| {
            one.id != other.id || one.coordinator() != other.coordinator() || one == other
        };
        views().all(|one| views().all(|other| is_one(one, other)))
    }

    fn a_view_reaches_all_its_members(&self, view: &Self::View<'_>) -> bool {
        !self.a_view_has_not_reached_all_its_members(view)
    }

    fn a_view_has_not_reached_all_its_members(&self, view: &Self::View<'_>) -> bool {
        Self::some_pair(view, |_, group, (_, other)| other.view.as_ref() != Some(group))
    }

    fn partitions_eventually_merge(&self, view: &Self::View<'_>) -> bool {
        let mut groups = up(view).map(|(_, part)| &part.state.view);
        let first = groups.next();
        groups.all(|group| Some(group) == first)
    }

    fn members_have_different_views(&self, view: &Self::View<'_>) -> bool {
        !self.partitions_eventually_merge(view)
    }

    fn accepted_joins_complete(&self, view: &Self::View<'_>) -> bool {
        !up(view).any(|(_, part)| part.state.intent == Intent::Join { with_state: false })
    }

    fn a_join_was_accepted(&self, view: &Self::View<'_>) -> bool {
        Self::some_accepted(view, |event| {
            matches!(event, MembershipRequest::Join { with_state: false, .. })
        })
    }

    fn accepted_leaves_complete(&self, view: &Self::View<'_>) -> bool {
        !up(view).any(|(_, part)| part.state.intent == Intent::Leave)
    }

    fn a_leave_was_accepted(&self, view: &Self::View<'_>) -> bool {
        Self::some_accepted(view, |event| matches!(event, MembershipRequest::Leave { .. }))
    }

    fn no_view_keeps_a_member_of_no_group(&self, view: &Self::View<'_>) -> bool {
        !self.a_view_has_a_member_of_no_group(view)
    }

    fn a_view_has_a_member_of_no_group(&self, view: &Self::View<'_>) -> bool {
        Self::some_pair(view, |who, group, (other, state)| {
            let first = group.members.iter().find(|one| *one != other);
            state.view.is_none() && group.id > state.last_view && first == Some(who)
        })
    }

    fn joined_members_get_the_state(&self, view: &Self::View<'_>) -> bool {
        !self.a_member_waits_for_the_state(view)
    }

    fn a_member_waits_for_the_state(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(_, part)| part.state.intent == Intent::State)
    }

    fn joins_with_state_complete(&self, view: &Self::View<'_>) -> bool {
        let with_state = Intent::Join { with_state: true };
        !up(view).any(|(_, part)| [with_state, Intent::State].contains(&part.state.intent))
    }

    fn a_join_with_state_was_accepted(&self, view: &Self::View<'_>) -> bool {
        self.a_member_waits_for_the_state(view)
            || Self::some_accepted(view, |one| {
                matches!(one, MembershipRequest::Join { with_state: true, .. })
            })
    }
}

//! What the properties of the view handling system ask of a state, and what they remember.

use turnstile_core::view::{Command, MemberId, Notice, State, View as Group, Wants};
use turnstile_machines::view_handler::{Formulae as _, Invariant, Resource, Rules as _};

use super::facts::{Group as Facts, Seat};
use super::types::{self, Past};
use super::{ViewTypes, Views, Watch, member, node};
use crate::world::node::NodePart;
use crate::world::property::View;
use crate::world::system::NodeId;
use crate::world::watch::Seen;

turnstile_macros::system!(bundled "view-handler");

/// Remembers what the properties need of the past.
pub(super) fn observe(watch: &mut Watch, seen: &Seen<ViewTypes>) {
    match seen {
        Seen::Asked(who, types::Command::Member(Command::Suspect { member })) => {
            let suspects = &mut watch.members[*who].suspects;
            if let Err(place) = suspects.binary_search(member) {
                suspects.insert(place, *member);
            }
        }
        Seen::Told(who, Notice::Installed(view)) => {
            watch.merged_across |=
                view.is_merge() && merges_across(*who, &watch.members[*who], view);
            watch.has_merged |= view.is_merge();
            let past = &mut watch.members[*who];
            watch.out_of_order |= past.number.replace(view.id) >= Some(view.id);
            // Who has left suspects nobody.
            let is_in = view.contains(member(*who));
            past.suspects.retain(|suspect| is_in && view.contains(*suspect));
            past.view = view.members.clone();
        }
        Seen::Told(_, Notice::Resumed { from, by }) => watch.other_owner |= *by != Some(*from),
        Seen::Crashed(who) | Seen::Restarted(who) => {
            watch.members[*who] = Past::default();
        }
        Seen::Told(_, Notice::GotState | Notice::Suspended(_))
        | Seen::Asked(
            _,
            types::Command::Part
            | types::Command::Member(
                Command::Join { .. }
                | Command::Leave
                | Command::Announce { .. }
                | Command::InstallationFails,
            ),
        )
        | Seen::Trouble(_) => {}
    }
}

/// Whether a coord installs a merge view which was made without its present members.
fn merges_across(who: NodeId, past: &Past, view: &Group) -> bool {
    past.view.first() == Some(member(who)) && past.view.iter().any(|one| !view.contains(one))
}

type Asked<'a, 'v> = &'a View<'v, ViewTypes>;

/// A member that is up.
struct Member<'v> {
    state: &'v State,
    part: &'v NodePart<ViewTypes>,
}

fn up<'v>(view: Asked<'_, 'v>) -> impl Iterator<Item = (NodeId, Member<'v>)> {
    let parts = view.nodes.iter().copied().enumerate().filter(|(_, part)| part.is_up());
    parts.filter_map(|(node, part)| Some((node, Member { state: part.state.member()?, part })))
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
            timers: &part.timers,
            begun: &part.due,
        });
        self.rules.invariant(invariant, &Facts(seats.collect()))
    }

    /// Whether a member's coord is up and has its view.
    fn is_led(view: Asked<'_, '_>, state: &State) -> bool {
        let coord = |group: &Group| {
            let coord = group.coordinator()?;
            let part = view.nodes[node(coord)];
            part.is_up().then_some(&part.state.member()?.view)
        };
        state.view.as_ref().is_some_and(|group| coord(group) == Some(&Some(group.clone())))
    }

    fn is_suspect(past: &Past, of: MemberId) -> bool {
        past.suspects.contains(&of)
    }
}

impl view_handler::Properties for Views {
    type View<'a> = View<'a, ViewTypes>;

    fn no_event_without_a_row(&self, view: &Self::View<'_>) -> bool {
        !view.trouble().is_some_and(crate::world::Trouble::is_unexpected)
    }

    fn a_handler_is_suspended(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(_, part)| self.is_suspended(part.state))
    }

    fn a_view_change_and_a_merge_never_run_at_once(&self, view: &Self::View<'_>) -> bool {
        self.keeps(Invariant::NotAtOnce, view)
    }

    fn no_merge_across_a_view_change(&self, view: &Self::View<'_>) -> bool {
        !view.watch.system.merged_across
    }

    fn groups_have_merged(&self, view: &Self::View<'_>) -> bool {
        view.watch.system.has_merged
    }

    fn a_suspension_has_one_owner(&self, view: &Self::View<'_>) -> bool {
        !view.watch.system.other_owner
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
        let last: usize = self.groups.iter().rev().skip(1).sum();
        up(view).any(|(node, part)| node == last && self.is_suspended(part.state))
    }

    fn a_resumer_is_armed_while_suspended(&self, view: &Self::View<'_>) -> bool {
        self.keeps(Invariant::TheResumer, view)
    }

    fn a_suspected_member_is_left_out(&self, view: &Self::View<'_>) -> bool {
        !self.a_member_is_suspected(view)
    }

    fn a_member_is_suspected(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(node, part)| {
            let past = &view.watch.system.members[node];
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

    fn views_come_in_order(&self, view: &Self::View<'_>) -> bool {
        !view.watch.system.out_of_order
    }

    fn two_partitions_become_one(&self, view: &Self::View<'_>) -> bool {
        let mut groups = up(view).map(|(_, part)| &part.state.view);
        let first = groups.next();
        groups.all(|group| Some(group) == first)
    }

    fn there_are_two_partitions(&self, view: &Self::View<'_>) -> bool {
        up(view).all(|(_, part)| Self::is_led(view, part.state))
            && !self.two_partitions_become_one(view)
    }

    fn who_joins_gets_the_state(&self, view: &Self::View<'_>) -> bool {
        !self.a_member_waits_for_the_state(view)
    }

    fn a_member_waits_for_the_state(&self, view: &Self::View<'_>) -> bool {
        up(view).any(|(_, part)| part.state.wants == Wants::State)
    }
}

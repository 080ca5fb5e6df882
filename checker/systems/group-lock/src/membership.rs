//! The membership service: delivers every sequence of views that a view handling may produce. It
//! decides nothing about locks.
//!
//! Members crash, leave, join, are partitioned and merge; each change makes new views, delivered to
//! each member at its own time. A view keeps the order of the members, and a MergeView begins with
//! the coordinator of a group, unless a world lets another member be the first.

use std::fmt;

use turnstile_step::Symbolic;
use turnstile_view_handler_core::number::ViewId;
use turnstile_view_handler_core::{MemberId, Members, View};

use crate::layer_message::LayerMessage;

/// The groups of members.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct Membership {
    /// The groups.
    groups: Vec<Group>,
    /// The members of the first group, before it has formed.
    founders: Members,
    /// The members that may join.
    outside: Members,
}

/// The members with one coordinator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
struct Group {
    /// In the order of their view.
    members: Members,
    /// The number of their view. Each group numbers its own views.
    id: ViewId,
}

/// A change of the membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum MembershipChange {
    /// The first view.
    Form,
    /// A member leaves: the others are notified, and its departure is delivered to it.
    Leave(MemberId),
    /// A member joins the first group.
    Join(MemberId),
    /// A member is partitioned from its group.
    CutOff(MemberId),
    /// The first two members of a group suspect each other; each makes a view without the other,
    /// and the others follow one of them.
    MutualSuspicion {
        /// The second one.
        member: MemberId,
        /// Whether the others follow it.
        is_followed: bool,
    },
    /// The groups merge; the first of them has this index.
    Merge(u8),
    /// Another view of the same members, of which this one is the first.
    Reorder(MemberId),
    /// The groups merge, and this member, which coordinates none of them, is the first one of the
    /// MergeView.
    MergeUnder(MemberId),
}

impl Membership {
    /// The state before the first view, or after its delivery to all members.
    pub(super) fn new(founders: Members, outside: Members, is_formed: bool) -> Self {
        let (groups, founders) = if is_formed {
            (vec![Group::new(founders)], Members::default())
        } else {
            (Vec::new(), founders)
        };
        Self { groups, founders, outside }
    }

    /// Whether two members are in one group.
    pub(super) fn are_together(&self, one: MemberId, other: MemberId) -> bool {
        let mut groups = self.groups.iter();
        groups.any(|group| [one, other].iter().all(|member| group.members.contains(*member)))
    }

    /// A crash of a member is detected.
    pub(super) fn exclude(&mut self, gone: MemberId) -> Vec<(MemberId, LayerMessage)> {
        self.founders.remove(gone);
        self.outside.remove(gone);
        let is_in = self.groups.iter().any(|group| group.members.contains(gone));
        if is_in { self.without(gone) } else { Vec::new() }
    }

    /// The enabled changes.
    pub(super) fn changes(&self) -> Vec<MembershipChange> {
        if !self.founders.is_empty() {
            return vec![MembershipChange::Form];
        }
        let mut changes = Vec::new();
        for group in &self.groups {
            for member in group.members.iter() {
                changes.push(MembershipChange::Leave(member));
                if group.members.len() > 1 {
                    changes.push(MembershipChange::CutOff(member));
                    changes.push(MembershipChange::Reorder(member));
                }
                if group.members.len() > 2 && group.members.iter().nth(1) == Some(member) {
                    let suspicion =
                        |is_followed| MembershipChange::MutualSuspicion { member, is_followed };
                    changes.extend([false, true].map(suspicion));
                }
            }
        }
        changes.extend(self.outside.iter().map(MembershipChange::Join));
        if self.groups.len() > 1 {
            changes.extend((0..self.groups.len()).map(|place| {
                MembershipChange::Merge(u8::try_from(place).expect("there are few groups"))
            }));
            let others = self.groups.iter().flat_map(|group| group.members.iter().skip(1));
            changes.extend(others.map(MembershipChange::MergeUnder));
        }
        changes
    }

    /// Applies a change; returns the messages and their receivers.
    pub(super) fn change(&mut self, change: MembershipChange) -> Vec<(MemberId, LayerMessage)> {
        match change {
            MembershipChange::Form => {
                let founders = std::mem::take(&mut self.founders);
                self.groups.push(Group::new(founders));
                self.views(&[0])
            }
            MembershipChange::Leave(member) => {
                let mut sent = self.without(member);
                sent.push((member, LayerMessage::Stop));
                sent
            }
            MembershipChange::Join(member) => {
                self.outside.remove(member);
                match self.groups.first_mut() {
                    Some(group) => group.members.add(member),
                    None => self.groups.push(Group::new(Members::new([member]))),
                }
                self.views(&[0])
            }
            MembershipChange::CutOff(member) => {
                let place = self.place(member);
                self.cut_off(place, member);
                self.views(&[place, self.groups.len() - 1])
            }
            MembershipChange::MutualSuspicion { member, is_followed } => {
                self.suspect_each_other(member, is_followed)
            }
            MembershipChange::Merge(first) => self.merge(first.into(), None),
            MembershipChange::Reorder(member) => {
                let place = self.place(member);
                let group = &mut self.groups[place];
                group.members = beginning_with(member, &group.members);
                self.views(&[place])
            }
            MembershipChange::MergeUnder(member) => self.merge(self.place(member), Some(member)),
        }
    }

    /// All groups merge, with the group at this place first, and this member of it.
    fn merge(&mut self, place: usize, first: Option<MemberId>) -> Vec<(MemberId, LayerMessage)> {
        let mut groups = std::mem::take(&mut self.groups);
        groups.rotate_left(place);
        let id = ViewId::after(groups.iter().map(|group| group.id));
        let groups = groups.into_iter().map(|group| group.members);
        let mut view = View::merge(id, groups.collect());
        if let Some(first) = first {
            view.members = beginning_with(first, &view.members);
        }
        self.groups.push(Group { members: view.members.clone(), id });
        let members = view.members.iter();
        members.map(|member| (member, LayerMessage::View(view.clone()))).collect()
    }

    fn place(&self, member: MemberId) -> usize {
        let place = self.groups.iter().position(|group| group.members.contains(member));
        place.expect("whoever changes is in a group")
    }

    /// Removes a member from its group, and notifies the others.
    fn without(&mut self, member: MemberId) -> Vec<(MemberId, LayerMessage)> {
        let place = self.place(member);
        self.groups[place].members.remove(member);
        if self.groups[place].members.is_empty() {
            self.groups.remove(place);
            return Vec::new();
        }
        self.views(&[place])
    }

    /// A new view for each of these groups.
    fn views(&mut self, places: &[usize]) -> Vec<(MemberId, LayerMessage)> {
        let mut sent = Vec::new();
        for place in places {
            let group = &mut self.groups[*place];
            group.id = ViewId::after([group.id]);
            let view = View::new(group.id, group.members.iter());
            sent.extend(
                view.members.iter().map(|member| (member, LayerMessage::View(view.clone()))),
            );
        }
        sent
    }

    /// Makes a member of a group a group of its own.
    fn cut_off(&mut self, place: usize, member: MemberId) {
        let group = &mut self.groups[place];
        group.members.remove(member);
        let id = group.id;
        self.groups.push(Group { members: Members::new([member]), id });
    }

    /// A member of both views installs only the one that arrives first.
    fn suspect_each_other(
        &mut self,
        member: MemberId,
        is_followed: bool,
    ) -> Vec<(MemberId, LayerMessage)> {
        let place = self.place(member);
        let before = self.groups[place].members.clone();
        let first = before.first().expect("a group has a member");
        let (stays, goes) = if is_followed { (member, first) } else { (first, member) };
        let group = &mut self.groups[place];
        group.id = ViewId::after([group.id]);
        let id = group.id;
        self.cut_off(place, goes);
        let without = |gone| {
            let others = before.iter().filter(|other| *other != gone);
            LayerMessage::View(View::new(id, others))
        };
        let followers = self.groups[place].members.iter();
        let alone = [(goes, without(stays))];
        followers.map(|member| (member, without(goes))).chain(alone).collect()
    }
}

/// These members, with this one first.
fn beginning_with(first: MemberId, members: &Members) -> Members {
    Members::new([first].into_iter().chain(members.iter()))
}

impl Group {
    /// A group that has had no view.
    fn new(members: Members) -> Self {
        Self { members, id: ViewId::new(0) }
    }
}

impl fmt::Display for MembershipChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str("the group forms"),
            Self::Leave(member) => write!(f, "{member} leaves"),
            Self::Join(member) => write!(f, "{member} joins"),
            Self::CutOff(member) => write!(f, "{member} is partitioned"),
            Self::MutualSuspicion { member, is_followed } => {
                let others = if *is_followed { "it" } else { "the first" };
                write!(f, "{member} and the first suspect each other, the others follow {others}")
            }
            Self::Merge(_) => f.write_str("the groups merge"),
            Self::Reorder(member) => write!(f, "a view with {member} first is made"),
            Self::MergeUnder(member) => write!(f, "the groups merge, with {member} first"),
        }
    }
}

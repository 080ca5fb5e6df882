//! What delivers views: anything that a view handling may come to. It decides nothing about locks.
//!
//! Members crash, leave, join, are cut off from each other and found again; each change makes new
//! views, on their way to each member by itself.

use std::fmt;

use turnstile_core::number::ViewId;
use turnstile_core::view::{MemberId, Members, View};
use turnstile_step::Symbolic;

use crate::beneath::Letter;

/// Who is with whom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) struct Membership {
    /// The groups.
    groups: Vec<Group>,
    /// Who will form the first group, while there is none.
    founders: Members,
    /// Who may join.
    outside: Members,
}

/// Those who follow one coordinator.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
struct Group {
    /// In order of their view.
    members: Members,
    /// The number of their view. Other groups number theirs by themselves.
    id: ViewId,
}

/// A change of the membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
pub(crate) enum Change {
    /// The first view.
    Form,
    /// A member leaves: the others are told, and it is told to end.
    Leave(MemberId),
    /// A member joins the first group.
    Join(MemberId),
    /// A member is cut off from the others of its group, and they from it.
    CutOff(MemberId),
    /// The first two of a group take each other for gone; each makes a view without the other, and
    /// the others follow the one or the other.
    Doubt {
        /// The second one.
        member: MemberId,
        /// Whether they follow it.
        is_followed: bool,
    },
    /// The groups find each other; the one that comes first has this place.
    Merge(u8),
}

impl Membership {
    /// Before the first view, or once it has come to everybody.
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

    /// It is noticed that a member has crashed.
    pub(super) fn exclude(&mut self, gone: MemberId) -> Vec<(MemberId, Letter)> {
        self.founders.remove(gone);
        self.outside.remove(gone);
        let is_in = self.groups.iter().any(|group| group.members.contains(gone));
        if is_in { self.without(gone) } else { Vec::new() }
    }

    /// All that may change now.
    pub(super) fn changes(&self) -> Vec<Change> {
        if !self.founders.is_empty() {
            return vec![Change::Form];
        }
        let mut changes = Vec::new();
        for group in &self.groups {
            for member in group.members.iter() {
                changes.push(Change::Leave(member));
                if group.members.len() > 1 {
                    changes.push(Change::CutOff(member));
                }
                if group.members.len() > 2 && group.members.iter().nth(1) == Some(member) {
                    let doubt = |is_followed| Change::Doubt { member, is_followed };
                    changes.extend([false, true].map(doubt));
                }
            }
        }
        changes.extend(self.outside.iter().map(Change::Join));
        if self.groups.len() > 1 {
            changes
                .extend((0..self.groups.len()).map(|place| {
                    Change::Merge(u8::try_from(place).expect("there are few groups"))
                }));
        }
        changes
    }

    /// What a change sends to whom.
    pub(super) fn change(&mut self, change: Change) -> Vec<(MemberId, Letter)> {
        match change {
            Change::Form => {
                let founders = std::mem::take(&mut self.founders);
                self.groups.push(Group::new(founders));
                self.views(&[0])
            }
            Change::Leave(member) => {
                let mut sent = self.without(member);
                sent.push((member, Letter::Stop));
                sent
            }
            Change::Join(member) => {
                self.outside.remove(member);
                match self.groups.first_mut() {
                    Some(group) => group.members.add(member),
                    None => self.groups.push(Group::new(Members::new([member]))),
                }
                self.views(&[0])
            }
            Change::CutOff(member) => {
                let place = self.place(member);
                self.cut_off(place, member);
                self.views(&[place, self.groups.len() - 1])
            }
            Change::Doubt { member, is_followed } => self.doubt(member, is_followed),
            Change::Merge(first) => {
                let mut groups = std::mem::take(&mut self.groups);
                groups.rotate_left(usize::from(first));
                let id = ViewId::after(groups.iter().map(|group| group.id));
                let groups = groups.into_iter().map(|group| group.members);
                let view = View::merge(id, groups.collect());
                self.groups.push(Group { members: view.members.clone(), id });
                view.members.iter().map(|member| (member, Letter::View(view.clone()))).collect()
            }
        }
    }

    fn place(&self, member: MemberId) -> usize {
        let place = self.groups.iter().position(|group| group.members.contains(member));
        place.expect("whoever changes is in a group")
    }

    /// Takes a member out of its group, and tells the others.
    fn without(&mut self, member: MemberId) -> Vec<(MemberId, Letter)> {
        let place = self.place(member);
        self.groups[place].members.remove(member);
        if self.groups[place].members.is_empty() {
            self.groups.remove(place);
            return Vec::new();
        }
        self.views(&[place])
    }

    /// A new view for each of these groups.
    fn views(&mut self, places: &[usize]) -> Vec<(MemberId, Letter)> {
        let mut sent = Vec::new();
        for place in places {
            let group = &mut self.groups[*place];
            group.id = ViewId::after([group.id]);
            let view = View::new(group.id, group.members.iter());
            sent.extend(view.members.iter().map(|member| (member, Letter::View(view.clone()))));
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

    /// Who is in both views installs the one that comes first, and the other one no longer.
    fn doubt(&mut self, member: MemberId, is_followed: bool) -> Vec<(MemberId, Letter)> {
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
            Letter::View(View::new(id, others))
        };
        let followers = self.groups[place].members.iter();
        let alone = [(goes, without(stays))];
        followers.map(|member| (member, without(goes))).chain(alone).collect()
    }
}

impl Group {
    /// A group that has had no view.
    fn new(members: Members) -> Self {
        Self { members, id: ViewId::new(0) }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str("the group forms"),
            Self::Leave(member) => write!(f, "{member} leaves"),
            Self::Join(member) => write!(f, "{member} joins"),
            Self::CutOff(member) => write!(f, "{member} is cut off"),
            Self::Doubt { member, is_followed } => {
                let others = if *is_followed { "it" } else { "the first" };
                write!(f, "{member} and the first suspect each other, the others follow {others}")
            }
            Self::Merge(_) => f.write_str("the groups merge"),
        }
    }
}

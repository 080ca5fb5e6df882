//! What delivers views: anything that a view handling may come to. It decides nothing about locks.
//!
//! Members crash, leave, join, are cut off from each other and found again; each change makes new
//! views, on their way to each member by itself.

use std::collections::BTreeSet;
use std::fmt;

use turnstile_core::number::ViewId;
use turnstile_core::view::{MemberId, Members, View};
use turnstile_core::{Class, Numbers};

/// Who is with whom.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Membership {
    /// The groups, each in order of its view.
    groups: Vec<Members>,
    /// Who will form the first group, while there is none.
    founders: Members,
    /// Who may join.
    outside: Members,
    /// Who has crashed and is still in a group.
    crashed: BTreeSet<MemberId>,
    /// The number of the last view.
    last: ViewId,
}

/// A change of the membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// The first view.
    Form,
    /// A member stops; nobody has noticed.
    Crash(MemberId),
    /// It is noticed that a member has crashed.
    Exclude(MemberId),
    /// A member leaves: the others are told, and it is told to end.
    Leave(MemberId),
    /// A member joins the first group.
    Join(MemberId),
    /// A member is cut off from the others of its group, and they from it.
    CutOff(MemberId),
    /// The groups find each other; the one that comes first has this place.
    Merge(u8),
}

/// What is sent to members: views, or the end.
pub(super) enum Sent {
    View(View),
    Stop,
}

impl Membership {
    /// Before the first view, or once it has come to everybody.
    pub(super) fn new(founders: Members, outside: Members, is_formed: bool) -> Self {
        let (groups, founders) =
            if is_formed { (vec![founders], Members::default()) } else { (Vec::new(), founders) };
        Self { groups, founders, outside, crashed: BTreeSet::new(), last: ViewId::new(0) }
    }

    /// Whether two members are in one group and neither has crashed.
    pub(super) fn are_together(&self, one: MemberId, other: MemberId) -> bool {
        let crashed = [one, other].iter().any(|member| self.crashed.contains(member));
        !crashed && self.groups.iter().any(|group| group.contains(one) && group.contains(other))
    }

    /// All that may change now.
    pub(super) fn changes(&self) -> Vec<Change> {
        if !self.founders.is_empty() {
            return vec![Change::Form];
        }
        let mut changes = Vec::new();
        for group in &self.groups {
            for member in group.iter() {
                if self.crashed.contains(&member) {
                    changes.push(Change::Exclude(member));
                    continue;
                }
                changes.extend([Change::Crash(member), Change::Leave(member)]);
                if group.len() > 1 {
                    changes.push(Change::CutOff(member));
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
    pub(super) fn change(&mut self, change: Change) -> Vec<(MemberId, Sent)> {
        match change {
            Change::Form => {
                let founders = std::mem::take(&mut self.founders);
                self.groups.push(founders);
                self.views(&[0])
            }
            Change::Crash(member) => {
                self.crashed.insert(member);
                vec![(member, Sent::Stop)]
            }
            Change::Exclude(member) => {
                self.crashed.remove(&member);
                self.without(member)
            }
            Change::Leave(member) => {
                let mut sent = self.without(member);
                sent.push((member, Sent::Stop));
                sent
            }
            Change::Join(member) => {
                self.outside.remove(member);
                match self.groups.first_mut() {
                    Some(group) => group.add(member),
                    None => self.groups.push(Members::new([member])),
                }
                self.views(&[0])
            }
            Change::CutOff(member) => {
                let place = self.place(member);
                self.groups[place].remove(member);
                self.groups.push(Members::new([member]));
                self.views(&[place, self.groups.len() - 1])
            }
            Change::Merge(first) => {
                let mut groups = std::mem::take(&mut self.groups);
                groups.rotate_left(usize::from(first));
                let view = View::merge(self.next(), groups);
                self.groups.push(view.members.clone());
                view.members.iter().map(|member| (member, Sent::View(view.clone()))).collect()
            }
        }
    }

    fn place(&self, member: MemberId) -> usize {
        let place = self.groups.iter().position(|group| group.contains(member));
        place.expect("whoever changes is in a group")
    }

    /// Takes a member out of its group, and tells the others.
    fn without(&mut self, member: MemberId) -> Vec<(MemberId, Sent)> {
        let place = self.place(member);
        self.groups[place].remove(member);
        if self.groups[place].is_empty() {
            self.groups.remove(place);
            return Vec::new();
        }
        self.views(&[place])
    }

    /// A new view for each of these groups.
    fn views(&mut self, places: &[usize]) -> Vec<(MemberId, Sent)> {
        let mut sent = Vec::new();
        for place in places {
            let view = View::new(self.next(), self.groups[*place].iter());
            sent.extend(view.members.iter().map(|member| (member, Sent::View(view.clone()))));
        }
        sent
    }

    fn next(&mut self) -> ViewId {
        self.last = self.last.next();
        self.last
    }
}

impl Numbers for Membership {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        self.last.visit(each);
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Form => f.write_str("the group forms"),
            Self::Crash(member) => write!(f, "{member} crashes"),
            Self::Exclude(member) => write!(f, "{member} is found to have crashed"),
            Self::Leave(member) => write!(f, "{member} leaves"),
            Self::Join(member) => write!(f, "{member} joins"),
            Self::CutOff(member) => write!(f, "{member} is cut off"),
            Self::Merge(_) => f.write_str("the groups merge"),
        }
    }
}

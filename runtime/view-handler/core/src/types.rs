//! A view: a numbered list of members, the first of which coordinates; a merge view also says from
//! which groups it was made.
//!
//! Shared by the layers above views.

use alloc::vec::Vec;
use core::fmt;

use turnstile_machine::Term;
use turnstile_step::{IdClass, Order, Symbolic};

use crate::number::ViewId;

/// A member of a group, as every other one addresses it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MemberId(pub u64);

impl fmt::Display for MemberId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "member {}", self.0)
    }
}

/// The term of a member in formulas.
impl From<MemberId> for Term {
    fn from(member: MemberId) -> Self {
        Self(member.0)
    }
}

/// Members in their order, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "Vec<MemberId>"))]
pub struct Members(Vec<MemberId>);

/// A member that comes again is left out.
impl From<Vec<MemberId>> for Members {
    fn from(members: Vec<MemberId>) -> Self {
        Self::new(members)
    }
}

impl Members {
    /// These, in this order; a member that comes again is left out.
    #[must_use]
    pub fn new(members: impl IntoIterator<Item = MemberId>) -> Self {
        let mut all = Self::default();
        members.into_iter().for_each(|member| all.add(member));
        all
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = MemberId> + '_ {
        self.0.iter().copied()
    }

    /// The first one.
    #[must_use]
    pub fn first(&self) -> Option<MemberId> {
        self.0.first().copied()
    }

    /// How many.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this one is among them.
    #[must_use]
    pub fn contains(&self, member: MemberId) -> bool {
        self.0.contains(&member)
    }

    /// Adds a member at the end, unless it is there.
    pub fn add(&mut self, member: MemberId) {
        if !self.contains(member) {
            self.0.push(member);
        }
    }

    /// Removes members that are not in a view.
    pub(crate) fn retain(&mut self, view: &View) {
        self.0.retain(|member| view.contains(*member));
    }

    /// Takes a member out.
    pub fn remove(&mut self, member: MemberId) {
        self.0.retain(|other| *other != member);
    }
}

impl fmt::Display for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for member in self.iter() {
            write!(f, "{comma}{}", member.0)?;
            comma = ", ";
        }
        Ok(())
    }
}

/// The membership of a group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct View {
    /// Greater than that of every view that it follows.
    pub id: ViewId,
    /// The members; the first one is the coordinator.
    pub members: Members,
    /// The members of the groups that this view brought together; empty unless it is a merge view.
    pub subgroups: Vec<Members>,
}

impl View {
    /// A view that is no merge view.
    #[must_use]
    pub fn new(id: ViewId, members: impl IntoIterator<Item = MemberId>) -> Self {
        Self { id, members: Members::new(members), subgroups: Vec::new() }
    }

    /// A merge view of these groups, the leader's first.
    #[must_use]
    pub fn merge(id: ViewId, subgroups: Vec<Members>) -> Self {
        let members = Members::new(subgroups.iter().flat_map(Members::iter));
        Self { id, members, subgroups }
    }

    /// Whether it brought groups together.
    #[must_use]
    pub fn is_merge(&self) -> bool {
        !self.subgroups.is_empty()
    }

    /// The member that coordinates it.
    #[must_use]
    pub fn coordinator(&self) -> Option<MemberId> {
        self.members.first()
    }

    /// Whether a member belongs to it.
    #[must_use]
    pub fn contains(&self, member: MemberId) -> bool {
        self.members.contains(member)
    }
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "view {} of {}", self.id, self.members)?;
        if self.is_merge() {
            write!(f, ", merged from")?;
            let mut comma = "";
            for group in &self.subgroups {
                write!(f, "{comma} ({group})")?;
                comma = " and";
            }
        }
        Ok(())
    }
}

/// One suspension of a member's handler: a number that grows at each one.
///
/// Numbers of different members are not compared, so each member's are a family of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Suspension {
    /// Whose handler.
    pub of: MemberId,
    number: u64,
}

impl Suspension {
    const CLASSES: [IdClass; 8] = [
        IdClass { name: "suspension of member 0", order: Order::Count },
        IdClass { name: "suspension of member 1", order: Order::Count },
        IdClass { name: "suspension of member 2", order: Order::Count },
        IdClass { name: "suspension of member 3", order: Order::Count },
        IdClass { name: "suspension of member 4", order: Order::Count },
        IdClass { name: "suspension of member 5", order: Order::Count },
        IdClass { name: "suspension of member 6", order: Order::Count },
        IdClass { name: "suspension of any other member", order: Order::Count },
    ];

    /// Before a member's handler was ever suspended.
    #[must_use]
    pub const fn first(of: MemberId) -> Self {
        Self { of, number: 0 }
    }

    /// The suspension that comes after this one.
    #[must_use]
    pub(crate) const fn next(self) -> Self {
        Self { of: self.of, number: self.number.strict_add(1) }
    }
}

impl fmt::Display for Suspension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "suspension {} of {}", self.number, self.of)
    }
}

impl Symbolic for Suspension {
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        let [own @ .., other] = &Self::CLASSES;
        let family = usize::try_from(self.of.0).ok().and_then(|of| own.get(of)).unwrap_or(other);
        each(*family, &mut self.number);
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;

    use super::*;

    #[test]
    fn a_merge_view_has_the_leaders_members_first_and_each_once() {
        let groups = [[2, 3].map(MemberId), [1, 2].map(MemberId)].map(Members::new);
        let view = View::merge(ViewId::new(5), groups.into());
        assert_eq!(view.to_string(), "view 5 of 2, 3, 1, merged from (2, 3) and (1, 2)");
        assert_eq!(view.coordinator(), Some(MemberId(2)));
        assert!(view.is_merge());
        assert!(!View::new(ViewId::new(6), view.members.iter()).is_merge());
    }
}

//! Who a member is, and whether two members belong together.

use serde::{Deserialize, Serialize};

use crate::group::{Founding, Group};

/// The request by which a member identifies itself and asks another one who it is.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Handshake {
    pub(crate) from: Identity,
    /// The number that the log of the other member must have, if it is known.
    pub(crate) log: Option<u64>,
}

/// A member, as it identifies itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Identity {
    pub(crate) member: u64,
    /// A random number: another one after each start, and once its group is known.
    pub(crate) process: u64,
    /// The number of its log.
    pub(crate) log: u64,
    /// The index of the last entry of its log.
    pub(crate) last: Option<u64>,
    /// The application; an empty name fits to all.
    pub(crate) application: String,
    /// The newest version of the operations that it can apply.
    pub(crate) version: u32,
    pub(crate) group: GroupIdentity,
}

/// What is to be done with a group of which a member was lost before it began.
pub(crate) const NOT_BEGUN: &str = "if a member leads, remove the one that has lost its data, and \
    add one with a new id; if none does, the group has not begun: end all of its first members, \
    remove their data, and start them again";

/// The group of a member, as far as it has one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum GroupIdentity {
    /// It is of this group, durably, and never of another one.
    In(Group),
    /// It is to begin this group.
    Founding(Founding),
    /// It is to join a group with this name; an empty one stands for any.
    Joining(String),
}

impl GroupIdentity {
    pub(crate) const fn group(&self) -> Option<&Group> {
        match self {
            Self::In(group) => Some(group),
            Self::Founding(_) | Self::Joining(_) => None,
        }
    }

    const fn founding(&self) -> Option<&Founding> {
        match self {
            Self::In(group) => Some(&group.founding),
            Self::Founding(founding) => Some(founding),
            Self::Joining(_) => None,
        }
    }

    pub(crate) fn name(&self) -> Option<&str> {
        match self {
            Self::In(Group { founding, .. }) | Self::Founding(founding) => Some(&founding.name),
            Self::Joining(name) => (!name.is_empty()).then_some(name),
        }
    }

    /// Why member `id`, which has this group, does not work with member `their_id`.
    pub(crate) fn conflict(&self, id: u64, theirs: &Self, their_id: u64) -> Option<String> {
        match (self, theirs) {
            (Self::In(ours), Self::In(theirs)) => (ours != theirs).then(|| {
                if ours.founding == theirs.founding {
                    return format!(
                        "members {their_id} and {id} began with other logs of the same members, of \
                         which one was lost: {NOT_BEGUN}"
                    );
                }
                format!(
                    "member {their_id} is of the group {theirs}, and member {id} of the group \
                     {ours}: remove the data of the one that began with a wrong list or name, and \
                     begin it again"
                )
            }),
            (Self::In(_) | Self::Founding(_) | Self::Joining(_), _) => {
                let names = self.name().zip(theirs.name());
                if let Some((ours, theirs)) = names.filter(|(ours, theirs)| ours != theirs) {
                    return Some(format!(
                        "member {their_id} is to be of a group with the name {theirs:?}, and \
                         member {id} of one with the name {ours:?}: start the one that has a wrong \
                         name again with the right one"
                    ));
                }
                let (ours, theirs) = self.founding().zip(theirs.founding())?;
                (ours != theirs).then(|| {
                    format!(
                        "member {their_id} has a group begun{theirs}, and member {id} one \
                         begun{ours}: start the one that has a wrong list again with the right one"
                    )
                })
            }
        }
    }
}

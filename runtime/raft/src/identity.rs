//! Who a member is, and whether two members belong together.

use serde::{Deserialize, Serialize};

use crate::group::Group;

/// Who asks who is there.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) from: Identity,
    /// The number of the log that it has noted of the member that it asks.
    pub(crate) log: Option<u64>,
}

/// Who is there.
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
    pub(crate) belongs: Belonging,
}

/// Where a member belongs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Belonging {
    /// It is of this group.
    In(Group),
    /// It is of no group yet, and is to be of one with this name; an empty one stands for any.
    To(String),
}

impl Belonging {
    pub(crate) const fn group(&self) -> Option<&Group> {
        match self {
            Self::In(group) => Some(group),
            Self::To(_) => None,
        }
    }

    fn name(&self) -> Option<&str> {
        match self {
            Self::In(group) => Some(&group.name),
            Self::To(name) => (!name.is_empty()).then_some(name),
        }
    }

    /// Why member `id`, which belongs here, does not work with member `their_id`.
    pub(crate) fn conflict(&self, id: u64, theirs: &Self, their_id: u64) -> Option<String> {
        match (self.group(), theirs.group()) {
            (Some(ours), Some(theirs)) => (ours != theirs).then(|| {
                format!(
                    "member {their_id} is of the group {theirs}, and member {id} of the group \
                     {ours}: remove the data of the one that began with a wrong list or name, and \
                     begin it again"
                )
            }),
            (Some(_) | None, _) => match (self.name(), theirs.name()) {
                (Some(our_name), Some(name)) if our_name != name => Some(format!(
                    "member {their_id} is to be of a group with the name {name:?}, and member \
                     {id} of one with the name {our_name:?}: start the one that has a wrong name \
                     again with the right one"
                )),
                (Some(_) | None, _) => None,
            },
        }
    }
}

//! A view of the group, for its users.

use std::net::SocketAddr;

/// A view of the group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GroupView {
    /// Its number: greater than that of every view of this member before it.
    pub id: u64,
    /// The processes of its members, the coordinator's first; an address that is not known yet is
    /// left out. Empty while this member is in no group.
    pub members: Vec<SocketAddr>,
}

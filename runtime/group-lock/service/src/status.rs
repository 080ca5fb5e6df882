//! What a member knows of its group, at one time.

use std::net::SocketAddr;

use crate::hub::Hub;
use crate::turns::locks::Locks;
use crate::turns::users::LockUsers;

/// What a member knows of its group and of its own users.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupStatus {
    /// The address that the others connect to.
    pub address: SocketAddr,
    /// The number of this member, drawn at random: another one each time that it enters a group.
    pub member: u64,
    /// The number of the present view; `None` while this member is in no group.
    pub view: Option<u64>,
    /// The members of the present view, the coordinator first; empty while this member is in no
    /// group.
    pub members: Vec<GroupMember>,
    /// The other processes that seem to be there, by the failure detector: in the group or not.
    pub present: Vec<SocketAddr>,
    /// The locks that users of this member hold or wait for, by name.
    pub locks: Vec<LockUsers>,
}

/// A member of a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupMember {
    /// Its number.
    pub number: u64,
    /// The address of its process; `None` while it is not known yet.
    pub address: Option<SocketAddr>,
}

impl GroupStatus {
    /// What a member knows now.
    pub(crate) fn of(address: SocketAddr, hub: &Hub, locks: &Locks) -> Self {
        let state = hub.lock();
        let me = state.router.own();
        // A view without this member is the one by which it was excluded, or has left.
        let view = state.router.view().filter(|view| view.contains(me));
        let all = view.iter().flat_map(|view| view.members.iter());
        let address_of = |one| state.router.address(one);
        let members = all.map(|one| GroupMember { number: one.0, address: address_of(one) });
        let members = members.collect();
        let mut present: Vec<SocketAddr> = state.detector.peers().map(|peer| peer.at).collect();
        present.sort();
        let view = view.map(|view| view.id.number());
        drop(state);
        Self { address, member: me.0, view, members, present, locks: locks.users() }
    }

    /// The member that coordinates the group; `None` while this one is in no group.
    #[must_use]
    pub fn coordinator(&self) -> Option<GroupMember> {
        self.members.first().copied()
    }
}

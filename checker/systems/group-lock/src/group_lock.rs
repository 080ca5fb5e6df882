//! The parameters of a world: its members, its locks, and their tables.

use turnstile_group_lock_machines::{group_lock_client, group_lock_coordinator};
use turnstile_harness::tables::rules::AnyTable;
use turnstile_system_view_handler::Views;
use turnstile_view_handler_core::MemberId;
use turnstile_world::NodeId;

/// The table that runs, chosen at run time.
pub(crate) type ClientRules = AnyTable<group_lock_client::Machine>;
/// The table that runs, chosen at run time.
pub(crate) type CoordinatorRules = AnyTable<group_lock_coordinator::Machine>;

/// The cores of the group lock. Members come first, then the membership.
#[derive(Clone, Debug)]
pub(crate) struct GroupLock {
    /// How many members.
    pub(crate) members: usize,
    /// How many locks there are.
    pub(crate) locks: u64,
    /// The group has not formed in the first state, and the last member is no founder.
    pub(crate) joins: bool,
    /// Messages in transit between members of different groups are lost; otherwise they are late.
    pub(crate) loses: bool,
    /// Callers keep the tokens of their last grants.
    pub(crate) keeps_tokens: bool,
    /// Processes start again; the members of no group are their next lives.
    pub(crate) restarts: bool,
    /// The view handling of the members, if they have their own.
    pub(crate) views: Option<Views>,
    /// The table of a lock at a member.
    pub(crate) client: ClientRules,
    /// The table of a coordinator.
    pub(crate) coordinator: CoordinatorRules,
}

/// A node's number as a member's name, and back.
pub(crate) fn member(node: NodeId) -> MemberId {
    MemberId(node as u64 + 1)
}

pub(crate) fn node(member: MemberId) -> NodeId {
    NodeId::try_from(member.0).expect("it is a node") - 1
}

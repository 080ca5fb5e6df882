//! The parameters of a world: its members, its locks, and their tables.

use turnstile_harness::options::{Refusal, Replacement};
use turnstile_harness::tables::rules::AnyTable;
use turnstile_replicated_lock_core::Service;
use turnstile_replicated_lock_core::types::{Address, LockName};
use turnstile_replicated_lock_machines::{lock_member, lock_mutex, lock_status};
use turnstile_world::NodeId;

/// The table that runs, chosen at run time.
pub type StatusRules = AnyTable<lock_status::Machine>;
/// The table that runs, chosen at run time.
pub type MemberRules = AnyTable<lock_member::Machine>;
/// The table that runs, chosen at run time.
pub type MutexRules = AnyTable<lock_mutex::Machine>;

/// The cores of the replicated lock service. Members come first, then the cluster.
#[derive(Clone, Debug)]
pub struct Replicated {
    /// How many members.
    pub members: usize,
    /// The number of witnesses, which vote and have no locks.
    pub witnesses: usize,
    /// How many locks there are.
    pub locks: u16,
    /// Results may fail.
    pub may_fail: bool,
    /// Commands of a partitioned member enter the log until a RESET excludes it.
    pub takes_late: bool,
    /// The table of the log's commands.
    pub status: StatusRules,
    /// The table of a member.
    pub member: MemberRules,
    /// The table of a mutex.
    pub mutex: MutexRules,
}

impl Replicated {
    /// Members by the tables given.
    ///
    /// # Errors
    ///
    /// Names of a table that the cores were not compiled with.
    pub fn new(
        [members, witnesses]: [usize; 2],
        locks: u16,
        [may_fail, takes_late]: [bool; 2],
        tables: &[Replacement],
    ) -> Result<Self, Refusal> {
        let status = StatusRules::among(tables)?;
        let member = MemberRules::among(tables)?;
        let mutex = MutexRules::among(tables)?;
        Ok(Self { members, witnesses, locks, may_fail, takes_late, status, member, mutex })
    }

    /// A replica: all take the same one of several matching rows of a command, which the log chose.
    pub(crate) fn replica(&self, choice: u8) -> Service<StatusRules> {
        Service { rules: self.status.taking(choice) }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = LockName> + use<> {
        (0..u64::from(self.locks)).map(LockName)
    }

    /// The address of a member after its node was renamed.
    pub(crate) fn moved(&self, address: Address, to: &[NodeId]) -> Address {
        let members = u64::try_from(self.members).expect("a cluster is small");
        let (life, node) = ((address.0 - 1) / members, to[self.node(address)]);
        Address(life * members + u64::try_from(node).expect("a cluster is small") + 1)
    }

    /// The node that has an address, or had it.
    pub(crate) fn node(&self, address: Address) -> NodeId {
        let place = usize::try_from(address.0 - 1).expect("members start again a few times");
        place % self.members
    }
}

//! The configuration of a member.

use std::time::Duration;

/// The configuration of a member. [`Options::new`] has a value for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The id of this member; no other member may ever have it.
    pub id: u64,
    /// The name of the group of this member: members with another name are refused. Default: empty,
    /// which is the name of a group that this member begins, and any name for one that it joins.
    pub group: String,
    /// The interval of the leader's heartbeats, and the timeout of a request to a member; default
    /// 150 ms.
    pub heartbeat: Duration,
    /// The least time without a leader before an election; default 1.35 s. It must exceed half of
    /// the maximum by more than a heartbeat.
    pub election_least: Duration,
    /// The maximum of that time; default 1.8 s. For half of it members trust a leader: until then
    /// they refuse to elect another one. A member looks at its clock every 1.5 heartbeats, so an
    /// election may begin so much later.
    pub election_most: Duration,
    /// The timeout of each part of a snapshot, of which the last includes the installation; default
    /// 10 s.
    pub snapshot_timeout: Duration,
    /// The size of the parts in which a snapshot is sent; default 512 KiB.
    pub snapshot_chunk_bytes: u64,
    /// The number of log entries after which a snapshot is made; default 5,000. One of a large
    /// state waits until the entries have a quarter of its size, or 64 MiB.
    pub snapshot_every: u64,
    /// The number of log entries that are kept before a snapshot, for members that lag behind;
    /// default 1,000.
    pub keep_entries: u64,
    /// The maximum size of an operation; default 1 MiB.
    pub operation_bytes: usize,
    /// The size at which a log entry takes no further operation; default 256 KiB.
    pub entry_bytes: usize,
    /// The maximum number of operations in a log entry; default 1,024.
    pub entry_operations: usize,
    /// The maximum number of operations that wait for a log entry; default 4,096.
    pub queue_operations: usize,
    /// The maximum number of their bytes; default 64 MiB. As many bytes again may be those of
    /// operations that other members have forwarded, which wait for a place here.
    pub queue_bytes: usize,
    /// The timeout of a proposal, a read, or a change of the members; default 10 s.
    pub timeout: Duration,
}

impl Options {
    /// The default configuration with another interval of heartbeats: an election begins after 9 to
    /// 12 of them.
    #[must_use]
    pub fn with_heartbeat(id: u64, heartbeat: Duration) -> Self {
        let (election_least, election_most) = (9 * heartbeat, 12 * heartbeat);
        Self { heartbeat, election_least, election_most, ..Self::new(id) }
    }

    /// The default configuration.
    #[must_use]
    pub const fn new(id: u64) -> Self {
        Self {
            id,
            group: String::new(),
            heartbeat: Duration::from_millis(150),
            election_least: Duration::from_millis(1350),
            election_most: Duration::from_millis(1800),
            snapshot_timeout: Duration::from_secs(10),
            snapshot_chunk_bytes: 512 << 10,
            snapshot_every: 5000,
            keep_entries: 1000,
            operation_bytes: 1 << 20,
            entry_bytes: 256 << 10,
            entry_operations: 1024,
            queue_operations: 4096,
            queue_bytes: 64 << 20,
            timeout: Duration::from_secs(10),
        }
    }
}

//! The configuration of a member.

use std::io;
use std::time::Duration;

/// The least size of an operation that the raft options must allow: that of a full envelope.
const OPERATION_BYTES_LEAST: usize = 256 << 10;

/// The configuration of a member. [`Options::new`] has a value for each.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// The configuration of the replicated log.
    pub raft: turnstile_raft::Options,
    /// How long a member that has no contact with the majority takes itself for connected, and so
    /// keeps its locks. The leader excludes it two heartbeats later. Default: twice the maximum
    /// time of an election, and four heartbeats, so that the members outlast the loss of their
    /// leader: it takes the lease of the former leader and the time of an election. With a shorter
    /// lease all of them resign, and the next leader clears all locks.
    pub lease: Duration,
    /// The time-out of a command; default 10 s. A wait for another holder has none.
    pub command_timeout: Duration,
    /// The delay before an UNLOCK that nobody waits for is repeated; default 1 s.
    pub retry: Duration,
    /// The number of changes that are kept for a listener that lags behind; default 1,024.
    pub changes_max: usize,
}

impl Options {
    /// The default configuration of the member with this id.
    #[must_use]
    pub const fn new(id: u64) -> Self {
        Self::with(turnstile_raft::Options::new(id))
    }

    /// The default configuration on a log with this one.
    #[must_use]
    pub const fn with(raft: turnstile_raft::Options) -> Self {
        let lease =
            raft.election_most.saturating_mul(2).saturating_add(raft.heartbeat.saturating_mul(4));
        Self {
            raft,
            lease,
            command_timeout: Duration::from_secs(10),
            retry: Duration::from_secs(1),
            changes_max: 1024,
        }
    }

    pub(crate) fn check(&self) -> io::Result<()> {
        let why = if self.lease < 3 * self.raft.heartbeat {
            "the lease is shorter than three heartbeats"
        } else if self.raft.operation_bytes < OPERATION_BYTES_LEAST {
            "an operation of the log must be allowed 256 KiB"
        } else if self.changes_max == 0 {
            "no change is kept for listeners"
        } else {
            return Ok(());
        };
        Err(io::Error::new(io::ErrorKind::InvalidInput, why))
    }
}

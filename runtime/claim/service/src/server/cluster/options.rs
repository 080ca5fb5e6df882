//! The configuration of a member of a cluster.

use std::io;
use std::time::Duration;

/// The configuration of a member of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterOptions {
    /// The configuration of the replicated log. The name of its group is that of the cluster: 1 to
    /// 255 bytes.
    pub raft: turnstile_raft::Options,
    /// How long a request waits for a leader that has a majority, and for the log; then it is
    /// answered with 503. Default: twice the maximum time of an election, which may fail once.
    pub request_timeout: Duration,
    /// The newest version of the operations that this member applies. A version is in force once
    /// all members have it. Default: [`ClusterOptions::VERSION`]; another one is for tests of
    /// upgrades.
    pub version: u32,
}

impl ClusterOptions {
    /// The version of the operations of this program.
    pub const VERSION: u32 = 1;

    /// What an operation has beside the body of its request: the URL, the token's name, the head.
    pub const OPERATION_HEAD_BYTES: usize = 64 << 10;

    /// The default configuration of a cluster on a log with this one.
    #[must_use]
    pub fn new(name: &str, raft: turnstile_raft::Options) -> Self {
        let request_timeout = raft.election_most.saturating_mul(2);
        let raft = turnstile_raft::Options { group: name.into(), ..raft };
        Self { raft, request_timeout, version: Self::VERSION }
    }

    /// Checks the options beside those of a server that takes bodies of this size.
    ///
    /// # Errors
    /// When the options contradict each other.
    pub fn check(&self, body_max: usize) -> io::Result<()> {
        let bytes = body_max.saturating_add(Self::OPERATION_HEAD_BYTES);
        let why = if !(1..=255).contains(&self.raft.group.len()) {
            "the name of a cluster has 1 to 255 bytes".to_owned()
        } else if bytes > self.raft.operation_bytes {
            let most = self.raft.operation_bytes.saturating_sub(Self::OPERATION_HEAD_BYTES);
            format!("the bodies of requests have {body_max} bytes: {most} fit into the log")
        } else {
            return Ok(());
        };
        Err(io::Error::new(io::ErrorKind::InvalidInput, why))
    }
}

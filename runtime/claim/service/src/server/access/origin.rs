//! Where a request comes from, and how long it waits.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::server::access::auth::Identity;

/// One run of a member of a cluster. Its requests that wait are void when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct MemberRun {
    pub(crate) member: u64,
    /// Random.
    pub(crate) run: u64,
}

/// The origin and the wait times of a request.
#[derive(Clone, Debug)]
pub(crate) struct RequestOrigin {
    /// `https://host/v1/claims/`, the prefix of claims' URLs.
    pub(crate) base: Arc<str>,
    /// How long the client waits for this response, in microseconds.
    pub(crate) wait_us: Option<u64>,
    /// How long the client waits for the lock in all, in microseconds.
    pub(crate) timeout_us: Option<u64>,
    pub(crate) identity: Identity,
    /// The member that has received it; `None` if the server is no member of a cluster.
    #[cfg_attr(not(feature = "cluster"), expect(dead_code, reason = "then it is always `None`"))]
    pub(crate) received_by: Option<MemberRun>,
}

//! Requests in progress and their data.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::audit::AuditCause;
use super::auth::Identity;
use super::digest::PostKey;
use super::reply::{CallKind, Reply};
use crate::wire::request::{Patch, Post};

/// A request that may change claims.
#[derive(Clone, Debug)]
pub(crate) enum ClaimRequest {
    /// Create a claim.
    Post { post: Post, key: Option<PostKey> },
    /// Change a claim.
    Patch { id: u64, patch: Patch },
}

/// One run of a member of a cluster. Its requests that wait are void when it has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) struct MemberRun {
    pub(crate) member: u64,
    /// Random.
    pub(crate) run: u64,
}

/// The response of a request and the channel of its waiting task.
#[derive(Debug)]
pub(crate) struct OutgoingReply(pub(super) oneshot::Sender<Reply>, pub(super) Reply);

/// A request that has no response yet.
#[derive(Debug)]
pub(crate) struct Call {
    pub(super) kind: CallKind,
    pub(super) claim: Option<u64>,
    pub(super) resource: Option<u32>,
    pub(super) origin: RequestOrigin,
    pub(super) reply: Option<oneshot::Sender<Reply>>,
}

/// The context of an input.
#[derive(Debug, Default)]
pub(crate) struct RequestContext {
    /// The request that causes the input; `None` if the server does.
    pub(super) cause: Option<AuditCause>,
    pub(super) request: Option<RequestData>,
    /// The response, if the step has produced one.
    pub(super) reply: Option<Reply>,
}

/// The data of a request that the core does not see.
#[derive(Debug)]
pub(crate) struct RequestData {
    pub(super) caller: u64,
    /// The data of a POST, until its claim is created.
    pub(super) new: Option<NewClaim>,
    /// The ttl of a PATCH, for the timer that it arms.
    pub(super) ttl_us: Option<u64>,
    pub(super) wait_us: u64,
    /// How long the client waits for the lock in all, in microseconds.
    pub(super) timeout_us: Option<u64>,
}

/// The data of a POST.
#[derive(Debug)]
pub(crate) struct NewClaim {
    /// The number of the resource.
    pub(super) number: u32,
    pub(super) resource: Arc<str>,
    pub(super) ttl_us: u64,
    /// The user data, unchanged.
    pub(super) user_data: Option<Box<RawValue>>,
    pub(super) digest: u64,
    /// The name of the request's token.
    pub(super) owner: Option<Arc<str>>,
}

/// The response to a request, or a handle to wait for it.
#[derive(Debug)]
pub(crate) enum EngineReply {
    Ready(Reply),
    Pending(PendingReply),
}

/// A response that is not ready. Dropping it cancels the request.
#[derive(Debug)]
pub(crate) struct PendingReply {
    pub(crate) caller: u64,
    pub(crate) reply: oneshot::Receiver<Reply>,
    /// When the request stops waiting; `None`: the core has a timer for it.
    pub(crate) until: Option<Instant>,
}

/// The first number of the callers that wait for the end of a claim: the long polls of this server.
/// They decide nothing, so that the numbers of the others do not depend on them.
pub(crate) const FIRST_WATCH: u64 = 1 << 63;

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

//! Requests in progress and their data.

use tokio::sync::oneshot;
use tokio::time::Instant;

use super::audit::AuditCause;
use super::digest::PostKey;
use super::origin::RequestOrigin;
use super::record::NewClaim;
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

//! Requests in progress and their data.

use tokio::sync::oneshot;
use tokio::time::Instant;
use turnstile_claim_core::number::IdempotencyKey;

use crate::server::access::origin::RequestOrigin;
use crate::server::audit::AuditCause;
use crate::server::state::record::NewClaim;
use crate::server::state::reply::{CallKind, Reply};
use crate::wire::request::{Patch, Post};

/// A request that may change claims.
#[derive(Clone, Debug)]
pub(crate) enum ClaimRequest {
    /// Create a claim.
    Post { post: Post, key: Option<IdempotencyKey> },
    /// Change a claim.
    Patch { id: u64, patch: Patch },
}

/// The response of a request and the channel of its waiting task.
#[derive(Debug)]
pub(crate) struct OutgoingReply(pub(crate) oneshot::Sender<Reply>, pub(crate) Reply);

/// A request that has no response yet.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) kind: CallKind,
    pub(crate) claim: Option<u64>,
    pub(crate) resource: Option<u32>,
    pub(crate) origin: RequestOrigin,
    pub(crate) reply: Option<oneshot::Sender<Reply>>,
}

/// The context of an input.
#[derive(Debug, Default)]
pub(crate) struct RequestContext {
    /// The request that causes the input; `None` if the server does.
    pub(crate) cause: Option<AuditCause>,
    pub(crate) request: Option<RequestData>,
    /// The response, if the step has produced one.
    pub(crate) reply: Option<Reply>,
}

/// The data of a request that the core does not see.
#[derive(Debug)]
pub(crate) struct RequestData {
    pub(crate) caller: u64,
    /// The data of a POST, until its claim is created.
    pub(crate) new: Option<NewClaim>,
    /// The ttl of a PATCH, for the timer that it arms.
    pub(crate) ttl_us: Option<u64>,
    pub(crate) wait_us: u64,
    /// How long the client waits for the lock in all, in microseconds.
    pub(crate) timeout_us: Option<u64>,
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

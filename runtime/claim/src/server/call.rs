//! A request on its way through the engine, and what goes out for it. Plain data.

use std::sync::Arc;

use serde_json::value::RawValue;
use tokio::sync::oneshot;
use tokio::time::Instant;

use super::audit::Cause;
use super::auth::Identity;
use super::reply::{Asked, Reply};

/// Someone who waits for an answer, and the answer.
#[derive(Debug)]
pub(crate) struct Answer(pub(super) oneshot::Sender<Reply>, pub(super) Reply);

/// A request that is not answered yet.
#[derive(Debug)]
pub(crate) struct Call {
    pub(super) asked: Asked,
    pub(super) claim: Option<u64>,
    pub(super) resource: Option<u32>,
    pub(super) origin: Origin,
    pub(super) reply: Option<oneshot::Sender<Reply>>,
}

/// What comes with an input of the core that it does not see.
#[derive(Debug, Default)]
pub(crate) struct RequestContext {
    /// Whose request it is; none: the server does it of itself.
    pub(super) cause: Option<Cause>,
    pub(super) request: Option<RequestData>,
    /// The answer, if the step has given one.
    pub(super) reply: Option<Reply>,
}

/// What a request says beside what the core hears.
#[derive(Debug)]
pub(crate) struct RequestData {
    pub(super) caller: u64,
    /// A POST's data, until its claim begins.
    pub(super) new: Option<NewClaim>,
    /// A PATCH's ttl, for the timer that it arms.
    pub(super) ttl_us: Option<u64>,
    pub(super) wait_us: u64,
    /// How long its client waits for the lock at all.
    pub(super) timeout_us: Option<u64>,
}

/// A POST's data.
#[derive(Debug)]
pub(crate) struct NewClaim {
    /// The resource's.
    pub(super) number: u32,
    pub(super) resource: Arc<str>,
    pub(super) ttl_us: u64,
    /// What the client wants kept.
    pub(super) user_data: Option<Box<RawValue>>,
    pub(super) digest: u64,
    /// The name of the token that was shown.
    pub(super) owner: Option<Arc<str>>,
}

/// An answer, now or when it is on disk or the core has one.
#[derive(Debug)]
pub(crate) enum Turn {
    Now(Reply),
    Later(Pending),
}

/// An answer that is to come. Dropping it hangs up.
#[derive(Debug)]
pub(crate) struct Pending {
    pub(crate) caller: u64,
    pub(crate) reply: oneshot::Receiver<Reply>,
    /// It is asked for then at the latest; none: the core knows how long it waits.
    pub(crate) until: Option<Instant>,
}

/// How a request came.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    /// `https://host/v1/claims/`, in front of every id.
    pub(crate) base: Arc<str>,
    /// How long the client is ready to wait for this answer.
    pub(crate) wait_us: Option<u64>,
    /// How long the client waits for the lock at all.
    pub(crate) timeout_us: Option<u64>,
    pub(crate) identity: Identity,
}

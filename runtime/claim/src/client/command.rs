//! The commands of a client's users to the driver of their claims, and the view that they see.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;
use turnstile_core::claim::client::Notice;

use super::error::ErrorKind;
use super::retry_policy::RetryPolicy;

/// A command of a user.
#[derive(Debug)]
pub(super) enum UserCommand {
    /// Claim a resource.
    Claim(Box<NewClaim>),
    /// Release the claim with this key, or withdraw it.
    Release { resource: String, key: u64 },
    /// Renew the claim with this key now; `ttl` replaces its duration.
    Refresh { resource: String, key: u64, ttl: Option<Duration> },
    /// Release or withdraw the claim of this resource.
    Abandon { resource: String, reply: oneshot::Sender<watch::Receiver<ClaimView>> },
    /// Release and withdraw all claims.
    Close { reply: oneshot::Sender<Vec<watch::Receiver<ClaimView>>> },
}

/// A claim to be sent.
#[derive(Debug)]
pub(super) struct NewClaim {
    pub(super) resource: String,
    /// The claim's idempotency key, unique among all claims.
    pub(super) key: u64,
    pub(super) user_data: Option<Box<RawValue>>,
    pub(super) policy: RetryPolicy,
    pub(super) view: watch::Sender<ClaimView>,
    /// Dropped when the core has accepted the claim.
    pub(super) refused: oneshot::Sender<Refusal>,
    /// Notified when the claim waits for the lock.
    pub(super) queued: Option<Arc<Notify>>,
}

/// Why the core refuses a claim.
#[derive(Debug)]
pub(super) enum Refusal {
    /// Another claim of the resource is ending; this closes when it has ended.
    Ending(watch::Receiver<ClaimView>),
    /// A permanent error.
    Final(ErrorKind),
}

/// The observable state of a claim. Closed when the claim has ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClaimView {
    /// The server's id of the claim.
    pub(super) claim: Option<u64>,
    pub(super) token: Option<u64>,
    /// The core's last notice.
    pub(super) notice: Option<Notice>,
    /// Until when the lease is guaranteed, on the client's clock.
    pub(super) deadline: Option<Instant>,
    /// How long before the lease's expiry at the server the deadline is.
    pub(super) margin: Duration,
    /// A renewal has failed and is being retried.
    pub(super) is_in_jeopardy: bool,
    /// The server's explanation of its last refusal.
    pub(super) reason: String,
    /// Why the last request has no response, if so.
    pub(super) unanswered: Option<String>,
    /// How the claim has ended, according to the server.
    pub(super) ended: Option<String>,
    /// The error that ended the claim without a notice of the core.
    pub(super) trouble: Option<ErrorKind>,
}

impl ClaimView {
    /// The error after the loss of the lock.
    pub(super) fn loss(&self) -> ErrorKind {
        ErrorKind::Lost(match (&self.ended, &self.unanswered, &self.trouble) {
            (Some(ended), _, _) => ended.clone(),
            (None, Some(why), _) => format!("its lease was not renewed in time: {why}"),
            (None, None, Some(ErrorKind::Lost(why))) => why.clone(),
            (None, None, Some(trouble)) => trouble.to_string(),
            (None, None, None) => "its lease was not renewed in time".into(),
        })
    }
}

//! The commands of a client's users to the driver of their claims, and the view that they see.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;
use turnstile_claim_core::client::Notice;

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
    /// How long the last response took that the server was not asked to wait with.
    pub(super) round_trip: Duration,
    /// A renewal has failed and is being retried.
    pub(super) is_in_jeopardy: bool,
    /// The server's explanation of its last refusal.
    pub(super) reason: String,
    /// Why the last request is retried, if so.
    pub(super) retry_cause: Option<RetryCause>,
    /// How the claim has ended, according to the server.
    pub(super) ended: Option<String>,
    /// The error that ended the claim without a notice of the core.
    pub(super) trouble: Option<ErrorKind>,
}

/// Why a request is retried.
#[derive(Clone, Debug)]
pub(super) enum RetryCause {
    /// There is no response; the text names the server.
    NoResponse(String),
    /// The server cannot process the request, or what answers is no claim server.
    Response { url: String, status: u16, reason: String },
}

impl RetryCause {
    /// The response's status; 0 if there is none.
    pub(super) const fn status(&self) -> u16 {
        match self {
            Self::NoResponse(_) => 0,
            Self::Response { status, .. } => *status,
        }
    }

    /// Whether the response grants a lease, for which it came too late.
    const fn is_grant(&self) -> bool {
        matches!(self.status(), 200..=299)
    }

    /// The error if the request was retried until the timeout.
    pub(super) fn timed_out(&self, is_accepted: bool) -> ErrorKind {
        ErrorKind::Unreachable(match self {
            Self::NoResponse(why) => why.clone(),
            Self::Response { .. } if is_accepted => format!("timed out; last response: {self}"),
            Self::Response { .. } => {
                format!("timed out: the server never accepted the request; last response: {self}")
            }
        })
    }
}

impl fmt::Display for RetryCause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoResponse(why) => f.write_str(why),
            Self::Response { url, status, reason } => write!(f, "{url}: {status} {reason}"),
        }
    }
}

impl ClaimView {
    /// The error where a claim was granted and not confirmed in time.
    pub(super) fn too_slow(&self, ttl: Duration) -> ErrorKind {
        let took = self.round_trip;
        match &self.retry_cause {
            Some(cause) if !cause.is_grant() => ErrorKind::Unreachable(format!(
                "the lock was granted, but not confirmed within its lease: {cause}"
            )),
            Some(_) | None => ErrorKind::TooSlow(format!(
                "the server's responses take {:.1} s, so that a lease of {ttl:?} ends before it \
                 can be renewed, and the lock is given up: use a longer ttl, of at least {} s",
                took.as_secs_f64(),
                // The guarantee is shorter than the ttl, and has to outlast two round trips.
                (3 * took).as_secs() + 1,
            )),
        }
    }

    /// The error after the loss of the lock.
    pub(super) fn loss(&self) -> ErrorKind {
        ErrorKind::Lost(match (&self.ended, &self.retry_cause, &self.trouble) {
            (Some(ended), _, _) => ended.clone(),
            (None, Some(why), _) => format!("its lease was not renewed in time: {why}"),
            (None, None, Some(ErrorKind::Lost(why))) => why.clone(),
            (None, None, Some(trouble)) => trouble.to_string(),
            (None, None, None) => "its lease was not renewed in time".into(),
        })
    }
}

//! What a manager's users want of whatever drives their claims, and what they see of it.

use std::time::Duration;

use serde_json::value::RawValue;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;
use turnstile_core::claim::client::Notice;

use super::error::Cause;
use super::pace::Pace;

/// One wish of a user.
#[derive(Debug)]
pub(super) enum Order {
    /// A claim, please.
    Claim(Box<New>),
    /// The claim with this key is needed no longer, or waited for no longer.
    Leave { resource: String, key: u64 },
    /// Renew the claim with this key now, for this ttl from now on.
    Refresh { resource: String, key: u64, ttl: Option<Duration> },
    /// Nobody waits for this resource any longer; what is held of it is given back.
    GiveUp { resource: String, given: oneshot::Sender<watch::Receiver<View>> },
    /// Nobody needs anything any longer.
    Close { given: oneshot::Sender<Vec<watch::Receiver<View>>> },
}

/// A claim that is asked for.
#[derive(Debug)]
pub(super) struct New {
    pub(super) resource: String,
    /// Its name among all claims that ever were.
    pub(super) key: u64,
    pub(super) user_data: Option<Box<RawValue>>,
    pub(super) pace: Pace,
    pub(super) view: watch::Sender<View>,
    /// Dropped once the claim has begun.
    pub(super) refused: oneshot::Sender<Refusal>,
}

/// Why a claim has not even begun.
#[derive(Debug)]
pub(super) enum Refusal {
    /// The resource is claimed by another, which is over when this closes.
    Ending(watch::Receiver<View>),
    /// Something that does not pass.
    Final(Cause),
}

/// What a claim's user can see of it at any time. Closed once the claim is over.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    /// The server's id.
    pub(super) claim: Option<u64>,
    pub(super) token: Option<u64>,
    /// What the core told last.
    pub(super) notice: Option<Notice>,
    /// Until when the lease can be counted on, on the manager's clock.
    pub(super) deadline: Option<Instant>,
    /// How long before its lapse that is.
    pub(super) margin: Duration,
    /// A renewal has failed and is tried again.
    pub(super) is_in_jeopardy: bool,
    /// What the server said when it refused.
    pub(super) reason: String,
    /// Why the last request has no answer, if it has none.
    pub(super) unanswered: Option<String>,
    /// What ended the claim without a word of the core.
    pub(super) trouble: Option<Cause>,
}

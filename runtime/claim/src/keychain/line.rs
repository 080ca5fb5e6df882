//! The lines that a keychain and its program speak. Words only.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

pub(crate) const HELD: &str = "held";
pub(crate) const JEOPARDY: &str = "jeopardy";
pub(crate) const LOST: &str = "lost";
pub(crate) const TIMED_OUT: &str = "timed out";
pub(crate) const CLAIMED: &str = "claimed";
pub(crate) const REFUSED: &str = "refused";
pub(crate) const UNREACHABLE: &str = "unreachable";

/// What a program may wish; one of `claim`, `refresh` and `release`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Given back with the answer.
    #[serde(default)]
    pub id: Value,
    /// A resource to claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// A claimed resource whose lease is to be renewed now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<String>,
    /// A claimed resource to give back, or one waited for to wait for no longer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// Seconds of lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<f64>,
    /// Seconds to wait for the lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// What others see of the claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

/// What a program is told.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// The lock is held.
    Held(Now),
    /// The lease was renewed.
    Refreshed(Now),
    /// The lock is given back.
    Released {
        /// Which.
        resource: String,
    },
    /// It went wrong.
    Error {
        /// Which, if it is about one.
        resource: String,
        /// The claim's URL, once there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claim: Option<String>,
        /// `timed out`, `lost`, `claimed` by this program already, `unreachable` where the server
        /// does not answer, or `refused` for everything else.
        kind: String,
        /// With what HTTP status the server has refused it, if it was the server.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// Why.
        message: String,
        /// The URL of the claim that there is already.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<String>,
    },
    /// How a claim stands, whenever that changes.
    Now(Now),
}

/// How a claim stands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Now {
    /// What is claimed.
    pub resource: String,
    /// The claim's URL.
    pub url: String,
    /// What to show to whatever the lock protects.
    pub fencing_token: Option<u64>,
    /// `held`, `jeopardy` or `lost`.
    pub standing: String,
    /// Until when it can be counted on: seconds on the machine's `CLOCK_BOOTTIME`, which counts
    /// while the machine sleeps, too.
    pub until: f64,
    /// How many seconds before its lapse at the server that is.
    #[serde(default)]
    pub margin: f64,
}

/// A line out.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The wish's, or null where nobody has asked.
    #[serde(default)]
    pub id: Value,
    /// What it says.
    #[serde(flatten)]
    pub told: Told,
}

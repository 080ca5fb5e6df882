//! The line protocol of the keychain.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// The maximum size of a line in bytes.
pub const LINE_MAX: usize = 1 << 20;

pub(crate) const HELD: &str = "held";
pub(crate) const JEOPARDY: &str = "jeopardy";
pub(crate) const LOST: &str = "lost";
pub(crate) const TIMED_OUT: &str = "timed out";
pub(crate) const CLAIMED: &str = "claimed";
pub(crate) const REFUSED: &str = "refused";
pub(crate) const UNREACHABLE: &str = "unreachable";
pub(crate) const TOO_SLOW: &str = "too slow";

/// A request of the program, an object; it has exactly one of `claim`, `refresh` and `release`. A
/// field that is null counts as missing.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// Any JSON; returned in the response.
    #[serde(default)]
    pub id: Value,
    /// The resource to claim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claim: Option<String>,
    /// The resource whose lease is to be renewed now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refresh: Option<String>,
    /// The resource whose claim is to be released or withdrawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// The duration of the lease, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl: Option<f64>,
    /// The maximum time to wait for the lock, in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<f64>,
    /// The claim's user data: any JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<RawValue>>,
}

impl Request {
    /// Reads a line. It must be an object: serde would also take a list of the fields.
    ///
    /// # Errors
    /// What is wrong with it, and what is expected.
    pub(super) fn read(line: &[u8]) -> Result<Self, String> {
        let read = match line.trim_ascii() {
            [] => Err("the line is empty".to_owned()),
            [b'{', ..] => serde_json::from_slice(line).map_err(|error| error.to_string()),
            _ => match serde_json::from_slice::<Value>(line) {
                Ok(other) => Err(format!("the line is {}", kind_of(&other))),
                Err(error) => Err(error.to_string()),
            },
        };
        read.map_err(|why| format!("invalid request: {why}; {EXPECTED}"))
    }
}

/// What every line must be.
const EXPECTED: &str = r#"a request is a JSON object, such as {"id":1,"claim":"r","ttl":60}"#;

const fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// A response or notification.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Notification {
    /// The lock is held.
    Held(LeaseReport),
    /// The lease was renewed.
    Refreshed(LeaseReport),
    /// The lock is released.
    Released {
        /// The resource.
        resource: String,
    },
    /// The request failed.
    Error {
        /// The resource, if the error concerns one.
        resource: String,
        /// The claim's URL, once there is one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        claim: Option<String>,
        /// `timed out`, `lost`, `claimed` (by this program already), `unreachable` (the server does
        /// not answer), `too slow` (its answers take too long for the ttl), or `refused` for all
        /// other errors.
        kind: String,
        /// The HTTP status, if the server refused the request.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        status: Option<u16>,
        /// The error message.
        message: String,
        /// The URL of the first claim, if `claimed`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        first: Option<String>,
    },
    /// The state of a lease after a change.
    Now(LeaseReport),
}

/// The state of a lease.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaseReport {
    /// The resource.
    pub resource: String,
    /// The claim's URL.
    pub url: String,
    /// The fencing token, to be sent with each request to the protected resource.
    pub fencing_token: Option<u64>,
    /// `held`, `jeopardy` or `lost`.
    pub standing: String,
    /// Until when the lock is guaranteed to be held: seconds of `CLOCK_BOOTTIME`, which also counts
    /// suspensions of the machine.
    pub until: f64,
    /// How many seconds before the lease's expiry at the server `until` is.
    #[serde(default)]
    pub margin: f64,
}

/// An output line.
#[derive(Debug, Serialize, Deserialize)]
pub struct Reply {
    /// The request's id; null for a notification.
    #[serde(default)]
    pub id: Value,
    /// The response or notification.
    #[serde(flatten)]
    pub notification: Notification,
}

//! A claim as a JSON body: written by the server, read by the client.
//!
//! Durations and dates are computed from the history; this module reads no clock.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use turnstile_claim_core::record::Status;

use crate::wire::date::Date;

/// A claim as the server writes it. Durations are seconds.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimBody<'a> {
    /// Absolute URL.
    pub url: String,
    /// The name of the resource.
    pub resource: &'a str,
    /// The current status.
    #[serde(with = "crate::wire::status")]
    pub status: Status,
    /// When it was posted.
    pub created: Date,
    /// All statuses, oldest first.
    pub status_history: Vec<StatusChange>,
    /// The remaining seconds of its ttl; negative after it has lapsed.
    pub ttl: Option<f64>,
    /// Seconds for which it was active.
    pub active_duration: Option<f64>,
    /// Seconds for which it waited.
    pub waiting_duration: Option<f64>,
    /// Unchanged; only for clients that may read it.
    pub user_data: Option<&'a RawValue>,
    /// The fencing token. An addition to the original protocol.
    pub fencing_token: Option<u64>,
    /// The name of the token that created it, if any. An addition to the original protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<&'a str>,
}

/// One entry of a claim's history.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StatusChange {
    /// The new status.
    #[serde(with = "crate::wire::status")]
    pub status: Status,
    /// The time of the change.
    pub timestamp: Date,
}

/// A claim as the client reads it; servers of the original protocol send no fencing token.
#[derive(Clone, Debug, Deserialize)]
pub struct ClaimSeen {
    /// The claim's URL.
    pub url: String,
    /// The name of the resource.
    pub resource: String,
    /// The current status.
    #[serde(with = "crate::wire::status")]
    pub status: Status,
    /// When it was posted.
    #[serde(default)]
    pub created: String,
    /// Remaining seconds of the ttl.
    #[serde(default)]
    pub ttl: Option<f64>,
    /// Seconds for which it was active.
    #[serde(default)]
    pub active_duration: Option<f64>,
    /// Seconds for which it waited.
    #[serde(default)]
    pub waiting_duration: Option<f64>,
    /// User data, unchanged.
    #[serde(default)]
    pub user_data: Option<Box<RawValue>>,
    /// The fencing token.
    #[serde(default)]
    pub fencing_token: Option<u64>,
}

/// The id at the end of a claim's URL.
#[must_use]
pub fn id_in(url: &str) -> Option<u64> {
    url.trim_end_matches('/').rsplit('/').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_reads_as_the_protocol_says() {
        let body = ClaimBody {
            url: "http://h/v1/claims/7/".into(),
            resource: "r",
            status: Status::Active,
            created: Date(0),
            status_history: vec![StatusChange { status: Status::Waiting, timestamp: Date(0) }],
            ttl: Some(20.0),
            active_duration: Some(0.5),
            waiting_duration: None,
            user_data: None,
            fencing_token: Some(3),
            owner: None,
        };
        let text = serde_json::to_string(&body).expect("plain data");
        assert_eq!(
            text,
            r#"{"url":"http://h/v1/claims/7/","resource":"r","status":"active","#.to_owned()
                + r#""created":"Thu, 01 Jan 1970 00:00:00 +0000","status_history":[{"status":"#
                + r#""waiting","timestamp":"Thu, 01 Jan 1970 00:00:00 +0000"}],"ttl":20.0,"#
                + r#""active_duration":0.5,"waiting_duration":null,"user_data":null,"#
                + r#""fencing_token":3}"#
        );
        let seen: ClaimSeen = serde_json::from_str(&text).expect("what the server writes");
        assert_eq!((seen.fencing_token, id_in(&seen.url)), (Some(3), Some(7)));
    }

    #[test]
    fn an_id_is_the_last_segment() {
        assert_eq!(id_in("/v1/claims/12"), Some(12));
        assert_eq!(id_in("http://h:1/v1/claims/12/"), Some(12));
        assert_eq!(id_in("http://h:1/v1/claims/"), None);
    }
}

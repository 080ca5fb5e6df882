//! A claim as a JSON body: written by the server, read by the client.
//!
//! Durations and dates come in from the history; nothing here reads a clock.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use turnstile_core::claim::record::Status;

use crate::wire::date::Date;

/// A claim as the server writes it. Durations are seconds.
#[derive(Clone, Debug, Serialize)]
pub struct ClaimBody<'a> {
    /// Absolute.
    pub url: String,
    /// The name of what is claimed.
    pub resource: &'a str,
    /// Where it stands.
    #[serde(with = "crate::wire::status")]
    pub status: Status,
    /// When it was posted.
    pub created: Date,
    /// Every status it has had, in order.
    pub status_history: Vec<Change>,
    /// What is left of its ttl; less than nothing where it has lapsed.
    pub ttl: Option<f64>,
    /// How long it has held, or held.
    pub active_duration: Option<f64>,
    /// How long it has waited, or waited.
    pub waiting_duration: Option<f64>,
    /// As it came, for who may read it.
    pub user_data: Option<&'a RawValue>,
    /// Minted at its activation. An addition to the protocol.
    pub fencing_token: Option<u64>,
    /// The name of the token that made it; not there where it has none. An addition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<&'a str>,
}

/// One entry of a claim's history.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Change {
    /// The status it came to.
    #[serde(with = "crate::wire::status")]
    pub status: Status,
    /// When.
    pub timestamp: Date,
}

/// A claim as the client reads it; a server of the original protocol sends no token.
#[derive(Clone, Debug, Deserialize)]
pub struct ClaimSeen {
    /// Where to ask about it.
    pub url: String,
    /// The name of what is claimed.
    pub resource: String,
    /// Where it stands.
    #[serde(with = "crate::wire::status")]
    pub status: Status,
    /// When it was posted.
    #[serde(default)]
    pub created: String,
    /// Seconds left.
    #[serde(default)]
    pub ttl: Option<f64>,
    /// Seconds held.
    #[serde(default)]
    pub active_duration: Option<f64>,
    /// Seconds waited.
    #[serde(default)]
    pub waiting_duration: Option<f64>,
    /// As its owner wrote it.
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
            status_history: vec![Change { status: Status::Waiting, timestamp: Date(0) }],
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

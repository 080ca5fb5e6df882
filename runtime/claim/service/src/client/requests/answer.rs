//! A response of a server, and what it says.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use hyper::StatusCode;
use hyper::header::{HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::Value;

use crate::client::requests::redact::redacted;

/// The status of a server that has not handled a request, and says when to repeat it.
pub(crate) const TOO_MANY_REQUESTS: u16 = 429;

/// The longest pause that a server may ask for.
const PAUSE_MAX: Duration = Duration::from_secs(3_600);

/// A response.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Answer {
    /// How long a server that answers 429 asks to wait before the request is repeated, at most an
    /// hour. A date counts as no time.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        let value = self.headers.get(RETRY_AFTER).filter(|_| self.status == TOO_MANY_REQUESTS)?;
        let seconds = value.to_str().ok()?.trim().parse().ok()?;
        Some(Duration::from_secs(seconds).min(PAUSE_MAX))
    }

    /// The server's explanation, short enough for an error message.
    pub(crate) fn reason(&self) -> String {
        let text = String::from_utf8_lossy(&self.body).into_owned();
        // A message concerns the whole request, any other reason the field of its name.
        let fields: Option<BTreeMap<String, Value>> = serde_json::from_str(&text).ok();
        let text = fields.map_or(text, |fields| {
            let word = |(name, value): (String, Value)| {
                let value = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
                format!("{name}: {value}")
            };
            // The other fields repeat the message for programs.
            if let Some(Value::String(message)) = fields.get("message") {
                return message.clone();
            }
            fields.into_iter().map(word).collect::<Vec<_>>().join("; ")
        });
        let mut reason = String::new();
        if let Some(location) = self.headers.get(LOCATION).filter(|_| self.status / 100 == 3) {
            let location = String::from_utf8_lossy(location.as_bytes());
            reason = format!("redirects to {}; ", redacted(&location));
        }
        if text.trim().is_empty() {
            let status = StatusCode::from_u16(self.status).ok();
            reason += status.and_then(|status| status.canonical_reason()).unwrap_or("no reason");
        }
        if self.status == 401 {
            reason = format!("set TURNSTILE_TOKEN; {reason}");
        }
        reason.extend(text.trim().chars().filter(|letter| !letter.is_control()).take(300));
        reason
    }
}

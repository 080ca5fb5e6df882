//! A long poll for the end of a claim, so that its holder is notified at once.
//!
//! A server without long polls does not send `Preference-Applied`, and is asked only once.

use std::time::Duration;

use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::Status;

use crate::client::requests::answer::{Answer, TOO_MANY_REQUESTS};
use crate::client::requests::call::Caller;
use crate::client::retry_policy::{Rng, STEADY};
use crate::wire::claim::ClaimSeen;
use crate::wire::{PREFER, PREFERENCE_APPLIED};

/// How long the server is asked to wait before the next request.
const WAIT: Duration = Duration::from_secs(60);
/// The additional time after which a missing response counts as a failure.
const PATIENCE: Duration = Duration::from_secs(10);

/// Completes when the server reports that the claim has ended, with its final status if the server
/// still has the claim; never if the server cannot tell.
pub(crate) async fn over(
    caller: Caller,
    claim: ClaimId,
    mut rng: Rng,
) -> (ClaimId, Option<Status>) {
    let path = format!("{}{claim}/", caller.server().path);
    let headers = [(PREFER, format!("wait={}", WAIT.as_secs()))];
    let mut attempt = 0;
    loop {
        let asked = tokio::time::Instant::now();
        let called = caller.poll(WAIT + PATIENCE, &path, &headers).await;
        let asked_pause = called.answer.as_ref().ok().and_then(Answer::retry_after);
        match called.answer.map_or(Polled::None, |answer| read(&answer)) {
            Polled::Over(status) => return (claim, status),
            Polled::Unable => return std::future::pending().await,
            Polled::Held if asked.elapsed() >= WAIT / 2 => attempt = 0,
            Polled::Held | Polled::None => {
                let pause = STEADY.pause(attempt, &mut rng);
                tokio::time::sleep(pause.max(asked_pause.unwrap_or_default())).await;
                attempt += 1;
            }
        }
    }
}

/// The result of a poll.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Polled {
    /// The claim has ended, with this status if the server still has it.
    Over(Option<Status>),
    /// The claim is active.
    Held,
    /// The server does not support long polls.
    Unable,
    /// No usable response: poll again.
    None,
}

fn read(answer: &Answer) -> Polled {
    if answer.status == TOO_MANY_REQUESTS || answer.status >= 500 {
        return Polled::None;
    }
    if !answer.headers.contains_key(PREFERENCE_APPLIED) {
        return Polled::Unable;
    }
    let seen = serde_json::from_slice::<ClaimSeen>(&answer.body).ok();
    match (answer.status, seen) {
        (404, _) => Polled::Over(None),
        (200, Some(seen)) if seen.status.is_final() => Polled::Over(Some(seen.status)),
        (200, Some(_)) => Polled::Held,
        _ => Polled::Unable,
    }
}

#[cfg(test)]
mod tests {
    use crate::client::requests::watch::*;

    fn news(status: u16, waited: bool, body: &str) -> Polled {
        let mut headers = hyper::HeaderMap::new();
        if waited {
            headers.insert(PREFERENCE_APPLIED, hyper::header::HeaderValue::from_static("wait"));
        }
        read(&Answer { status, headers, body: body.to_owned().into() })
    }

    #[test]
    fn only_a_server_that_waits_tells_of_an_end() {
        let body = |status: &str| {
            format!(r#"{{"url":"http://h/v1/claims/7/","resource":"r","status":"{status}"}}"#)
        };
        for over in ["revoked", "expired", "released", "aborted", "withdrawn"] {
            let status = Status::from_name(over);
            assert_eq!(news(200, true, &body(over)), Polled::Over(status));
            assert_eq!(news(200, false, &body(over)), Polled::Unable);
        }
        assert_eq!(news(200, true, &body("active")), Polled::Held);
        assert_eq!(news(404, true, "{}"), Polled::Over(None));
        assert_eq!(news(404, false, "{}"), Polled::Unable);
        assert_eq!(news(200, true, "[]"), Polled::Unable);
        assert_eq!((news(503, true, ""), news(429, false, "")), (Polled::None, Polled::None));
    }
}

//! A request that waits until a claim that is held is over, so that its holder hears it at once.
//!
//! A server that does not know how to wait says so by what its answer lacks, and is asked once.

use std::time::Duration;

use hyper::Method;
use turnstile_core::number::ClaimId;

use super::call::{Answer, Caller};
use super::pace::{Dice, STEADY};
use crate::wire::claim::ClaimSeen;
use crate::wire::{PREFER, PREFERENCE_APPLIED};

/// How long the server is asked to wait before it is asked again.
const WAIT: Duration = Duration::from_secs(60);
/// An answer that is so much later than asked for does not come.
const PATIENCE: Duration = Duration::from_secs(10);

/// Done once the server says that the claim is over; never where it cannot tell.
pub(super) async fn over(caller: Caller, claim: ClaimId, mut dice: Dice) -> ClaimId {
    let path = format!("{}{claim}/", caller.place().path);
    let headers = [(PREFER, format!("wait={}", WAIT.as_secs()))];
    let mut attempt = 0;
    loop {
        let asked = tokio::time::Instant::now();
        let answer = caller.call(Method::GET, &path, &headers, None);
        let answer = tokio::time::timeout(WAIT + PATIENCE, answer).await;
        match answer.ok().and_then(Result::ok).map_or(News::None, |answer| read(&answer)) {
            News::Over => return claim,
            News::Unable => return std::future::pending().await,
            News::Held if asked.elapsed() >= WAIT / 2 => attempt = 0,
            News::Held | News::None => {
                tokio::time::sleep(STEADY.pause(attempt, &mut dice)).await;
                attempt += 1;
            }
        }
    }
}

/// What an answer says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    /// The claim is over.
    Over,
    /// It is not.
    Held,
    /// The server does not wait.
    Unable,
    /// Nothing: it may be asked again.
    None,
}

fn read(answer: &Answer) -> News {
    if answer.status == 429 || answer.status >= 500 {
        return News::None;
    }
    if !answer.headers.contains_key(PREFERENCE_APPLIED) {
        return News::Unable;
    }
    let seen = serde_json::from_slice::<ClaimSeen>(&answer.body).ok();
    match (answer.status, seen) {
        (404, _) => News::Over,
        (200, Some(seen)) if seen.status.is_final() => News::Over,
        (200, Some(_)) => News::Held,
        _ => News::Unable,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn news(status: u16, waited: bool, body: &str) -> News {
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
            assert_eq!(news(200, true, &body(over)), News::Over);
            assert_eq!(news(200, false, &body(over)), News::Unable);
        }
        assert_eq!(news(200, true, &body("active")), News::Held);
        assert_eq!(news(404, true, "{}"), News::Over);
        assert_eq!(news(404, false, "{}"), News::Unable);
        assert_eq!(news(200, true, "[]"), News::Unable);
        assert_eq!((news(503, true, ""), news(429, false, "")), (News::None, News::None));
    }
}

//! What a user is told of a response, or of its absence.

use turnstile_claim_core::record::Status;

use crate::client::command::RetryCause;
use crate::client::requests::answer::Answer;
use crate::client::requests::server_address::ServerAddress;

/// The part of a refusal's body that concerns the claim.
#[derive(serde::Deserialize)]
pub(crate) struct RefusalBody {
    pub(crate) now: Option<String>,
}

/// The maximum length of a reason in a warning, in characters.
const SHORT: usize = 100;

/// The error text for a server that does not answer.
pub(crate) fn no_answer(server: &ServerAddress, why: &dyn std::fmt::Display) -> String {
    format!("no response from {server}: {why}")
}

/// Why a request with this response is retried, if the core does so.
pub(crate) fn retry_cause(server: &ServerAddress, answer: &Answer) -> RetryCause {
    let reason: String = answer.reason().chars().take(SHORT).collect();
    let is_ok = answer.status < 300;
    let reason = if is_ok { format!("too late, or not a claim: {reason}") } else { reason };
    RetryCause::Response { url: server.claims_url(), status: answer.status, reason }
}

/// How a claim has ended, according to the refusal of a request for it; `None` if it may be active.
pub(crate) fn end_in(answer: &Answer) -> Option<String> {
    let body = serde_json::from_slice::<RefusalBody>(&answer.body).ok();
    let now = body.and_then(|body| Status::from_name(&body.now?));
    match (now, answer.status) {
        (Some(now), _) => now.is_final().then(|| ended_as(now)),
        (None, 404) => Some("the server no longer has the claim".into()),
        (None, 400) => Some(format!("the server refused the request: {}", answer.reason())),
        (None, _) => None,
    }
}

/// The text for a claim that has ended with this status.
pub(crate) fn ended_as(status: Status) -> String {
    if status == Status::Expired {
        "its lease has expired at the server".into()
    } else {
        format!("the claim was {}", status.name())
    }
}

//! Conversion of the core's requests to HTTP, and of HTTP responses to the core's.

use std::time::Duration;

use hyper::Method;
use turnstile_claim_core::message::{RequestKind, Response};
use turnstile_claim_core::number::ClaimId;
use turnstile_claim_core::record::Status;
use turnstile_ids::number::{CallId, Token};

use crate::client::entry::ClaimEntry;
use crate::client::requests::answer::Answer;
use crate::client::requests::explain::RefusalBody;
use crate::client::requests::server_address::ServerAddress;
use crate::wire::claim::{ClaimSeen, id_in};
use crate::wire::request::{PostBody, status_body, ttl_body};
use crate::wire::{FENCING_TOKEN, IDEMPOTENCY_KEY, PREFER};

/// An HTTP request.
pub(crate) struct HttpRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

/// Converts a request of the core to HTTP.
pub(crate) fn write(
    ask: RequestKind,
    wait: Duration,
    entry: &ClaimEntry,
    server: &ServerAddress,
) -> HttpRequest {
    let mut headers = Vec::new();
    if !wait.is_zero() {
        headers.push((PREFER, format!("wait={}", wait.as_secs_f64())));
    }
    let of = |claim: ClaimId| format!("{}{claim}/", server.path);
    let (method, path, body) = match ask {
        RequestKind::Post { resource: _, key, wait: _ } => {
            headers.extend(key.map(|key| (IDEMPOTENCY_KEY, format!("{:016x}", key.number()))));
            let body = PostBody {
                resource: &entry.resource,
                ttl: entry.policy.ttl.as_secs_f64(),
                user_data: entry.user_data.as_deref(),
            };
            let body = serde_json::to_string(&body).expect("plain data");
            (Method::POST, server.path.clone(), body)
        }
        RequestKind::Ttl { claim } => {
            let ttl_us = u64::try_from(entry.policy.ttl.as_micros()).unwrap_or(u64::MAX);
            (Method::PATCH, of(claim), ttl_body(ttl_us))
        }
        RequestKind::Status { claim, to } => (Method::PATCH, of(claim), status_body(to)),
    };
    HttpRequest { method, path, headers, body }
}

/// Converts an HTTP response for the core. An unreadable one counts as none.
pub(crate) fn read(call: CallId, answer: &Answer) -> Response {
    let header = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok());
    let seen = serde_json::from_slice::<ClaimSeen>(&answer.body).ok();
    let url = header("location").or(seen.as_ref().map(|seen| seen.url.as_str()));
    let claim = url.and_then(id_in).filter(|_| matches!(answer.status, 200..=202));
    let token = seen.as_ref().and_then(|seen| seen.fencing_token);
    let token = token.or_else(|| header(FENCING_TOKEN)?.parse().ok());
    if matches!(answer.status, 200..=202) && claim.is_none() {
        return Response::unanswered(call);
    }
    let refused = || serde_json::from_slice::<RefusalBody>(&answer.body).ok()?.now;
    let now = if answer.status >= 400 { refused() } else { None };
    Response {
        claim: claim.map(ClaimId::new),
        token: token.map(Token::new),
        is_expired: now.is_some_and(|now| now == Status::Expired.name()),
        ..Response::bare(call, answer.status)
    }
}

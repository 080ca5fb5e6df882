//! Responses: replies, texts and lists, as HTTP has them.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::StatusCode;
use hyper::header::{ALLOW, CONTENT_TYPE, HeaderValue, LOCATION, RETRY_AFTER};

use crate::server::connections::connection_state::ConnectionState;
use crate::server::state::handle::EngineHandle;
use crate::server::state::reply::Reply;
use crate::server::web::listing::Listing;
use crate::server::web::streamed::{self, StreamedBody};
use crate::wire::{FENCING_TOKEN, PREFERENCE_APPLIED};

/// A response with a complete or a streamed body.
pub(crate) type Response = hyper::Response<Either<Full<Bytes>, StreamedBody>>;

/// Converts a reply to a response.
pub(crate) fn respond(reply: Reply) -> Response {
    let mut response = Response::new(Either::Left(Full::from(reply.body)));
    *response.status_mut() = status(reply.status);
    let headers = response.headers_mut();
    if reply.status != 204 {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    if let Some(location) = reply.location.and_then(|location| location.parse().ok()) {
        headers.insert(LOCATION, location);
    }
    if let Some(token) = reply.token {
        headers.insert(FENCING_TOKEN, HeaderValue::from(token));
    }
    if let Some(seconds) = reply.retry_after {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if reply.is_watch {
        headers.insert(PREFERENCE_APPLIED, HeaderValue::from_static("wait"));
    }
    response
}

pub(crate) fn into_response(answer: Result<Reply, Reply>) -> Response {
    match answer {
        Ok(reply) | Err(reply) => respond(reply),
    }
}

pub(crate) fn not_found() -> Response {
    respond(Reply::message(
        404,
        "No such path: there are /v1/claims/, /status/, /metrics, /healthz and /readyz, and at a \
         member of a cluster /v1/cluster/members/ and /v1/cluster/snapshot/",
    ))
}

pub(crate) fn not_allowed(allowed: &'static str) -> Response {
    let mut response = respond(Reply::message(405, "Method not allowed"));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// A response that is not JSON.
pub(crate) fn text(code: u16, kind: &'static str, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Either::Left(Full::new(body.into())));
    *response.status_mut() = status(code);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// A listing as a response. A list of one slice is a plain one with a Content-Length.
pub(crate) async fn list(
    shared: &Arc<EngineHandle>,
    listing: Listing,
    state: Arc<ConnectionState>,
) -> Response {
    let (listing, first) = streamed::read(shared.clone(), Box::new(listing)).await;
    let first = match first {
        Ok(first) => first,
        Err(reply) => return respond(reply),
    };
    if listing.is_over() {
        return respond(Reply::text(200, first));
    }
    let streamed = StreamedBody::after(first, listing, shared, state);
    let mut response = Response::new(Either::Right(streamed));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}

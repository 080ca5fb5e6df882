//! The server's paths and headers: a request becomes a call of the engine, a reply a response.
//!
//! It reads and writes HTTP and nothing else; a handler has no opinion about claims.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Extension, Path, RawQuery, Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get, post};
use hyper::StatusCode;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};

use super::admit;
use super::auth::{Identity, Tokens};
use super::call::Origin;
use super::commit::Shared;
use super::digest;
use super::ear::Ear;
use super::engine::Engine;
use super::guesses::Guesses;
use super::host::{self, Hosts, PublicUrl};
use super::listing::Listing;
use super::metrics::Gauges;
use super::page;
use super::reply::Reply;
use super::seat::Seat;
use super::session::Sessions;
use super::slots::Slots;
use super::streamed;
use crate::wire::ask::{Bounds, Reasons, read_patch, read_post};
use crate::wire::filter::Filter;
use crate::wire::{
    CLAIM_TIMEOUT, CLAIMS, FENCING_TOKEN, IDEMPOTENCY_KEY, PREFER, PREFERENCE_APPLIED,
};

/// What the handlers need besides the engine.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) shared: Arc<Shared>,
    pub(crate) bounds: Bounds,
    pub(crate) body_max: usize,
    pub(crate) body_patience: Duration,
    pub(crate) wait_max_us: u64,
    pub(crate) scheme: &'static str,
    pub(crate) public_url: Option<PublicUrl>,
    pub(crate) hosts: Hosts,
    pub(crate) tokens: Tokens,
    pub(crate) sessions: Sessions,
    pub(crate) guesses: Guesses,
    /// Microseconds since the Unix epoch.
    pub(crate) wall_us: fn() -> u64,
    pub(crate) slots: Arc<Slots>,
}

/// Every path of the server.
pub(crate) fn router(front: Front) -> Router {
    let front = Arc::new(front);
    Router::new()
        .route(CLAIMS, get(list_claims).post(post_claim))
        .route("/v1/claims/{id}/", get(show_claim).patch(patch_claim))
        .route("/v1/claims", any(add_slash))
        .route("/v1/claims/{id}", any(add_slash))
        .route("/status/", get(page::show))
        .route("/status/revoke/", post(page::revoke))
        .route("/status/logout/", post(page::log_out))
        .route("/status", any(add_slash))
        .route("/metrics", get(metrics))
        .fallback(async || respond(Reply::message(404, "Nothing is here")))
        .layer(axum::middleware::from_fn_with_state(front.clone(), admit::admit))
        .route("/status/login/", post(page::log_in))
        .layer(axum::middleware::from_fn_with_state(front.clone(), admit::check_host))
        .route("/healthz", get(health))
        .method_not_allowed_fallback(async || {
            respond(Reply::message(405, "The method is not allowed here"))
        })
        .with_state(front)
}

async fn list_claims(
    State(front): State<Arc<Front>>,
    Extension(identity): Extension<Identity>,
    RawQuery(query): RawQuery,
    Extension(seat): Extension<Arc<Seat>>,
    headers: HeaderMap,
) -> Response {
    let filter = match Filter::read(query.as_deref().unwrap_or("")) {
        Ok(filter) => filter,
        Err(reasons) => return respond(Reply::refused(&reasons)),
    };
    let listing = Listing::new(filter, front.origin(&headers, identity));
    streamed::list(&front.shared, listing, seat).await
}

async fn post_claim(
    State(front): State<Arc<Front>>,
    Extension(identity): Extension<Identity>,
    Extension(ear): Extension<Ear>,
    request: Request,
) -> Response {
    let (headers, body) = match front.take_json(request).await {
        Ok(taken) => taken,
        Err(reply) => return respond(reply),
    };
    let post = match read_post(&body, &front.bounds) {
        Ok(post) => post,
        Err(reasons) => return respond(Reply::refused(&reasons)),
    };
    let origin = match front.waiting_origin(&headers, identity) {
        Ok(origin) => origin,
        Err(reasons) => return respond(Reply::refused(&reasons)),
    };
    let key = headers
        .get(IDEMPOTENCY_KEY)
        .map(|key| digest::of_key(key.as_bytes(), &post.resource, origin.identity.name.as_deref()));
    let turn = front.shared.with(|engine| engine.post(post, key, &origin));
    respond(front.shared.answer_to(turn, &ear).await)
}

async fn show_claim(
    State(front): State<Arc<Front>>,
    Extension(identity): Extension<Identity>,
    Path(id): Path<String>,
    Extension(ear): Extension<Ear>,
    headers: HeaderMap,
) -> Response {
    let Some(id) = claim_id(&id) else { return respond(Reply::message(404, "No claim found")) };
    let origin = match front.waiting_origin(&headers, identity) {
        Ok(origin) => origin,
        Err(reasons) => return respond(Reply::refused(&reasons)),
    };
    let turn = front.shared.with(|engine| engine.watch(id, &origin));
    respond(front.shared.answer_to(turn, &ear).await)
}

async fn patch_claim(
    State(front): State<Arc<Front>>,
    Extension(identity): Extension<Identity>,
    Path(id): Path<String>,
    Extension(ear): Extension<Ear>,
    request: Request,
) -> Response {
    let (headers, body) = match front.take_json(request).await {
        Ok(taken) => taken,
        Err(reply) => return respond(reply),
    };
    let Some(id) = claim_id(&id) else { return respond(Reply::message(404, "No claim found")) };
    let origin = match front.waiting_origin(&headers, identity) {
        Ok(origin) => origin,
        Err(reasons) => return respond(Reply::refused(&reasons)),
    };
    let patch = match read_patch(&body, &front.bounds, origin.wait_us.is_some()) {
        Ok(patch) => patch,
        Err(reasons) => return respond(Reply::refused(&reasons)),
    };
    let turn = front.shared.with(|engine| engine.patch(id, patch, &origin));
    respond(front.shared.answer_to(turn, &ear).await)
}

/// 301 to the same path with its slash.
async fn add_slash(
    State(front): State<Arc<Front>>,
    uri: hyper::Uri,
    headers: HeaderMap,
) -> Response {
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let location = format!("{}{}/{query}", front.root(&headers), uri.path());
    let mut response = respond(Reply::message(301, &location));
    if let Ok(location) = HeaderValue::from_str(&location) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// Whether it is worth asking this server for anything. It never waits for the engine.
async fn health(State(front): State<Arc<Front>>) -> Response {
    if front.shared.is_failed() {
        return respond(Reply::storage_in_trouble());
    }
    "ok\n".into_response()
}

async fn metrics(State(front): State<Arc<Front>>) -> Response {
    let (connections, made_room) = (front.slots.count(), front.slots.made_room());
    let (metrics, gauges) = front.shared.with(|engine: &mut Engine| {
        let (claims, live) = engine.counts();
        let calls = engine.calls_open();
        (engine.metrics.clone(), Gauges { claims, live, calls, connections, made_room })
    });
    let text = metrics.render(gauges);
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], text).into_response()
}

impl Front {
    /// Reads a JSON body. Its type must say so: a page of another site can send other types without
    /// being asked, but this one only where the server allows it, which it never does.
    async fn take_json(&self, request: Request) -> Result<(HeaderMap, Vec<u8>), Reply> {
        let said = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = said.unwrap_or("").split(';').next().unwrap_or("").trim();
        if !essence.eq_ignore_ascii_case("application/json") {
            return Err(Reply::message(415, "The Content-Type must be application/json"));
        }
        // Where a token is required, a page that has one may send what it likes.
        if self.tokens.is_open() && self.is_foreign(request.headers()) == Some(true) {
            return Err(Reply::message(403, "The request comes from a page of another site"));
        }
        self.take(request).await
    }

    /// Reads a body that is neither too long nor too slow.
    pub(super) async fn take(&self, request: Request) -> Result<(HeaderMap, Vec<u8>), Reply> {
        let (parts, body) = request.into_parts();
        let too_long = || {
            let text = format!("A body has at most {} bytes", self.body_max);
            Reply::message(413, &text)
        };
        let said = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        if said.and_then(|len| len.parse().ok()).is_some_and(|len: usize| len > self.body_max) {
            return Err(too_long());
        }
        let read = tokio::time::timeout(self.body_patience, to_bytes(body, self.body_max)).await;
        if let Some(seat) = parts.extensions.get::<Arc<Seat>>() {
            seat.begin().await;
        }
        match read {
            Err(_) => Err(Reply::message(408, "The body did not come in time")),
            Ok(Ok(bytes)) => Ok((parts.headers, bytes.into())),
            Ok(Err(error)) if is_limit(&error) => Err(too_long()),
            Ok(Err(_)) => Err(Reply::message(400, "The body broke off")),
        }
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.public_url.as_ref().map_or(self.scheme == "https", PublicUrl::is_tls)
    }

    /// What URLs begin with.
    fn root(&self, headers: &HeaderMap) -> String {
        self.public_url.as_ref().map_or_else(|| self.asked(headers), PublicUrl::to_string)
    }

    /// The server as a request names it, that comes past any proxy.
    fn asked(&self, headers: &HeaderMap) -> String {
        format!("{}://{}", self.scheme, host::in_url(headers))
    }

    /// Whether a page from there is one of this server's.
    pub(crate) fn is_own(&self, from: &str, headers: &HeaderMap) -> bool {
        from == self.root(headers) || from == self.asked(headers)
    }

    pub(crate) fn origin(&self, headers: &HeaderMap, identity: Identity) -> Origin {
        let base = format!("{}{CLAIMS}", self.root(headers)).into();
        Origin { base, wait_us: None, timeout_us: None, identity }
    }

    fn waiting_origin(&self, headers: &HeaderMap, identity: Identity) -> Result<Origin, Reasons> {
        let wait_us = read_wait(headers)?.map(|wait_us| wait_us.min(self.wait_max_us));
        let timeout_us = read_timeout(headers)?;
        Ok(Origin { wait_us, timeout_us, ..self.origin(headers, identity) })
    }
}

/// The number of a claim in a path: digits alone, since a claim has one URL.
fn claim_id(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

/// Whether a body was refused for its length.
fn is_limit(error: &axum::Error) -> bool {
    let mut source: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(error) = source {
        if error.is::<http_body_util::LengthLimitError>() {
            return true;
        }
        source = error.source();
    }
    false
}

/// The microseconds of `Prefer: wait=N`. Other preferences are passed over, as their RFC says.
fn read_wait(headers: &HeaderMap) -> Result<Option<u64>, Reasons> {
    let values = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    let mut preferences = values.flat_map(|value| value.split([',', ';'])).map(str::trim);
    let Some(wait) = preferences.find_map(|preference| {
        let (name, value) = preference.split_once('=')?;
        name.trim().eq_ignore_ascii_case("wait").then(|| value.trim().trim_matches('"'))
    }) else {
        return Ok(None);
    };
    read_seconds(PREFER, wait).map(Some)
}

/// The microseconds of `Claim-Timeout: N`.
fn read_timeout(headers: &HeaderMap) -> Result<Option<u64>, Reasons> {
    let Some(said) = headers.get(CLAIM_TIMEOUT) else { return Ok(None) };
    read_seconds(CLAIM_TIMEOUT, said.to_str().unwrap_or("")).map(Some)
}

fn read_seconds(header: &'static str, said: &str) -> Result<u64, Reasons> {
    let seconds = said.trim().parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    let refused = || Reasons::from([(header, format!("{said:?} is not a number of seconds"))]);
    seconds.map(|seconds| (seconds * 1e6) as u64).ok_or_else(refused)
}

/// A reply as a response.
pub(crate) fn respond(reply: Reply) -> Response {
    let mut response = Response::new(Body::from(reply.body));
    let unforeseen = StatusCode::INTERNAL_SERVER_ERROR;
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(unforeseen);
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

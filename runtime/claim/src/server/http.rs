//! The server's headers and bodies: a request becomes a call of the engine, a reply a response.
//!
//! It reads and writes HTTP and nothing else; a handler has no opinion about claims.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Either, Full, LengthLimitError, Limited};
use hyper::StatusCode;
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION, RETRY_AFTER};
use hyper::http::request::Parts;

use super::auth::{Identity, Tokens};
use super::call::Origin;
use super::digest;
use super::guesses::Guesses;
use super::handle::EngineHandle;
use super::host::{self, Hosts, PublicUrl};
use super::listing::Listing;
use super::metrics::Gauges;
use super::reply::Reply;
use super::route::Visit;
use super::seat::Seat;
use super::session::Sessions;
use super::slots::Slots;
use super::streamed::{self, Streamed};
use crate::wire::ask::{Bounds, Reasons, read_patch, read_post};
use crate::wire::filter::Filter;
use crate::wire::{
    CLAIM_TIMEOUT, CLAIMS, FENCING_TOKEN, IDEMPOTENCY_KEY, PREFER, PREFERENCE_APPLIED,
};

/// A response, whose body is there or is read as it is taken.
pub(crate) type Response = hyper::Response<Either<Full<Bytes>, Streamed>>;

/// What the handlers need besides the engine.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) shared: Arc<EngineHandle>,
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

impl Front {
    pub(super) async fn list_claims(&self, visit: &Visit<'_>, identity: Identity) -> Response {
        let filter = match Filter::read(visit.head.uri.query().unwrap_or("")) {
            Ok(filter) => filter,
            Err(reasons) => return respond(Reply::refused(reasons)),
        };
        let listing = Listing::new(filter, self.origin(&visit.head.headers, identity));
        streamed::list(&self.shared, listing, visit.seat.clone()).await
    }

    pub(super) async fn post_claim(
        &self,
        visit: Visit<'_>,
        identity: Identity,
    ) -> Result<Reply, Reply> {
        let Visit { head, body, seat, ear, .. } = visit;
        let body = self.take_json(&head.headers, body, seat).await?;
        let post = read_post(&body, &self.bounds).map_err(Reply::refused)?;
        let origin = self.waiting_origin(&head.headers, identity).map_err(Reply::refused)?;
        let key = head.headers.get(IDEMPOTENCY_KEY);
        let owner = origin.identity.name.as_deref();
        let key = key.map(|key| digest::of_key(key.as_bytes(), &post.resource, owner));
        let turn = self.shared.with(|engine| engine.post(post, key, &origin));
        Ok(self.shared.answer_to(turn, ear).await)
    }

    pub(super) async fn show_claim(
        &self,
        visit: &Visit<'_>,
        id: Option<u64>,
        identity: Identity,
    ) -> Result<Reply, Reply> {
        let id = id.ok_or_else(no_claim)?;
        let origin = self.waiting_origin(&visit.head.headers, identity).map_err(Reply::refused)?;
        let turn = self.shared.with(|engine| engine.watch(id, &origin));
        Ok(self.shared.answer_to(turn, visit.ear).await)
    }

    pub(super) async fn patch_claim(
        &self,
        visit: Visit<'_>,
        id: Option<u64>,
        identity: Identity,
    ) -> Result<Reply, Reply> {
        let Visit { head, body, seat, ear, .. } = visit;
        let body = self.take_json(&head.headers, body, seat).await?;
        let id = id.ok_or_else(no_claim)?;
        let origin = self.waiting_origin(&head.headers, identity).map_err(Reply::refused)?;
        let patch = read_patch(&body, &self.bounds, origin.wait_us.is_some());
        let patch = patch.map_err(Reply::refused)?;
        let turn = self.shared.with(|engine| engine.patch(id, patch, &origin));
        Ok(self.shared.answer_to(turn, ear).await)
    }

    /// 301 to the same path with its slash.
    pub(super) fn add_slash(&self, head: &Parts) -> Response {
        let query = head.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let location = format!("{}{}/{query}", self.root(&head.headers), head.uri.path());
        let mut response = respond(Reply::message(301, &location));
        if let Ok(location) = HeaderValue::from_str(&location) {
            response.headers_mut().insert(LOCATION, location);
        }
        response
    }

    /// Whether it is worth asking this server for anything. It never waits for the engine.
    pub(super) fn health(&self) -> Response {
        if self.shared.is_failed() {
            return respond(Reply::storage_in_trouble());
        }
        text(200, "text/plain; charset=utf-8", "ok\n")
    }

    pub(super) fn metrics(&self) -> Response {
        let (connections, made_room) = (self.slots.count(), self.slots.made_room());
        let (metrics, gauges) = self.shared.with(|engine| {
            let (claims, live) = engine.counts();
            let calls = engine.calls_open();
            let (commits, counts) = (engine.0.commits(), engine.0.engine.counts());
            let gauges = Gauges { claims, live, calls, connections, made_room, commits, counts };
            (engine.metrics.clone(), gauges)
        });
        text(200, "text/plain; version=0.0.4", metrics.render(gauges))
    }

    /// Reads a JSON body. Its type must say so: a page of another site can send other types without
    /// being asked, but this one only where the server allows it, which it never does.
    async fn take_json(
        &self,
        headers: &HeaderMap,
        body: Incoming,
        seat: &Seat,
    ) -> Result<Bytes, Reply> {
        let said = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = said.unwrap_or("").split(';').next().unwrap_or("").trim();
        if !essence.eq_ignore_ascii_case("application/json") {
            return Err(Reply::message(415, "The Content-Type must be application/json"));
        }
        // Where a token is required, a page that has one may send what it likes.
        if self.tokens.is_open() && self.is_foreign(headers) == Some(true) {
            return Err(Reply::message(403, "The request comes from a page of another site"));
        }
        self.take(headers, body, seat).await
    }

    /// Reads a body that is neither too long nor too slow.
    pub(super) async fn take(
        &self,
        headers: &HeaderMap,
        body: Incoming,
        seat: &Seat,
    ) -> Result<Bytes, Reply> {
        let too_long = || {
            let text = format!("A body has at most {} bytes", self.body_max);
            Reply::message(413, &text)
        };
        let said = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        if said.and_then(|len| len.parse().ok()).is_some_and(|len: usize| len > self.body_max) {
            return Err(too_long());
        }
        let body = Limited::new(body, self.body_max).collect();
        let read = tokio::time::timeout(self.body_patience, body).await;
        seat.begin().await;
        match read {
            Err(_) => Err(Reply::message(408, "The body did not come in time")),
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
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
        [self.scheme, "://", host::in_url(headers)].concat()
    }

    /// Whether a page from there is one of this server's.
    pub(crate) fn is_own(&self, from: &str, headers: &HeaderMap) -> bool {
        from == self.root(headers) || from == self.asked(headers)
    }

    pub(crate) fn origin(&self, headers: &HeaderMap, identity: Identity) -> Origin {
        let base = self.root(headers) + CLAIMS;
        Origin { base: base.into(), wait_us: None, timeout_us: None, identity }
    }

    fn waiting_origin(&self, headers: &HeaderMap, identity: Identity) -> Result<Origin, Reasons> {
        let wait_us = read_wait(headers)?.map(|wait_us| wait_us.min(self.wait_max_us));
        let timeout_us = read_timeout(headers)?;
        Ok(Origin { wait_us, timeout_us, ..self.origin(headers, identity) })
    }
}

fn no_claim() -> Reply {
    Reply::message(404, "No claim found")
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

/// A response that is no JSON.
pub(crate) fn text(code: u16, kind: &'static str, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Either::Left(Full::new(body.into())));
    *response.status_mut() = status(code);
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

//! HTTP handlers: they convert requests to operations of the engine, and replies to responses.
//!
//! They make no decisions about claims.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue, LOCATION};
use hyper::http::request::Parts;
use turnstile_host::certificates::CertificateWatch;

use crate::server::access::auth::{Identity, Tokens};
use crate::server::access::auth_throttle::AuthThrottle;
use crate::server::access::origin::RequestOrigin;
use crate::server::access::session::Sessions;
use crate::server::audit::Audit;
#[cfg(feature = "cluster")]
use crate::server::cluster::ReplicatedEngine;
use crate::server::connections::connection_state::ConnectionState;
use crate::server::connections::disconnect::DisconnectWatch;
use crate::server::connections::slots::ConnectionSlots;
use crate::server::state::handle::EngineHandle;
use crate::server::state::reply::Reply;
use crate::server::web::call::ClaimRequest;
use crate::server::web::digest;
use crate::server::web::host::{self, Hosts, PublicUrl};
use crate::server::web::incoming::IncomingRequest;
use crate::server::web::listing::Listing;
use crate::server::web::metrics::{self, Gauges};
use crate::server::web::response::{self, Response, respond, text};
use crate::wire::filter::Filter;
use crate::wire::query::{Query, STALE};
use crate::wire::request::{Bounds, FieldErrors, read_patch, read_post};
use crate::wire::{CLAIM_TIMEOUT, CLAIMS, IDEMPOTENCY_KEY, PREFER};

/// Why a server that requires its audit log takes no changes.
const NO_AUDIT: &str = "the audit log cannot be written";

/// The state of the HTTP handlers.
#[derive(Debug)]
pub(crate) struct AppState {
    pub(crate) shared: Arc<EngineHandle>,
    /// The member of a cluster, if the server is one.
    #[cfg(feature = "cluster")]
    pub(crate) member: Option<Arc<ReplicatedEngine>>,
    pub(crate) bounds: Bounds,
    pub(crate) body_max: usize,
    pub(crate) body_timeout: Duration,
    pub(crate) wait_max_us: u64,
    pub(crate) scheme: &'static str,
    pub(crate) public_url: Option<PublicUrl>,
    pub(crate) hosts: Hosts,
    pub(crate) tokens: Tokens,
    pub(crate) sessions: Sessions,
    pub(crate) auth_throttle: AuthThrottle,
    pub(crate) audit: Option<Audit>,
    /// Microseconds since the Unix epoch.
    pub(crate) wall_us: fn() -> u64,
    pub(crate) slots: Arc<ConnectionSlots>,
    /// Those whose ends are among the metrics.
    pub(crate) certificates: CertificateWatch,
}

impl AppState {
    pub(crate) async fn list_claims(
        &self,
        incoming: &IncomingRequest<'_>,
        query: &Query,
        identity: Identity,
    ) -> Response {
        let filter = match Filter::read(query) {
            Ok(filter) => filter,
            Err(reasons) => return respond(Reply::refused(reasons)),
        };
        if let Err(unavailable) = self.refresh(query).await {
            return respond(unavailable);
        }
        let listing = Listing::new(filter, self.origin(&incoming.head.headers, identity));
        response::list(&self.shared, listing, incoming.state.clone()).await
    }

    pub(crate) async fn post_claim(
        &self,
        incoming: IncomingRequest<'_>,
        identity: Identity,
    ) -> Result<Reply, Reply> {
        let IncomingRequest { head, body, state, disconnect, .. } = incoming;
        let body = self.read_json(&head.headers, body, state).await?;
        let post = read_post(&body, &self.bounds()).map_err(Reply::refused)?;
        let origin = self.waiting_origin(&head.headers, identity).map_err(Reply::refused)?;
        let key = head.headers.get(IDEMPOTENCY_KEY);
        let owner = origin.identity.name.as_deref();
        let key = key.map(|key| digest::of_key(key.as_bytes(), owner));
        Ok(self.change(ClaimRequest::Post { post, key }, origin, disconnect).await)
    }

    pub(crate) async fn show_claim(
        &self,
        incoming: &IncomingRequest<'_>,
        query: &Query,
        id: Option<u64>,
        identity: Identity,
    ) -> Result<Reply, Reply> {
        let id = id.ok_or_else(no_claim)?;
        let mut origin =
            self.waiting_origin(&incoming.head.headers, identity).map_err(Reply::refused)?;
        if !self.refresh(query).await? {
            // What this member has may stay as it is.
            origin.wait_us = None;
        }
        let reply = self.shared.watch(id, origin);
        Ok(self.shared.answer_to(reply, incoming.disconnect).await)
    }

    pub(crate) async fn patch_claim(
        &self,
        incoming: IncomingRequest<'_>,
        id: Option<u64>,
        identity: Identity,
    ) -> Result<Reply, Reply> {
        let IncomingRequest { head, body, state, disconnect, .. } = incoming;
        let body = self.read_json(&head.headers, body, state).await?;
        let id = id.ok_or_else(no_claim)?;
        let origin = self.waiting_origin(&head.headers, identity).map_err(Reply::refused)?;
        let patch = read_patch(&body, &self.bounds(), origin.wait_us.is_some());
        let patch = patch.map_err(Reply::refused)?;
        Ok(self.change(ClaimRequest::Patch { id, patch }, origin, disconnect).await)
    }

    /// Has the engine take a request, unless the audit log is required and takes no lines.
    pub(crate) async fn change(
        &self,
        request: ClaimRequest,
        origin: RequestOrigin,
        disconnect: &DisconnectWatch,
    ) -> Reply {
        if self.lacks_audit() {
            return Reply::message(503, "The audit log cannot be written: nothing was changed");
        }
        let pending = self.shared.submit(request, origin).await;
        let reply = self.shared.answer_to(pending, disconnect).await;
        if self.lacks_audit() {
            let text = "The audit log cannot be written: the change may have been made";
            return Reply::message(503, text);
        }
        reply
    }

    fn lacks_audit(&self) -> bool {
        self.audit.as_ref().is_some_and(Audit::refuses)
    }

    /// The limits on fields: in a cluster all members have the same.
    fn bounds(&self) -> Bounds {
        self.shared.bounds().unwrap_or(self.bounds)
    }

    /// Returns when a read has all changes that were answered before, or `false` where the request
    /// is content with what this member has.
    pub(crate) async fn refresh(&self, query: &Query) -> Result<bool, Reply> {
        if query.flag(STALE).map_err(Reply::refused)? {
            return Ok(false);
        }
        self.shared.refresh().await?;
        Ok(true)
    }

    /// 301 to the same path with a trailing slash.
    pub(crate) fn add_slash(&self, head: &Parts) -> Response {
        let query = head.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        let location = format!("{}{}/{query}", self.root(&head.headers), head.uri.path());
        let mut response = respond(Reply::message(301, &location));
        if let Ok(location) = HeaderValue::from_str(&location) {
            response.headers_mut().insert(LOCATION, location);
        }
        response
    }

    /// Whether the server is healthy. Never waits for the engine.
    pub(crate) fn health(&self) -> Response {
        if self.shared.is_failed() {
            return respond(Reply::storage_in_trouble());
        }
        if self.lacks_audit() {
            return respond(Reply::message(503, NO_AUDIT));
        }
        text(200, "text/plain; charset=utf-8", "ok\n")
    }

    /// Whether the server can answer requests.
    pub(crate) async fn ready(&self) -> Response {
        match self.shared.readiness().await {
            Ok(()) if self.lacks_audit() => respond(Reply::message(503, NO_AUDIT)),
            Ok(()) => text(200, "text/plain; charset=utf-8", "ready\n"),
            Err(why) => respond(Reply::message(503, why)),
        }
    }

    pub(crate) async fn metrics(&self) -> Response {
        let (connections, made_room) = (self.slots.count(), self.slots.made_room());
        let audit = self.audit.as_ref().map(Audit::health);
        let commits = self.shared.commits();
        let (metrics, gauges) = self.shared.with(|engine| {
            let (claims, live) = engine.counts();
            let calls = engine.calls_open();
            let counts = engine.0.engine.counts();
            let gauges =
                Gauges { claims, live, calls, connections, made_room, commits, counts, audit };
            (engine.metrics.clone(), gauges)
        });
        let metrics = metrics.render(gauges)
            + &metrics::of_certificates(&self.certificates.certificates())
            + &self.shared.log_metrics().await;
        text(200, "text/plain; version=0.0.4", metrics)
    }

    /// Reads a JSON body. The Content-Type is required: a page of another site may send other types
    /// without a CORS preflight, but not this one.
    pub(crate) async fn read_json(
        &self,
        headers: &HeaderMap,
        body: &mut Incoming,
        state: &ConnectionState,
    ) -> Result<Bytes, Reply> {
        let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let essence = value.unwrap_or("").split(';').next().unwrap_or("").trim();
        if !essence.eq_ignore_ascii_case("application/json") {
            return Err(Reply::message(415, "The Content-Type must be application/json"));
        }
        self.refuse_other_site(headers)?;
        self.read_body(headers, body, state).await
    }

    /// Refuses a request of a page of another site. If a token is required, a page that has one may
    /// send any request.
    pub(crate) fn refuse_other_site(&self, headers: &HeaderMap) -> Result<(), Reply> {
        if self.tokens.is_open() && self.is_foreign(headers) == Some(true) {
            return Err(Reply::message(403, "The request was sent by a page of another site"));
        }
        Ok(())
    }

    /// Reads a body with limits on its size and on the time to receive it.
    pub(crate) async fn read_body(
        &self,
        headers: &HeaderMap,
        body: &mut Incoming,
        state: &ConnectionState,
    ) -> Result<Bytes, Reply> {
        let too_long = || {
            let text =
                format!("The body is too large: at most {} bytes are allowed", self.body_max);
            Reply::message(413, &text)
        };
        let value = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        if value.and_then(|len| len.parse().ok()).is_some_and(|len: usize| len > self.body_max) {
            return Err(too_long());
        }
        let body = Limited::new(body, self.body_max).collect();
        let read = tokio::time::timeout(self.body_timeout, body).await;
        state.begin().await;
        match read {
            Err(_) => Err(Reply::message(408, "The body was not received in time")),
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_long()),
            Ok(Err(_)) => {
                Err(Reply::message(400, "The connection was closed before the end of the body"))
            }
        }
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.public_url.as_ref().map_or(self.scheme == "https", PublicUrl::is_tls)
    }

    /// The scheme, host and port of URLs.
    fn root(&self, headers: &HeaderMap) -> String {
        self.public_url
            .as_ref()
            .map_or_else(|| self.requested_origin(headers), PublicUrl::to_string)
    }

    /// The origin by which a client that bypasses the proxy reaches the server.
    fn requested_origin(&self, headers: &HeaderMap) -> String {
        [self.scheme, "://", host::in_url(headers)].concat()
    }

    /// Whether an Origin header is that of this server's pages.
    pub(crate) fn is_own(&self, from: &str, headers: &HeaderMap) -> bool {
        from == self.root(headers) || from == self.requested_origin(headers)
    }

    pub(crate) fn origin(&self, headers: &HeaderMap, identity: Identity) -> RequestOrigin {
        let base = self.root(headers) + CLAIMS;
        RequestOrigin {
            base: base.into(),
            wait_us: None,
            timeout_us: None,
            identity,
            received_by: None,
        }
    }

    fn waiting_origin(
        &self,
        headers: &HeaderMap,
        identity: Identity,
    ) -> Result<RequestOrigin, FieldErrors> {
        let wait_us = read_wait(headers)?.map(|wait_us| wait_us.min(self.wait_max_us));
        let timeout_us = read_timeout(headers)?;
        Ok(RequestOrigin { wait_us, timeout_us, ..self.origin(headers, identity) })
    }
}

fn no_claim() -> Reply {
    Reply::message(404, "No claim found")
}

/// The microseconds of `Prefer: wait=N`. Other preferences are ignored, as RFC 7240 requires.
fn read_wait(headers: &HeaderMap) -> Result<Option<u64>, FieldErrors> {
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
fn read_timeout(headers: &HeaderMap) -> Result<Option<u64>, FieldErrors> {
    let Some(value) = headers.get(CLAIM_TIMEOUT) else { return Ok(None) };
    read_seconds(CLAIM_TIMEOUT, value.to_str().unwrap_or("")).map(Some)
}

fn read_seconds(header: &'static str, value: &str) -> Result<u64, FieldErrors> {
    let seconds = value.trim().parse().ok().filter(|seconds: &f64| *seconds >= 0.0);
    let refused = || FieldErrors::from([(header, format!("{value:?} is not a number of seconds"))]);
    seconds.map(|seconds| (seconds * 1e6) as u64).ok_or_else(refused)
}

//! The status page: lists holders and waiting claims, with a button that revokes. It has no state.
//!
//! If tokens are required, a browser is asked for one first, and then has a session.

use askama::Template;
use hyper::header::{AUTHORIZATION, HeaderMap, HeaderValue, LOCATION, SET_COOKIE};
use serde_json::value::RawValue;
use turnstile_claim_core::message::TargetStatus;

use crate::server::access::auth::Identity;
use crate::server::access::authenticate::refuse;
use crate::server::state::record::ClaimRecord;
use crate::server::state::reply::Reply;
use crate::server::web::call::ClaimRequest;
use crate::server::web::html::html;
use crate::server::web::http::AppState;
use crate::server::web::incoming::{IncomingRequest, claim_id};
use crate::server::web::response::{Response, respond, text};
use crate::wire::date::Date;
use crate::wire::percent::decode;
use crate::wire::query::Query;
use crate::wire::request::Patch;

/// The maximum number of rows.
const ROWS_MAX: usize = 1_000;
/// The number of rows that are read at a time, between which other requests run.
const SLICE_ROWS: usize = 100;
/// The maximum number of characters shown of a name or of user data.
const TEXT_MAX: usize = 200;
/// The maximum size in bytes of all names and data of a page.
const TEXT_ALL_MAX: usize = 256 << 10;
/// The interval in seconds at which the page reloads itself.
const REFRESH_S: u32 = 5;
#[derive(Template)]
#[template(path = "status.html")]
struct Page {
    refresh_s: u32,
    kept: usize,
    live: usize,
    rows: Vec<ClaimRow>,
    /// Whether the browser has a session.
    has_session: bool,
}

#[derive(Template)]
#[template(path = "index.html")]
struct Index;

/// A row: a claim that is waiting or active.
struct ClaimRow {
    id: u64,
    resource: String,
    status: &'static str,
    created: String,
    ttl: String,
    waiting: String,
    active: String,
    token: String,
    user_data: String,
    owner: String,
    /// Whether the client may change the claim.
    is_own: bool,
}

/// GET: the page. Its rows are read in slices, each as it was when its slice was read.
pub(crate) async fn show(
    app: &AppState,
    incoming: &IncomingRequest<'_>,
    query: &Query,
    identity: &Identity,
) -> Response {
    if let Err(unavailable) = app.refresh(query).await {
        return respond(unavailable);
    }
    let has_session = app.sessions.secret(&incoming.head.headers).is_some();
    let row = |id, entry: &ClaimRecord, now_us| row(id, entry, now_us, identity);
    let mut rows: Vec<ClaimRow> = Vec::new();
    let mut len = 0;
    while rows.len() < ROWS_MAX && len < TEXT_ALL_MAX {
        let next = rows.last().map_or(0, |row| row.id + 1);
        let max = SLICE_ROWS.min(ROWS_MAX - rows.len());
        let slice = app.shared.read(|engine| engine.live(next, max, row)).await;
        let is_last = slice.len() < max;
        let text = |row: &ClaimRow| row.resource.len() + row.user_data.len() + row.owner.len();
        len += slice.iter().map(text).sum::<usize>();
        rows.extend(slice);
        if is_last {
            break;
        }
    }
    let ((kept, live), pending) =
        app.shared.with(|engine| (engine.counts(), engine.read_nothing()));
    let reply = app.shared.answer(pending).await;
    let page = Page { refresh_s: REFRESH_S, kept, live, rows, has_session };
    if reply.status == 200 { html(200, &page) } else { respond(reply) }
}

fn row(id: u64, entry: &ClaimRecord, now_us: u64, identity: &Identity) -> ClaimRow {
    let seconds = |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!("{s:.1}"));
    ClaimRow {
        id,
        resource: beginning(&entry.resource),
        status: entry.status().name(),
        created: Date(entry.history[0].1.date_us).to_string(),
        ttl: seconds_left(entry.ttl(now_us)),
        waiting: seconds(entry.waiting_duration(now_us)),
        active: seconds(entry.active_duration(now_us)),
        token: entry.token.map_or(String::new(), |token| token.to_string()),
        user_data: beginning(entry.data_for(identity).map_or("", RawValue::get)),
        owner: beginning(entry.owner.as_deref().unwrap_or("")),
        is_own: identity.may_change(entry.owner.as_deref()),
    }
}

/// The remaining seconds of a ttl.
fn seconds_left(ttl: Option<f64>) -> String {
    match ttl {
        None => String::new(),
        Some(ttl) if ttl < 0.0 => "lapsed".into(),
        Some(ttl) => format!("{ttl:.1}"),
    }
}

fn beginning(text: &str) -> String {
    let mut text: Vec<char> = text.chars().take(TEXT_MAX + 1).collect();
    if text.len() > TEXT_MAX {
        text[TEXT_MAX] = '…';
    }
    text.into_iter().collect()
}

/// The start page: links to the pages for operators.
pub(crate) fn index() -> Response {
    html(200, &Index)
}

/// POST of the login form: creates a session and its cookie.
pub(crate) async fn log_in(app: &AppState, incoming: IncomingRequest<'_>) -> Response {
    let (from, state) = (incoming.from, incoming.state.clone());
    let token = match field(app, "token", incoming).await {
        Ok((_, token)) => token,
        Err(refused) => return respond(refused),
    };
    let token = match app.judge(token.unwrap_or_default().trim(), from, &state).await {
        Ok(token) => token,
        Err(refusal) => return refuse(&refusal, true),
    };
    match app.sessions.open(token.secret, app.is_tls()) {
        Ok(cookie) => back_to_page(Some(cookie)),
        Err(error) => respond(Reply::message(500, &error.to_string())),
    }
}

/// POST of the logout button: ends the session.
pub(crate) fn log_out(app: &AppState, incoming: &IncomingRequest<'_>) -> Response {
    let headers = &incoming.head.headers;
    if let Some(refused) = refuse_foreign(app, headers) {
        return respond(refused);
    }
    back_to_page(Some(app.sessions.close(headers, app.is_tls())))
}

/// POST of the revoke button: revokes the claim and redirects to the page.
pub(crate) async fn revoke(
    app: &AppState,
    incoming: IncomingRequest<'_>,
    identity: Identity,
) -> Response {
    let disconnect = incoming.disconnect;
    let (headers, claim) = match field(app, "claim", incoming).await {
        Ok(read) => read,
        Err(refused) => return respond(refused),
    };
    let Some(id) = claim.and_then(|id| claim_id(&id)) else {
        return respond(Reply::message(400, "The claim's id must be a number"));
    };
    let origin = app.origin(&headers, identity);
    let revoked = Patch::Status(TargetStatus::Revoked);
    let request = ClaimRequest::Patch { id, patch: revoked };
    let reply = app.change(request, origin, disconnect).await;
    // If the claim has already ended, the page shows that.
    let is_said = reply.status < 500 && reply.status != 403;
    if is_said { back_to_page(None) } else { respond(reply) }
}

fn back_to_page(cookie: Option<String>) -> Response {
    let mut response = text(303, "text/plain; charset=utf-8", "");
    response.headers_mut().insert(LOCATION, HeaderValue::from_static("/status/"));
    if let Some(cookie) = cookie.and_then(|cookie| cookie.parse().ok()) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}

/// Reads the single field of a form, with limits on its size and on the time to receive it.
async fn field(
    app: &AppState,
    name: &str,
    incoming: IncomingRequest<'_>,
) -> Result<(HeaderMap, Option<String>), Reply> {
    let IncomingRequest { head, body, state, .. } = incoming;
    if let Some(refused) = refuse_foreign(app, &head.headers) {
        return Err(refused);
    }
    let body = app.read_body(&head.headers, body, state).await?;
    let body = std::str::from_utf8(&body).ok();
    let value = body.and_then(|body| body.strip_prefix(name)?.strip_prefix('='));
    Ok((head.headers, value.and_then(decode)))
}

/// Rejects forms of other sites (CSRF). Browsers send the origin of a form; a request without
/// an origin must have a token in its header, if tokens are required.
fn refuse_foreign(app: &AppState, headers: &HeaderMap) -> Option<Reply> {
    let is_own = match app.is_foreign(headers) {
        Some(is_foreign) => !is_foreign,
        None => app.tokens.is_open() || headers.contains_key(AUTHORIZATION),
    };
    (!is_own).then(|| Reply::message(403, "The form was not sent by this server"))
}

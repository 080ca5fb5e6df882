//! The status page: who holds, who waits, and a button that revokes. It keeps nothing of its own.
//!
//! Where tokens are required a browser is asked for one first, once.

use askama::Template;
use hyper::header::{
    AUTHORIZATION, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderValue, LOCATION,
    SET_COOKIE,
};
use serde_json::value::RawValue;

use super::admit::refuse;
use super::auth::Identity;
use super::entry::Entry;
use super::http::{Front, Response, respond, text};
use super::reply::Reply;
use super::route::Visit;
use crate::wire::date::Date;
use crate::wire::filter::decode;

/// More rows than this are not shown.
const ROWS_MAX: usize = 1_000;
/// How many rows are read while others wait for the engine.
const SLICE_ROWS: usize = 100;
/// Of longer names and data the page shows the beginning.
const TEXT_MAX: usize = 200;
/// No further rows are shown once their names and data have so many bytes.
const TEXT_ALL_MAX: usize = 256 << 10;
/// The page asks for itself again after so many seconds.
const REFRESH_S: u32 = 5;
/// Nothing from elsewhere, no script, in nobody's frame, and forms go nowhere else.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'";

#[derive(Template)]
#[template(path = "status.html")]
struct Page {
    refresh_s: u32,
    kept: usize,
    live: usize,
    rows: Vec<Row>,
    /// Whether there is a session to end.
    has_session: bool,
}

#[derive(Template)]
#[template(path = "login.html")]
struct Login {
    /// Why the token that was shown was refused.
    why: Option<&'static str>,
}

/// One claim that is not over.
struct Row {
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
    /// May the one who looks change it.
    is_own: bool,
}

/// GET: the page. Its rows are read in slices, each as it was when its slice was read.
pub(super) async fn show(front: &Front, visit: &Visit<'_>, identity: &Identity) -> Response {
    let has_session = front.sessions.secret(&visit.head.headers).is_some();
    let row = |id, entry: &Entry, now_us| row(id, entry, now_us, identity);
    let mut rows: Vec<Row> = Vec::new();
    let mut len = 0;
    while rows.len() < ROWS_MAX && len < TEXT_ALL_MAX {
        let next = rows.last().map_or(0, |row| row.id + 1);
        let max = SLICE_ROWS.min(ROWS_MAX - rows.len());
        let slice = front.shared.read(|engine| engine.live(next, max, row)).await;
        let is_last = slice.len() < max;
        let text = |row: &Row| row.resource.len() + row.user_data.len() + row.owner.len();
        len += slice.iter().map(text).sum::<usize>();
        rows.extend(slice);
        if is_last {
            break;
        }
    }
    let ((kept, live), turn) = front.shared.with(|engine| (engine.counts(), engine.read_nothing()));
    let reply = front.shared.answer(turn).await;
    let page = Page { refresh_s: REFRESH_S, kept, live, rows, has_session };
    if reply.status == 200 { html(200, &page) } else { respond(reply) }
}

fn row(id: u64, entry: &Entry, now_us: u64, identity: &Identity) -> Row {
    let seconds = |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!("{s:.1}"));
    Row {
        id,
        resource: beginning(&entry.resource),
        status: entry.status().name(),
        created: Date(entry.history[0].1.date_us).to_string(),
        ttl: seconds(entry.ttl(now_us)),
        waiting: seconds(entry.waiting_duration(now_us)),
        active: seconds(entry.active_duration(now_us)),
        token: entry.token.map_or(String::new(), |token| token.to_string()),
        user_data: beginning(entry.data_for(identity).map_or("", RawValue::get)),
        owner: beginning(entry.owner.as_deref().unwrap_or("")),
        is_own: identity.may_change(entry.owner.as_deref()),
    }
}

fn beginning(text: &str) -> String {
    let mut text: Vec<char> = text.chars().take(TEXT_MAX + 1).collect();
    if text.len() > TEXT_MAX {
        text[TEXT_MAX] = '…';
    }
    text.into_iter().collect()
}

/// What a browser is shown instead of the page, until it has shown a token.
pub(super) fn ask_for_token(status: u16, why: Option<&'static str>) -> Response {
    html(status, &Login { why })
}

fn html(status: u16, page: &impl Template) -> Response {
    let page = match page.render() {
        Ok(page) => page,
        Err(error) => return respond(Reply::message(500, &error.to_string())),
    };
    let mut response = text(status, "text/html; charset=utf-8", page);
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// POST of the form that asks for a token: from there on a cookie stands for it.
pub(super) async fn log_in(front: &Front, visit: Visit<'_>) -> Response {
    let from = visit.from;
    let token = match front.field("token", visit).await {
        Ok((_, token)) => token,
        Err(refused) => return respond(refused),
    };
    let token = match front.judge(token.unwrap_or_default().trim(), from) {
        Ok(token) => token,
        Err(refusal) => return refuse(&refusal, true),
    };
    match front.sessions.open(token.secret, front.is_tls()) {
        Ok(cookie) => back_to_page(Some(cookie)),
        Err(error) => respond(Reply::message(500, &error.to_string())),
    }
}

/// POST of the button that forgets the token.
pub(super) fn log_out(front: &Front, visit: &Visit<'_>) -> Response {
    let headers = &visit.head.headers;
    if let Some(refused) = front.refuse_foreign(headers) {
        return respond(refused);
    }
    back_to_page(Some(front.sessions.close(headers, front.is_tls())))
}

/// POST of the page's form: the claim is revoked, then the page shows itself again.
pub(super) async fn revoke(front: &Front, visit: Visit<'_>, identity: Identity) -> Response {
    let (headers, claim) = match front.field("claim", visit).await {
        Ok(read) => read,
        Err(refused) => return respond(refused),
    };
    let Some(id) = claim.and_then(|id| id.parse().ok()) else {
        return respond(Reply::message(400, "A claim is a number"));
    };
    let origin = front.origin(&headers, identity);
    let turn = front.shared.with(|engine| engine.revoke(id, &origin));
    let reply = front.shared.answer(turn).await;
    // Where the claim is over already, the page says so.
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

impl Front {
    /// The one field of a form of ours, which is neither too long nor too slow.
    async fn field(
        &self,
        name: &str,
        visit: Visit<'_>,
    ) -> Result<(HeaderMap, Option<String>), Reply> {
        let Visit { head, body, seat, .. } = visit;
        if let Some(refused) = self.refuse_foreign(&head.headers) {
            return Err(refused);
        }
        let body = self.take(&head.headers, body, seat).await?;
        let body = std::str::from_utf8(&body).ok();
        let value = body.and_then(|body| body.strip_prefix(name)?.strip_prefix('='));
        Ok((head.headers, value.and_then(decode)))
    }

    /// A form on another site's page must change nothing here. A browser says where a form comes
    /// from; who says nothing must have shown a token by itself, if tokens are required.
    fn refuse_foreign(&self, headers: &HeaderMap) -> Option<Reply> {
        let is_own = match self.is_foreign(headers) {
            Some(is_foreign) => !is_foreign,
            None => self.tokens.is_open() || headers.contains_key(AUTHORIZATION),
        };
        (!is_own).then(|| Reply::message(403, "The form is not this server's"))
    }
}

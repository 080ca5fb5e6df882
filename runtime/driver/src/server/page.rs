//! The status page: who holds, who waits, and a button that revokes. It keeps nothing of its own.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::{Html, IntoResponse, Response};
use hyper::StatusCode;
use hyper::header::{HeaderMap, LOCATION, ORIGIN};

use super::http::{Front, respond};
use super::reply::Reply;
use crate::wire::date::Date;

/// More rows than this are not shown.
const ROWS_MAX: usize = 1_000;
/// The page asks for itself again after so many seconds.
const REFRESH_S: u32 = 5;

#[derive(Template)]
#[template(path = "status.html")]
struct Page {
    refresh_s: u32,
    kept: usize,
    live: usize,
    rows: Vec<Row>,
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
}

/// GET: the page.
pub(super) async fn show(State(front): State<Arc<Front>>) -> Response {
    let page = front.shared.with(|engine| {
        let seconds = |seconds: Option<f64>| seconds.map_or(String::new(), |s| format!("{s:.1}"));
        let rows = engine.live(
            |id, entry, now_us| Row {
                id,
                resource: entry.resource.to_string(),
                status: entry.status().name(),
                created: Date(entry.history[0].1).to_string(),
                ttl: seconds(entry.ttl(now_us)),
                waiting: seconds(entry.waiting_duration(now_us)),
                active: seconds(entry.active_duration(now_us)),
                token: entry.token.map_or(String::new(), |token| token.to_string()),
                user_data: entry.user_data.as_ref().map_or("", |data| data.get()).to_owned(),
            },
            ROWS_MAX,
        );
        let (kept, live) = engine.counts();
        Page { refresh_s: REFRESH_S, kept, live, rows }
    });
    match page.render() {
        Ok(text) => Html(text).into_response(),
        Err(error) => respond(Reply::message(500, &error.to_string())),
    }
}

/// POST of the page's form: the claim is revoked, then the page shows itself again.
pub(super) async fn revoke(
    State(front): State<Arc<Front>>,
    headers: HeaderMap,
    body: String,
) -> Response {
    let origin = front.origin(&headers);
    // A form on another site's page must not revoke claims here.
    let own = origin.base.split_once("/v1/").map(|(root, _)| root);
    let from = headers.get(ORIGIN).and_then(|from| from.to_str().ok());
    if from.is_some_and(|from| Some(from) != own) {
        return respond(Reply::message(403, "The form is not this server's"));
    }
    let Some(id) = body.strip_prefix("claim=").and_then(|id| id.parse().ok()) else {
        return respond(Reply::message(400, "A claim is a number"));
    };
    let turn = front.shared.with(|engine| engine.revoke(id, &origin));
    let reply = front.shared.answer(turn).await;
    if reply.status == 204 {
        return (StatusCode::SEE_OTHER, [(LOCATION, "/status/")]).into_response();
    }
    respond(reply)
}

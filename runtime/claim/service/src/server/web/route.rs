//! Routing: all requests are authenticated and dispatched here.
//!
//! It considers the path, the method and the Host header.

use hyper::Method;

use crate::server::access::auth::Identity;
use crate::server::access::authenticate::refuse;
use crate::server::state::reply::Reply;
use crate::server::web::http::AppState;
use crate::server::web::incoming::{IncomingRequest, claim_id};
#[cfg(feature = "cluster")]
use crate::server::web::members;
use crate::server::web::page;
use crate::server::web::response::{Response, into_response, not_allowed, not_found, respond};
use crate::wire::CLAIMS;

/// Answers a request.
pub(crate) async fn answer(app: &AppState, incoming: IncomingRequest<'_>) -> Response {
    match incoming.head.uri.path() {
        "/healthz" if incoming.is_read() => return app.health(),
        "/readyz" if incoming.is_read() => return app.ready().await,
        "/healthz" | "/readyz" => return not_allowed("GET,HEAD"),
        _ => {}
    }
    if let Some(refused) = app.refuse_host(&incoming.head) {
        return respond(refused);
    }
    let path = incoming.head.uri.path();
    match path {
        // For other clients than browsers there is nothing, as in the original protocol.
        "/" if incoming.is_read() && incoming.is_browser() => return page::index(),
        "/status/login/" if incoming.is(&Method::POST) => {
            return page::log_in(app, incoming).await;
        }
        "/status/login/" => return not_allowed("POST"),
        _ => {}
    }
    let is_page = path.starts_with("/status/");
    match app.identify(&incoming, is_page).await {
        Ok(identity) => {
            incoming.state.mark_known();
            dispatch(app, incoming, identity).await
        }
        Err(refusal) => refuse(&refusal, is_page && incoming.is(&Method::GET)),
    }
}

/// Dispatches a request by its path.
async fn dispatch(app: &AppState, incoming: IncomingRequest<'_>, identity: Identity) -> Response {
    let path = incoming.head.uri.path();
    let query = match incoming.query() {
        Ok(query) => query,
        Err(reasons) => return respond(Reply::refused(reasons)),
    };
    match path {
        CLAIMS if incoming.is_read() => {
            return app.list_claims(&incoming, &query, identity).await;
        }
        CLAIMS if incoming.is(&Method::POST) => {
            return into_response(app.post_claim(incoming, identity).await);
        }
        CLAIMS => return not_allowed("GET,HEAD,POST"),
        "/status/" if incoming.is_read() => {
            return page::show(app, &incoming, &query, &identity).await;
        }
        "/status/" => return not_allowed("GET,HEAD"),
        "/status/revoke/" if incoming.is(&Method::POST) => {
            return page::revoke(app, incoming, identity).await;
        }
        "/status/logout/" if incoming.is(&Method::POST) => {
            return page::log_out(app, &incoming);
        }
        "/status/revoke/" | "/status/logout/" => return not_allowed("POST"),
        "/metrics" if incoming.is_read() => return app.metrics().await,
        "/metrics" => return not_allowed("GET,HEAD"),
        #[cfg(feature = "cluster")]
        _ if path.starts_with("/v1/cluster/") => {
            return members::dispatch(app, incoming, &query, identity).await;
        }
        "/v1/claims" | "/status" => return app.add_slash(&incoming.head),
        _ => {}
    }
    let Some(id) = path.strip_prefix(CLAIMS) else { return not_found() };
    match id.strip_suffix('/') {
        Some(id) if id.contains('/') => not_found(),
        None if id.contains('/') => not_found(),
        None => app.add_slash(&incoming.head),
        Some(id) => {
            let id = claim_id(id);
            match &incoming.head.method {
                &Method::PATCH => into_response(app.patch_claim(incoming, id, identity).await),
                _ if incoming.is_read() => {
                    into_response(app.show_claim(&incoming, &query, id, identity).await)
                }
                _ => not_allowed("GET,HEAD,PATCH"),
            }
        }
    }
}

//! Routing: all requests are authenticated and dispatched here.
//!
//! It considers the path, the method and the Host header.

use hyper::Method;
use hyper::header::{ALLOW, HeaderValue};

use crate::server::access::auth::Identity;
use crate::server::access::authenticate::refuse;
use crate::server::state::reply::Reply;
use crate::server::web::http::AppState;
use crate::server::web::incoming::{IncomingRequest, claim_id};
use crate::server::web::page;
use crate::server::web::response::{Response, respond};
use crate::wire::CLAIMS;

impl AppState {
    /// Answers a request.
    pub(crate) async fn answer(&self, incoming: IncomingRequest<'_>) -> Response {
        match incoming.head.uri.path() {
            "/healthz" if incoming.is_read() => return self.health(),
            "/readyz" if incoming.is_read() => return self.ready().await,
            "/healthz" | "/readyz" => return not_allowed("GET,HEAD"),
            _ => {}
        }
        if let Some(refused) = self.refuse_host(&incoming.head) {
            return respond(refused);
        }
        let path = incoming.head.uri.path();
        match path {
            // For other clients than browsers there is nothing, as in the original protocol.
            "/" if incoming.is_read() && incoming.is_browser() => return page::index(),
            "/status/login/" if incoming.is(&Method::POST) => {
                return page::log_in(self, incoming).await;
            }
            "/status/login/" => return not_allowed("POST"),
            _ => {}
        }
        let is_page = path.starts_with("/status/");
        match self.identify(&incoming, is_page).await {
            Ok(identity) => {
                incoming.state.mark_known();
                self.lead(incoming, identity).await
            }
            Err(refusal) => refuse(&refusal, is_page && incoming.is(&Method::GET)),
        }
    }

    /// Dispatches a request by its path.
    async fn lead(&self, incoming: IncomingRequest<'_>, identity: Identity) -> Response {
        let path = incoming.head.uri.path();
        let query = match incoming.query() {
            Ok(query) => query,
            Err(reasons) => return respond(Reply::refused(reasons)),
        };
        match path {
            CLAIMS if incoming.is_read() => {
                return self.list_claims(&incoming, &query, identity).await;
            }
            CLAIMS if incoming.is(&Method::POST) => {
                return either(self.post_claim(incoming, identity).await);
            }
            CLAIMS => return not_allowed("GET,HEAD,POST"),
            "/status/" if incoming.is_read() => {
                return page::show(self, &incoming, &query, &identity).await;
            }
            "/status/" => return not_allowed("GET,HEAD"),
            "/status/revoke/" if incoming.is(&Method::POST) => {
                return page::revoke(self, incoming, identity).await;
            }
            "/status/logout/" if incoming.is(&Method::POST) => {
                return page::log_out(self, &incoming);
            }
            "/status/revoke/" | "/status/logout/" => return not_allowed("POST"),
            "/metrics" if incoming.is_read() => return self.metrics().await,
            "/metrics" => return not_allowed("GET,HEAD"),
            #[cfg(feature = "cluster")]
            _ if path.starts_with("/v1/cluster/") => {
                return self.lead_members(incoming, &query, identity).await;
            }
            "/v1/claims" | "/status" => return self.add_slash(&incoming.head),
            _ => {}
        }
        let Some(id) = path.strip_prefix(CLAIMS) else { return nothing() };
        match id.strip_suffix('/') {
            Some(id) if id.contains('/') => nothing(),
            None if id.contains('/') => nothing(),
            None => self.add_slash(&incoming.head),
            Some(id) => {
                let id = claim_id(id);
                match &incoming.head.method {
                    &Method::PATCH => either(self.patch_claim(incoming, id, identity).await),
                    _ if incoming.is_read() => {
                        either(self.show_claim(&incoming, &query, id, identity).await)
                    }
                    _ => not_allowed("GET,HEAD,PATCH"),
                }
            }
        }
    }
}

pub(crate) fn either(answer: Result<Reply, Reply>) -> Response {
    match answer {
        Ok(reply) | Err(reply) => respond(reply),
    }
}

pub(crate) fn nothing() -> Response {
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

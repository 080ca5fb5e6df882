//! Which path leads where, and past whom: a request is let in here and nowhere else.
//!
//! It reads the path, the method and the Host; a handler has the rest.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::Method;
use hyper::body::Incoming;
use hyper::header::{ALLOW, HeaderValue};
use hyper::http::request::Parts;

use super::admit::refuse;
use super::auth::Identity;
use super::ear::Ear;
use super::http::{Front, Response, respond};
use super::page;
use super::reply::Reply;
use super::seat::Seat;
use crate::wire::CLAIMS;

/// A request, and the connection that it came on.
pub(crate) struct Visit<'a> {
    pub(crate) head: Parts,
    pub(crate) body: Incoming,
    /// The other end of the connection.
    pub(crate) from: SocketAddr,
    pub(crate) seat: &'a Arc<Seat>,
    pub(crate) ear: &'a Ear,
}

impl Visit<'_> {
    fn is_read(&self) -> bool {
        matches!(self.head.method, Method::GET | Method::HEAD)
    }

    fn is(&self, method: &Method) -> bool {
        self.head.method == method
    }
}

impl Front {
    /// Answers a request.
    pub(crate) async fn answer(&self, visit: Visit<'_>) -> Response {
        match visit.head.uri.path() {
            "/healthz" if visit.is_read() => return self.health(),
            "/healthz" => return not_allowed("GET,HEAD"),
            _ => {}
        }
        if let Some(refused) = self.refuse_host(&visit.head) {
            return respond(refused);
        }
        let path = visit.head.uri.path();
        match path {
            "/status/login/" if visit.is(&Method::POST) => return page::log_in(self, visit).await,
            "/status/login/" => return not_allowed("POST"),
            _ => {}
        }
        let is_page = path.starts_with("/status/");
        match self.identify(&visit.head.headers, visit.from, is_page) {
            Ok(identity) => {
                visit.seat.know();
                self.lead(visit, identity).await
            }
            Err(refusal) => refuse(&refusal, is_page && visit.is(&Method::GET)),
        }
    }

    /// Leads a request to where its path says.
    async fn lead(&self, visit: Visit<'_>, identity: Identity) -> Response {
        let path = visit.head.uri.path();
        match path {
            CLAIMS if visit.is_read() => return self.list_claims(&visit, identity).await,
            CLAIMS if visit.is(&Method::POST) => {
                return either(self.post_claim(visit, identity).await);
            }
            CLAIMS => return not_allowed("GET,HEAD,POST"),
            "/status/" if visit.is_read() => return page::show(self, &visit, &identity).await,
            "/status/" => return not_allowed("GET,HEAD"),
            "/status/revoke/" if visit.is(&Method::POST) => {
                return page::revoke(self, visit, identity).await;
            }
            "/status/logout/" if visit.is(&Method::POST) => return page::log_out(self, &visit),
            "/status/revoke/" | "/status/logout/" => return not_allowed("POST"),
            "/metrics" if visit.is_read() => return self.metrics(),
            "/metrics" => return not_allowed("GET,HEAD"),
            "/v1/claims" | "/status" => return self.add_slash(&visit.head),
            _ => {}
        }
        let Some(id) = path.strip_prefix(CLAIMS) else { return nothing() };
        match id.strip_suffix('/') {
            Some(id) if id.contains('/') => nothing(),
            None if id.contains('/') => nothing(),
            None => self.add_slash(&visit.head),
            Some(id) => {
                let id = claim_id(id);
                match &visit.head.method {
                    &Method::PATCH => either(self.patch_claim(visit, id, identity).await),
                    _ if visit.is_read() => either(self.show_claim(&visit, id, identity).await),
                    _ => not_allowed("GET,HEAD,PATCH"),
                }
            }
        }
    }
}

fn either(answer: Result<Reply, Reply>) -> Response {
    match answer {
        Ok(reply) | Err(reply) => respond(reply),
    }
}

fn nothing() -> Response {
    respond(Reply::message(404, "Nothing is here"))
}

fn not_allowed(allowed: &'static str) -> Response {
    let mut response = respond(Reply::message(405, "The method is not allowed here"));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// The number of a claim in a path: digits alone, since a claim has one URL.
fn claim_id(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

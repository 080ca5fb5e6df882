//! A request as it comes in, and what its head says.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::Method;
use hyper::body::Incoming;
use hyper::header::ACCEPT;
use hyper::http::request::Parts;

use crate::server::connections::connection_state::ConnectionState;
use crate::server::connections::disconnect::DisconnectWatch;
use crate::wire::filter::Filter;
use crate::wire::query::{Query, STALE};
use crate::wire::request::FieldErrors;
use crate::wire::{CLAIMS, SNAPSHOT};

/// A request and its connection.
pub(crate) struct IncomingRequest<'a> {
    pub(crate) head: Parts,
    pub(crate) body: &'a mut Incoming,
    /// The client's address.
    pub(crate) from: SocketAddr,
    pub(crate) state: &'a Arc<ConnectionState>,
    pub(crate) disconnect: &'a DisconnectWatch,
}

impl IncomingRequest<'_> {
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.head.method, Method::GET | Method::HEAD)
    }

    /// Whether the client prefers HTML.
    pub(crate) fn is_browser(&self) -> bool {
        let accepted = self.head.headers.get(ACCEPT).and_then(|value| value.to_str().ok());
        accepted.is_some_and(|accepted| accepted.contains("text/html"))
    }

    pub(crate) fn is(&self, method: &Method) -> bool {
        self.head.method == method
    }

    /// The parameters of the query, which are those that its path has.
    pub(crate) fn query(&self) -> Result<Query, FieldErrors> {
        let path = self.head.uri.path();
        let known: &[&str] = match path {
            // Another path, to which its query goes along.
            _ if !path.ends_with('/') => return Ok(Query::default()),
            CLAIMS if self.is_read() => &Filter::KEYS,
            "/status/" | SNAPSHOT if self.is_read() => &[STALE],
            _ if self.is_read() && path.starts_with(CLAIMS) => &[STALE],
            _ if ["/v1/", "/status/"].iter().any(|prefix| path.starts_with(prefix)) => &[],
            // What is no part of the protocol, such as `/metrics`, takes any.
            _ => return Ok(Query::default()),
        };
        Query::read(self.head.uri.query().unwrap_or(""), known)
    }
}

/// The id of a claim in a path: as the server writes it, since a claim has exactly one URL.
pub(crate) fn claim_id(text: &str) -> Option<u64> {
    let id: u64 = text.parse().ok()?;
    (id.to_string() == text).then_some(id)
}

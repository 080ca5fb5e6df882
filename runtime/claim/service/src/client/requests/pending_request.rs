//! A request in progress and its result.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_rustls::rustls;
use turnstile_claim_core::message::{Lease, ResourceName};
use turnstile_host::certificates::remedy;
use turnstile_ids::number::CallId;

use crate::client::requests::answer::Answer;
use crate::client::requests::explain::no_answer;
use crate::client::requests::server_address::ServerAddress;

/// A request in progress.
#[derive(Clone, Debug)]
pub(crate) struct PendingRequest {
    /// Unique among all requests, since the core reuses its call ids.
    pub(crate) serial: u64,
    pub(crate) resource: ResourceName,
    pub(crate) at: Instant,
    /// Until when the lease that the request may grant is guaranteed.
    pub(crate) deadline: Instant,
    /// How long the server was asked to wait.
    pub(crate) wait: Duration,
    pub(crate) is_post: bool,
    pub(crate) abort: AbortHandle,
}

impl PendingRequest {
    /// How long it has taken.
    pub(crate) fn took(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.at)
    }

    /// For how long the lease that the request may grant is still guaranteed.
    pub(crate) fn left(&self, now: Instant) -> Duration {
        self.deadline.saturating_duration_since(now)
    }

    /// The lease that a response to it grants now.
    pub(crate) fn lease_at(&self, now: Instant) -> Lease {
        match self.left(now) {
            Duration::ZERO => Lease::Lapsed,
            left if left <= self.took(now) => Lease::Brief,
            _ => Lease::Live,
        }
    }
}

/// The result of a request.
#[derive(Debug)]
pub(crate) struct Received {
    pub(crate) call: CallId,
    pub(crate) serial: u64,
    /// The server that it was sent to.
    pub(crate) server: Arc<ServerAddress>,
    pub(crate) answer: Result<Answer, NoAnswer>,
}

/// Why there is no response.
#[derive(Clone, Debug)]
pub(crate) struct NoAnswer {
    pub(crate) kind: Failure,
    pub(crate) why: String,
}

/// What is known of a request without a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The connection was refused; nothing was sent.
    Refused,
    /// The server's certificate is not trusted, or it does not speak TLS: nothing was sent, and a
    /// retry is pointless.
    Untrusted,
    /// Another server has answered than before, which may have processed the request; a retry is
    /// pointless.
    Foreign,
    /// The server may have processed the request.
    Unknown,
}

impl NoAnswer {
    /// The error text for a request to this server.
    pub(crate) fn text(&self, server: &ServerAddress) -> String {
        match self.kind {
            Failure::Foreign => self.why.clone(),
            Failure::Refused | Failure::Untrusted | Failure::Unknown => {
                no_answer(server, &self.why)
            }
        }
    }
}

/// An answer of another server than before.
#[derive(Debug, thiserror::Error)]
#[error(
    "{at} is another server than before: its id is {theirs}, and was {ours}; if its claims were \
     restored from a snapshot, begin again"
)]
pub(crate) struct ForeignServer {
    pub(crate) at: String,
    pub(crate) ours: String,
    pub(crate) theirs: String,
}

/// Classifies the error of a request.
pub(crate) fn unanswered(error: &io::Error) -> NoAnswer {
    let is_foreign = error.get_ref().is_some_and(|error| error.is::<ForeignServer>());
    if is_foreign {
        return NoAnswer { kind: Failure::Foreign, why: error.to_string() };
    }
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    let (kind, why) = match tls {
        Some(rustls::Error::InvalidCertificate(why)) => {
            let remedy = remedy(why, "set TURNSTILE_CA to a PEM file with");
            (Failure::Untrusted, format!("its certificate is not trusted: {error}; {remedy}"))
        }
        Some(rustls::Error::InvalidMessage(_)) => {
            let text = format!("TLS handshake failed: {error}; does its URL begin with http://?");
            (Failure::Untrusted, text)
        }
        _ if error.kind() == io::ErrorKind::ConnectionRefused => {
            (Failure::Refused, error.to_string())
        }
        _ => (Failure::Unknown, error.to_string()),
    };
    NoAnswer { kind, why }
}

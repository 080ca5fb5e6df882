//! A request in progress and its result.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_rustls::rustls;
use turnstile_core::claim::message::{Lease, ResourceName};
use turnstile_core::number::CallId;

use super::call::Answer;
use super::server_address::ServerAddress;

/// A request in progress.
#[derive(Clone, Debug)]
pub(super) struct PendingRequest {
    /// Unique among all requests, since the core reuses its call ids.
    pub(super) serial: u64,
    pub(super) resource: ResourceName,
    pub(super) at: Instant,
    /// Until when the lease that the request may grant is guaranteed.
    pub(super) deadline: Instant,
    /// How long the server was asked to wait.
    pub(super) wait: Duration,
    pub(super) is_post: bool,
    pub(super) abort: AbortHandle,
}

impl PendingRequest {
    /// How long it has taken.
    pub(super) fn took(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.at)
    }

    /// For how long the lease that the request may grant is still guaranteed.
    pub(super) fn left(&self, now: Instant) -> Duration {
        self.deadline.saturating_duration_since(now)
    }

    /// The lease that a response to it grants now.
    pub(super) fn lease_at(&self, now: Instant) -> Lease {
        match self.left(now) {
            Duration::ZERO => Lease::Lapsed,
            left if left <= self.took(now) => Lease::Brief,
            _ => Lease::Live,
        }
    }
}

/// The result of a request.
#[derive(Debug)]
pub(super) struct Received {
    pub(super) call: CallId,
    pub(super) serial: u64,
    /// The server that it was sent to.
    pub(super) server: Arc<ServerAddress>,
    pub(super) answer: Result<Answer, NoAnswer>,
}

/// Why there is no response.
#[derive(Clone, Debug)]
pub(super) struct NoAnswer {
    pub(super) kind: Failure,
    pub(super) why: String,
}

/// What is known of a request without a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// The connection was refused; nothing was sent.
    Refused,
    /// The server's certificate is not trusted, or it does not speak TLS: nothing was sent, and a
    /// retry is pointless.
    Untrusted,
    /// The server may have processed the request.
    Unknown,
}

/// Classifies the error of a request.
pub(super) fn unanswered(error: &io::Error) -> NoAnswer {
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    let (kind, why) = match tls {
        Some(rustls::Error::InvalidCertificate(_)) => {
            let text = format!(
                "its certificate is not trusted: {error}; set TURNSTILE_CA to a PEM file with its \
                 certificate authority"
            );
            (Failure::Untrusted, text)
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

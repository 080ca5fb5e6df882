//! A request under way, and what came of it.

use std::io;

use tokio::task::AbortHandle;
use tokio::time::Instant;
use tokio_rustls::rustls;
use turnstile_core::claim::message::ResourceName;
use turnstile_core::number::CallId;

use super::call::Answer;

/// A request under way.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    /// Its number among all requests, since the core's are used again.
    pub(super) serial: u64,
    pub(super) resource: ResourceName,
    pub(super) at: Instant,
    /// Until when the lease that it may be granted can be counted on.
    pub(super) deadline: Instant,
    /// How long the server was asked to wait.
    pub(super) wait: std::time::Duration,
    pub(super) is_post: bool,
    pub(super) abort: AbortHandle,
}

/// An answer, or that there is none, to a call.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) call: CallId,
    pub(super) serial: u64,
    pub(super) answer: Result<Answer, NoAnswer>,
}

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) struct NoAnswer {
    pub(super) kind: Failure,
    pub(super) why: String,
}

/// What is known of a request without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Failure {
    /// Nobody took the connection; nothing was sent.
    Refused,
    /// The server's certificate is not trusted, or it has none to show: nothing was sent, and
    /// asking again does not help.
    Untrusted,
    /// It may have been handled.
    Unknown,
}

/// What is known of a request that ended so.
pub(super) fn unanswered(error: &io::Error) -> NoAnswer {
    let tls = error.get_ref().and_then(|error| error.downcast_ref::<rustls::Error>());
    let (kind, why) = match tls {
        Some(rustls::Error::InvalidCertificate(_)) => {
            (Failure::Untrusted, format!("its certificate is not trusted: {error}"))
        }
        Some(rustls::Error::InvalidMessage(_)) => {
            (Failure::Untrusted, format!("it does not speak TLS: {error}"))
        }
        _ if error.kind() == io::ErrorKind::ConnectionRefused => {
            (Failure::Refused, error.to_string())
        }
        _ => (Failure::Unknown, error.to_string()),
    };
    NoAnswer { kind, why }
}

//! The errors of the client. Each names the resource, the claim and the cause.

use std::fmt;

/// Why a claim failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The resource; empty if none was claimed yet.
    pub resource: String,
    /// The claim's URL at the server, once there is one.
    pub claim: Option<String>,
    /// The cause.
    pub cause: ErrorKind,
}

/// The cause of an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// The server's URL is invalid. The text has no password, query or fragment of it.
    #[error("invalid server URL {0:?}: {1}")]
    Address(String, &'static str),
    /// The certificates or the token cannot be read.
    #[error("{0}")]
    Credentials(String),
    /// A setting or argument is invalid, or a file cannot be written.
    #[error("{0}")]
    Setting(String),
    /// The system cannot create a thread or install a signal handler.
    #[error("system error: {0}")]
    System(String),
    /// This client already has a claim of the resource.
    #[error("this client has already claimed the resource, by {first}")]
    Claimed {
        /// The first claim's URL, or a text if it has none yet.
        first: String,
    },
    /// The client has the maximum number of claims.
    #[error("this client has the maximum number of claims")]
    TooMany,
    /// The ttl is too short to be renewed in time.
    #[error("a ttl of {ttl_ms} ms is too short: the minimum is {ttl_min_ms} ms")]
    TtlTooShort {
        /// The requested ttl, in milliseconds.
        ttl_ms: u64,
        /// The minimum ttl, in milliseconds.
        ttl_min_ms: u64,
    },
    /// The timeout passed before the lock was granted.
    #[error("timed out: the lock was not granted in time")]
    TimedOut,
    /// The server did not answer until the timeout, or it accepted no request; the text says which.
    #[error("{0}")]
    Unreachable(String),
    /// The server granted the lock, but its responses are so slow that the lease would end before
    /// it can be renewed, and the claim is given up; the text says how slow.
    #[error("{0}")]
    TooSlow(String),
    /// The server refused the request.
    #[error("the server refused the request: {status} {reason}")]
    Refused {
        /// The HTTP status; 0 if the core refused the request.
        status: u16,
        /// The server's explanation.
        reason: String,
    },
    /// The lease expired, or the claim was revoked; the text says which.
    #[error("the lock is lost: {0}")]
    Lost(String),
    /// The claim was withdrawn while the caller waited for it.
    #[error("the claim was abandoned")]
    Abandoned,
    /// The keychain process exited, or refused the request.
    #[error("keychain: {0}")]
    Keychain(String),
    /// The response is not valid for a claim server.
    #[error("invalid response of the server: {0}")]
    Answer(String),
}

impl ErrorKind {
    /// Whether a retry with the same client and the same claim may succeed: another client had the
    /// lock, or the server was unavailable.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::TimedOut
            | Self::Unreachable(_)
            | Self::TooSlow(_)
            | Self::Lost(_)
            | Self::Refused { .. } => true,
            Self::Address(..)
            | Self::Credentials(_)
            | Self::Setting(_)
            | Self::System(_)
            | Self::Claimed { .. }
            | Self::TooMany
            | Self::TtlTooShort { .. }
            | Self::Abandoned
            | Self::Keychain(_)
            | Self::Answer(_) => false,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.resource.is_empty() {
            write!(f, "resource {:?}", self.resource)?;
            if let Some(claim) = &self.claim {
                write!(f, ", claim {claim}")?;
            }
            f.write_str(": ")?;
        }
        self.cause.fmt(f)
    }
}

impl std::error::Error for Error {}

impl From<ErrorKind> for Error {
    fn from(cause: ErrorKind) -> Self {
        Self { resource: String::new(), claim: None, cause }
    }
}

//! What can go wrong for a user of claims. Every error names the resource, the claim and the cause.

use std::fmt;

/// Why a claim could not be had or kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What was claimed; empty where nothing was yet.
    pub resource: String,
    /// The claim's URL at the server, once there is one.
    pub claim: Option<String>,
    /// What went wrong.
    pub cause: Cause,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cause {
    /// The server's address is not one.
    #[error("{0:?} is no address of a claim server: {1}")]
    Address(String, &'static str),
    /// The certificates, or the token, cannot be read.
    #[error("{0}")]
    Credentials(String),
    /// What was asked for cannot be read, or cannot be written where it was said.
    #[error("{0}")]
    Setting(String),
    /// The machine gives no thread, or no signals.
    #[error("the system refuses: {0}")]
    System(String),
    /// This manager claims the resource already.
    #[error("this manager has claimed it already, by {first}")]
    Claimed {
        /// The first claim's URL, or that it has none yet.
        first: String,
    },
    /// The core keeps no more claims for one program.
    #[error("this manager has as many claims as it can hold")]
    TooMany,
    /// The lease would be over before it could be renewed.
    #[error("a ttl of {ttl_ms} ms is too short: at least {ttl_min_ms} ms are needed")]
    TtlTooShort {
        /// What was asked for.
        ttl_ms: u64,
        /// The least.
        ttl_min_ms: u64,
    },
    /// The lock was not to be had in time.
    #[error("the lock was not to be had in time")]
    TimedOut,
    /// The server did not answer, up to the end: which, and why not.
    #[error("{0}")]
    Unreachable(String),
    /// The server refuses.
    #[error("the server refuses: {status} {reason}")]
    Refused {
        /// The HTTP status; zero where the core alone refuses.
        status: u16,
        /// What the server said.
        reason: String,
    },
    /// The lease lapsed, or was taken away.
    #[error("the lock is lost: the lease was not renewed in time, or was taken away")]
    Lost,
    /// The claim was given up while something waited for it.
    #[error("the claim was given up")]
    GivenUp,
    /// The keychain process has ended, or refuses.
    #[error("the keychain: {0}")]
    Keychain(String),
    /// The answer is not one of a claim server.
    #[error("the answer is not one of a claim server: {0}")]
    Answer(String),
}

impl Cause {
    /// Whether it may be otherwise next time, with the same manager and the same claim: others had
    /// the lock, or the server was not up to it.
    #[must_use]
    pub const fn may_pass(&self) -> bool {
        match self {
            Self::TimedOut | Self::Unreachable(_) | Self::Lost | Self::Refused { .. } => true,
            Self::Address(..)
            | Self::Credentials(_)
            | Self::Setting(_)
            | Self::System(_)
            | Self::Claimed { .. }
            | Self::TooMany
            | Self::TtlTooShort { .. }
            | Self::GivenUp
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

impl From<Cause> for Error {
    fn from(cause: Cause) -> Self {
        Self { resource: String::new(), claim: None, cause }
    }
}

//! The messages between the client and the server of a claim, independent of HTTP.
//!
//! The host keeps durations, user data, dates and the names of resources; a core sees a
//! [`ResourceName`] as a number. Each request gets exactly one response; [`Response::unanswered`]
//! stands for every way in which no response arrives.

use core::fmt;

use turnstile_step::Symbolic;

use crate::number::{ClaimId, IdempotencyKey};
use turnstile_ids::number::{CallId, Token};

pub use turnstile_ids::fence::Caller;
pub use turnstile_ids::lease::Lease;

/// The resource of a claim, by the number that the host gives its name. Only ever compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ResourceName(pub u32);

/// The peers of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Server {
    /// The claim server.
    Claims,
    /// A store that the lock protects; it receives [`Message::Act`] only.
    Store,
}

/// A message between a client, the claim server and a store that the lock protects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Message {
    /// From a client to the claim server.
    Request(Request),
    /// From the claim server back to the client.
    Response(Response),
    /// From a client to the store: an operation that the lock protects.
    Act {
        /// The token of the client's claim; `None` if the protocol has no tokens.
        token: Option<Token>,
    },
    /// From the claim server to a client that watches a claim: it was revoked or has expired. An
    /// addition to the protocol.
    Over {
        /// The claim.
        claim: ClaimId,
    },
}

/// A request, which gets exactly one response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// The number by which the response finds the request.
    pub call: CallId,
    /// The method and its arguments.
    #[cfg_attr(feature = "serde", serde(rename = "ask"))]
    pub kind: RequestKind,
}

/// The kinds of requests to the claim server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RequestKind {
    /// POST: claim a resource.
    Post {
        /// The resource.
        resource: ResourceName,
        /// A second POST with the same key is the same claim. An addition to the protocol.
        key: Option<IdempotencyKey>,
        /// Respond only when the lock is granted or [`Timer::Wait`] fires (a long poll). An
        /// addition.
        ///
        /// [`Timer::Wait`]: super::record::Timer::Wait
        wait: bool,
    },
    /// PATCH ttl: restart the claim's ttl.
    Ttl {
        /// The claim.
        claim: ClaimId,
    },
    /// PATCH status.
    Status {
        /// The claim.
        claim: ClaimId,
        /// The requested status.
        to: TargetStatus,
    },
}

/// The statuses that a client may request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum TargetStatus {
    /// Hold the lock.
    Active {
        /// Respond only when the lock is granted or [`Timer::Wait`] fires (a long poll). An
        /// addition.
        ///
        /// [`Timer::Wait`]: super::record::Timer::Wait
        wait: bool,
    },
    /// Give the lock back.
    Released,
    /// Give the lock back because the client failed.
    Aborted,
    /// Stop waiting.
    Withdrawn,
    /// Take the lock from its holder.
    Revoked,
}

/// The response to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// The request's number.
    pub call: CallId,
    /// The HTTP status.
    pub status: u16,
    /// The claim; set in the response to a POST and in one that grants a lease.
    pub claim: Option<ClaimId>,
    /// The claim's token, if the claim is active and the server mints tokens.
    pub token: Option<Token>,
    /// Whether the lease that the response grants still runs; see [`Lease`].
    pub lease: Lease,
    /// Whether it is a rejection because the claim has expired. An addition.
    pub is_expired: bool,
}

impl Response {
    /// The pseudo status of a missing response: the request or the response was lost, the
    /// connection was reset, or the client timed out. The client cannot tell which.
    pub const UNANSWERED: u16 = 599;

    /// The pseudo status of a refused connection: nothing of the request was sent, so the server
    /// certainly has not seen it.
    pub const REFUSED: u16 = 598;

    /// A response without claim and token.
    #[must_use]
    pub const fn bare(call: CallId, status: u16) -> Self {
        let lease = Lease::Live;
        Self { call, status, claim: None, token: None, lease, is_expired: false }
    }

    /// The response that stands for a missing one.
    #[must_use]
    pub const fn unanswered(call: CallId) -> Self {
        Self::bare(call, Self::UNANSWERED)
    }

    /// The response that stands for a refused connection.
    #[must_use]
    pub const fn refused(call: CallId) -> Self {
        Self::bare(call, Self::REFUSED)
    }

    /// Whether the server may or may not have handled the request.
    #[must_use]
    pub const fn leaves_open(&self) -> bool {
        self.status >= 500 && self.status != Self::REFUSED
    }

    /// The statuses of a response by which the claim holds the lock.
    pub const GRANTS: [u16; 2] = [200, 201];

    /// Whether the claim holds the lock by this response.
    #[must_use]
    pub fn grants(&self) -> bool {
        Self::GRANTS.contains(&self.status)
    }

    /// The same response, delivered so late that its lease leaves no time for a renewal.
    #[must_use]
    pub const fn brief(self) -> Self {
        Self { lease: Lease::Brief, ..self }
    }

    /// The same response, delivered after its lease may have expired.
    #[must_use]
    pub const fn lapsed(self) -> Self {
        Self { lease: Lease::Lapsed, ..self }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(Request { call, kind }) => write!(f, "call {call}: {kind}"),
            Self::Response(response) => response.fmt(f),
            Self::Act { token: Some(token) } => write!(f, "act with token {token}"),
            Self::Act { token: None } => write!(f, "act without a token"),
            Self::Over { claim } => write!(f, "claim {claim} is over"),
        }
    }
}

impl fmt::Display for RequestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Post { resource, key, wait } => {
                write!(f, "POST resource {}", resource.0)?;
                if let Some(key) = key {
                    write!(f, " key {key}")?;
                }
                f.write_str(if *wait { AND_WAIT } else { "" })
            }
            Self::Ttl { claim } => write!(f, "PATCH claim {claim} ttl"),
            Self::Status { claim, to } => {
                write!(f, "PATCH claim {claim} status {}", to.name())?;
                let waits = matches!(to, TargetStatus::Active { wait: true });
                f.write_str(if waits { AND_WAIT } else { "" })
            }
        }
    }
}

const AND_WAIT: &str = " and wait";

impl TargetStatus {
    /// The status as the protocol spells it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Active { .. } => "active",
            Self::Released => "released",
            Self::Aborted => "aborted",
            Self::Withdrawn => "withdrawn",
            Self::Revoked => "revoked",
        }
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.status == Self::UNANSWERED {
            return write!(f, "call {}: no answer", self.call);
        }
        if self.status == Self::REFUSED {
            return write!(f, "call {}: refused", self.call);
        }
        write!(f, "call {}: {}", self.call, self.status)?;
        if self.is_expired {
            f.write_str(" expired")?;
        }
        if let Some(claim) = self.claim {
            write!(f, " claim {claim}")?;
        }
        if let Some(token) = self.token {
            write!(f, " token {token}")?;
        }
        match self.lease {
            Lease::Live => Ok(()),
            Lease::Brief => f.write_str(", its lease is brief"),
            Lease::Lapsed => f.write_str(", its lease lapsed"),
        }
    }
}

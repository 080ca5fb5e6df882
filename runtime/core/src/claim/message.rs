//! What the client and the server of a claim send each other, without a word about HTTP.
//!
//! Durations, user data, dates and the resource's name as a string are the driver's; a core sees
//! a [`ResourceName`] by number. A request is answered exactly once, if need be by
//! [`Response::unanswered`], which stands for every way in which no answer came.

use core::fmt;

use turnstile_step::Symbolic;

use crate::number::{CallId, ClaimId, IdempotencyKey, Token};

/// The resource that is claimed, as the driver numbers its name. Only ever compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ResourceName(pub u32);

/// Who sent a request, as the server's driver numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Caller(pub u64);

/// The nodes that a client speaks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Server {
    /// The claim server.
    Claims,
    /// A store behind the lock, which sees only [`Message::Act`].
    Store,
}

/// Anything that travels between a client, the claim server and a store behind the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Message {
    /// From a client to the claim server.
    Request(Request),
    /// From the claim server back to the client.
    Response(Response),
    /// From a client to the store: it does what the lock protects.
    Act {
        /// The token of the claim it is done under; `None` where the protocol has no tokens.
        token: Option<Token>,
    },
    /// From the claim server to whoever watches a claim: it was revoked or has expired. An addition
    /// to the protocol.
    Over {
        /// Which.
        claim: ClaimId,
    },
}

/// A question that is answered exactly once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Request {
    /// The client's number for it.
    pub call: CallId,
    /// What it asks for.
    pub ask: Ask,
}

/// What a client may ask of the claim server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Ask {
    /// POST: a claim of a resource.
    Post {
        /// Of which.
        resource: ResourceName,
        /// A second POST with the same key is the same claim. An addition to the protocol.
        key: Option<IdempotencyKey>,
        /// Answer only when granted, or when the server's patience ends. An addition.
        wait: bool,
    },
    /// PATCH ttl: count the claim's ttl anew.
    Ttl {
        /// Of which claim.
        claim: ClaimId,
    },
    /// PATCH status.
    Status {
        /// Of which claim.
        claim: ClaimId,
        /// The status asked for.
        to: Asked,
    },
}

/// The statuses that a client may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Asked {
    /// To hold the lock.
    Active {
        /// Answer only when granted, or when the server's patience ends. An addition.
        wait: bool,
    },
    /// To be done with it.
    Released,
    /// To be done with it, because the client fails.
    Aborted,
    /// To wait no longer.
    Withdrawn,
    /// To take it from its holder.
    Revoked,
}

/// Whether the lease that an answer grants can still be counted on when the answer is heard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Lease {
    /// Counted from when the request was sent, it still runs.
    Live,
    /// It may be over already.
    Lapsed,
}

/// The one answer to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Response {
    /// The request's number.
    pub call: CallId,
    /// The HTTP status.
    pub status: u16,
    /// The claim, in the answer to a POST and in one that grants a lease.
    pub claim: Option<ClaimId>,
    /// The claim's token, if it is active and the server mints them.
    pub token: Option<Token>,
    /// Written by the server as live; whoever delivers the answer sets it.
    pub lease: Lease,
    /// It is a refusal, and says that the claim has expired. An addition.
    pub is_expired: bool,
}

impl Response {
    /// Stands for the answer that will never come: the request was lost, or its answer, the
    /// connection was reset, or the waiting was given up. Nobody knows which.
    pub const UNANSWERED: u16 = 599;

    /// Stands for the answer to a request that nobody took: the connection was refused before
    /// anything of it was sent, and it is certain that the server knows nothing of it.
    pub const REFUSED: u16 = 598;

    /// An answer without claim and token.
    #[must_use]
    pub const fn bare(call: CallId, status: u16) -> Self {
        let lease = Lease::Live;
        Self { call, status, claim: None, token: None, lease, is_expired: false }
    }

    /// What a client hears when no answer comes.
    #[must_use]
    pub const fn unanswered(call: CallId) -> Self {
        Self::bare(call, Self::UNANSWERED)
    }

    /// What a client hears when nobody took its request.
    #[must_use]
    pub const fn refused(call: CallId) -> Self {
        Self::bare(call, Self::REFUSED)
    }

    /// Whether the server may have handled the request, as far as this answer tells.
    #[must_use]
    pub const fn leaves_open(&self) -> bool {
        self.status >= 500 && self.status != Self::REFUSED
    }

    /// The statuses with which a server says that the claim holds the lock.
    pub const GRANTS: [u16; 2] = [200, 201];

    /// Whether the answer says that the claim holds the lock.
    #[must_use]
    pub fn grants(&self) -> bool {
        Self::GRANTS.contains(&self.status)
    }

    /// The same answer, heard after the lease it grants may have lapsed.
    #[must_use]
    pub const fn lapsed(self) -> Self {
        Self { lease: Lease::Lapsed, ..self }
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request(Request { call, ask }) => write!(f, "call {call}: {ask}"),
            Self::Response(response) => response.fmt(f),
            Self::Act { token: Some(token) } => write!(f, "act with token {token}"),
            Self::Act { token: None } => write!(f, "act without a token"),
            Self::Over { claim } => write!(f, "claim {claim} is over"),
        }
    }
}

impl fmt::Display for Ask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Post { resource, key, wait } => {
                write!(f, "POST resource {}", resource.0)?;
                if let Some(key) = key {
                    write!(f, " key {key}")?;
                }
                write_wait(f, *wait)
            }
            Self::Ttl { claim } => write!(f, "PATCH claim {claim} ttl"),
            Self::Status { claim, to } => {
                write!(f, "PATCH claim {claim} status {}", to.name())?;
                write_wait(f, matches!(to, Asked::Active { wait: true }))
            }
        }
    }
}

fn write_wait(f: &mut fmt::Formatter<'_>, wait: bool) -> fmt::Result {
    f.write_str(if wait { " and wait" } else { "" })
}

impl Asked {
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
            Lease::Lapsed => f.write_str(", its lease lapsed"),
        }
    }
}

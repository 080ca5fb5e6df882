//! Why a claim changes: the request that causes it, and its origin.

use turnstile_claim_core::message::{RequestKind, TargetStatus};

use crate::server::access::auth::Identity;
use crate::server::access::origin::RequestOrigin;

/// The request that causes a change, and its origin.
#[derive(Clone, Debug)]
pub(crate) struct AuditCause {
    pub(super) identity: Identity,
    pub(super) request: &'static str,
    /// The claim that the request names; `None` for a POST.
    pub(super) claim: Option<u64>,
}

impl AuditCause {
    pub(crate) const fn new(identity: Identity, request: &'static str, claim: Option<u64>) -> Self {
        Self { identity, request, claim }
    }

    pub(crate) fn of(ask: &RequestKind, origin: &RequestOrigin) -> Self {
        let (request, claim) = match ask {
            RequestKind::Post { .. } => ("POST", None),
            RequestKind::Ttl { claim } => ("PATCH ttl", Some(claim.number())),
            RequestKind::Status { claim, to } => {
                let request = match to {
                    TargetStatus::Active { .. } => "PATCH status=active",
                    TargetStatus::Released => "PATCH status=released",
                    TargetStatus::Aborted => "PATCH status=aborted",
                    TargetStatus::Withdrawn => "PATCH status=withdrawn",
                    TargetStatus::Revoked => "PATCH status=revoked",
                };
                (request, Some(claim.number()))
            }
        };
        Self::new(origin.identity.clone(), request, claim)
    }
}

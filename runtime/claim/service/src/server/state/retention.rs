//! The limits on claims, and on how long they are kept.

use turnstile_claim_core::record::Limits;

/// The limits on claims and on how long they are kept, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retention {
    pub(crate) limits: Limits,
    /// The time after its `Claim-Timeout` in which a client can still withdraw its claim.
    pub(crate) leave_us: u64,
    /// How long a waiting claim is kept without a request for it.
    pub(crate) unasked_us: u64,
    /// How long a lapsed claim stays active without a renewal or a contender.
    pub(crate) lapse_us: u64,
    /// The limits on waiting and active claims.
    pub(crate) quotas: Quotas,
    /// The maximum number of requests that wait for a lock.
    pub(crate) waits_max: usize,
    /// There is no store.
    pub(crate) is_volatile: bool,
    /// There is an audit log.
    pub(crate) is_audited: bool,
}

/// The maximum number of waiting and active claims; a POST above it is answered with 429.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// In all.
    pub claims_max: usize,
    /// Per owner (token name), including claims created before a restart.
    pub claims_per_owner_max: usize,
}

impl Default for Quotas {
    fn default() -> Self {
        Self { claims_max: 2_000_000, claims_per_owner_max: 500_000 }
    }
}

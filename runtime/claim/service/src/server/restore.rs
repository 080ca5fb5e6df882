//! Restores the engine from the store at the start of the server.
//!
//! The core decides how a restart changes a claim.

use turnstile_claim_core::record::{Limits, Records};
use turnstile_host::{Clock, Engine, HostState, Observer};

use super::quota::Quotas;
use super::saved::Loaded;
use super::service::ClaimService;

/// The limits on claims and on how long they are kept, in microseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Retention {
    pub(super) limits: Limits,
    /// The time after its `Claim-Timeout` in which a client can still withdraw its claim.
    pub(super) leave_us: u64,
    /// How long a waiting claim is kept without a request for it.
    pub(super) unasked_us: u64,
    /// How long a lapsed claim stays active without a renewal or a contender.
    pub(super) lapse_us: u64,
    /// The limits on waiting and active claims.
    pub(super) quotas: Quotas,
    /// The maximum number of requests that wait for a lock.
    pub(super) waits_max: usize,
    /// There is no store.
    pub(super) is_volatile: bool,
    /// There is an audit log.
    pub(super) is_audited: bool,
}

/// Restores the engine. Leases are extended by the outage, in which they could not be renewed.
pub(super) fn open(
    found: Loaded,
    retention: Retention,
    wall_us: u64,
    observer: Option<Observer<Records>>,
) -> HostState<ClaimService> {
    let Loaded { meta, mut index, claims, .. } = found;
    let is_new = meta.is_none() && claims.is_empty();
    let mut meta = meta.unwrap_or_default();
    let clock = Clock::start(wall_us, meta.alive);
    let now = clock.now();
    let outage_us = now.at_us - meta.alive.at_us;
    meta.outages_us += outage_us;
    index.prolong(meta.outages_us);
    let (_, live) = index.counts();
    if !is_new && live > 0 {
        let seconds = outage_us as f64 / 1e6;
        tracing::info!(seconds, live, "the server was down: prolonged the leases by this time");
    }
    let saved = meta.saved(claims);
    let is_volatile = retention.is_volatile;
    let core = Records::new(retention.limits);
    let mut engine = Engine::new(core, ClaimService::new(index, meta, retention), observer);
    engine.restart(now, (!is_new).then_some(saved), live);
    HostState::new(engine, clock, is_volatile)
}

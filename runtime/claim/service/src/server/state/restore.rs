//! Restores the engine from the store at the start of the server.
//!
//! The core decides how a restart changes a claim.

use turnstile_claim_core::record::Records;
use turnstile_host::{Clock, Engine, HostState, Observer};

use crate::server::state::retention::Retention;
use crate::server::state::saved::Loaded;
use crate::server::state::service::ClaimService;

/// Restores the engine. Leases are extended by the outage, in which they could not be renewed.
pub(crate) fn open(
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

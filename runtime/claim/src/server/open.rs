//! A start: what the store holds becomes the engine's again.
//!
//! Nobody is answered here. What a restart does to a claim is the core's.

use turnstile_core::claim::record::{Limits, Records, Saved};
use turnstile_core::number::{ClaimId, Token};
use turnstile_host::{Clock, Engine, HostState, Observer};

use super::quota::Quotas;
use super::saved::Found;
use super::service::Claims;

/// How much is kept, and for how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    pub(super) limits: Limits,
    /// How long a client that has said how long it waits has to say that it waits no longer.
    pub(super) leave_us: u64,
    /// How long a claim may wait without anybody asking for it.
    pub(super) unasked_us: u64,
    /// How long a claim whose ttl is over stays though nobody wants it or its resource.
    pub(super) lapse_us: u64,
    /// How many claims are taken in.
    pub(super) quotas: Quotas,
    /// How many requests wait for a lock at a time.
    pub(super) waits_max: usize,
    /// Nothing is written at all.
    pub(super) is_volatile: bool,
    /// There is an audit log.
    pub(super) is_audited: bool,
}

/// Takes up what the store holds. Leases are longer by as long as nobody could renew them.
pub(super) fn open(
    found: Found,
    terms: Terms,
    wall_us: u64,
    observer: Option<Observer<Records>>,
) -> HostState<Claims> {
    let Found { meta, mut book, claims, .. } = found;
    let is_new = meta.is_none() && claims.is_empty();
    let mut meta = meta.unwrap_or_default();
    let clock = Clock::start(wall_us, meta.alive);
    let now = clock.now();
    meta.outages_us += now.at_us - meta.alive.at_us;
    book.prolong(meta.outages_us);
    let (_, live) = book.counts();
    let (last_claim, last_token) = (ClaimId::new(meta.last_claim), Token::new(meta.last_token));
    let saved = Saved { claims, last_claim, last_token };
    let is_volatile = terms.is_volatile;
    let core = Records::new(terms.limits);
    let mut engine = Engine::new(core, Claims::new(book, meta, terms), observer);
    engine.restart(now, (!is_new).then_some(saved), live);
    HostState::new(engine, clock, is_volatile)
}

//! A start: what the store holds becomes the engine's again.
//!
//! Nobody is answered here. What a restart does to a claim is the core's.

use std::collections::{BTreeSet, HashMap};

use turnstile_core::claim::record::{Limits, Records, Saved};
use turnstile_core::number::{ClaimId, Token};
use turnstile_core::scenario::server_words;
use turnstile_step::{Core as _, Input, OutOf};

use super::call::Outbox;
use super::clock::Clock;
use super::engine::Engine;
use super::metrics::Metrics;
use super::quota::Quotas;
use super::saved::Found;
use crate::trace::Trace;
use turnstile_host::Timers;

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

impl Engine {
    /// Takes up what the store holds. Leases are longer by as long as nobody could renew them.
    pub(super) fn open(found: Found, terms: Terms, wall_us: u64, trace: Option<Trace>) -> Self {
        let Found { meta, mut book, claims } = found;
        let is_new = meta.is_none() && claims.is_empty();
        let mut meta = meta.unwrap_or_default();
        let clock = Clock::start(wall_us, meta.alive);
        meta.outages_us += clock.now_us() - meta.alive.at_us;
        book.prolong(meta.outages_us);
        let core = Records::new(terms.limits);
        let mut timers = Timers::default();
        let (_, live) = book.counts();
        timers.reserve(live);
        if let Some(trace) = &trace {
            trace.enter(&server_words(terms.limits));
        }
        let mut engine = Self {
            state: core.start(),
            core,
            out: OutOf::<Records>::default(),
            book,
            changed: BTreeSet::new(),
            meta,
            timers,
            calls: HashMap::new(),
            watches: HashMap::new(),
            last_caller: 0,
            clock,
            outbox: Outbox::default(),
            is_unsynced: false,
            is_failed: false,
            terms,
            is_ending: false,
            metrics: Metrics::default(),
            cause: None,
            trace,
        };
        let last_claim = ClaimId::new(meta.last_claim);
        let last_token = Token::new(meta.last_token);
        let saved = Saved { claims, last_claim, last_token };
        engine.drive(Input::Restart((!is_new).then_some(saved)), None);
        // No later step has as many effects.
        engine.out = OutOf::<Records>::default();
        engine
    }
}

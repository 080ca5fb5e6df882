//! A start: what the store holds becomes the engine's again.
//!
//! Nobody is answered here. What a restart does to a claim is the core's.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::io;

use turnstile_core::claim::record::{Limits, Records, Saved};
use turnstile_core::number::{ClaimId, Token};
use turnstile_core::scenario::server_words;
use turnstile_core::step::OutOf;
use turnstile_core::{Core as _, Input};

use super::book::Book;
use super::call::Outbox;
use super::clock::Clock;
use super::engine::Engine;
use super::metrics::Metrics;
use super::quota::Quotas;
use super::saved;
use crate::store::Image;
use crate::timers::Timers;
use crate::trace::Trace;

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
    pub(super) fn open(
        image: &Image,
        terms: Terms,
        wall_us: u64,
        trace: Option<Trace>,
    ) -> io::Result<Self> {
        let found = saved::read(image)?;
        let clock = Clock::start(wall_us, found.meta.alive);
        let core = Records::new(terms.limits);
        if let Some(trace) = &trace {
            trace.enter(&server_words(terms.limits));
        }
        let mut engine = Self {
            state: core.start(),
            core,
            out: OutOf::<Records>::default(),
            book: Book::default(),
            kept: HashMap::new(),
            changed: BTreeSet::new(),
            meta: found.meta,
            timers: Timers::default(),
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
        let outage_us = clock.now_us() - found.meta.alive.at_us;
        let mut claims = BTreeMap::new();
        for (id, kept, mut entry) in found.claims {
            entry.due_us = entry.due_us.map(|due_us| due_us.saturating_add(outage_us));
            claims.insert(ClaimId::new(id), Some(kept));
            engine.kept.insert(id, kept);
            engine.book.add(id, entry);
        }
        engine.book.settle();
        let last_claim = ClaimId::new(found.meta.last_claim);
        let last_token = Token::new(found.meta.last_token);
        let saved = Saved { claims, last_claim, last_token };
        engine.drive(Input::Restart((!image.is_empty()).then_some(saved)), None);
        Ok(engine)
    }
}

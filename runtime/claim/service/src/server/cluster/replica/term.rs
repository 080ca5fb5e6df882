//! The beginning of a term.

use std::collections::BTreeMap;

use turnstile_claim_core::record::Records;
#[cfg(test)]
use turnstile_claim_core::record::SavedClaim;
use turnstile_host::Moment;

#[cfg(test)]
use super::{ClaimIndex, ClaimService, Engine, Meta, host};
use super::{Head, NewTerm, Replica, Stamp};

impl Replica {
    /// A leader begins: requests that wait are answered that they wait, the core starts again, and
    /// each lease that had not lapsed gets its whole ttl again.
    pub(super) fn begin_term(
        &mut self,
        stamp: Stamp,
        new: NewTerm,
        restart: fn(&mut Self, u64, Moment),
    ) -> Result<bool, String> {
        self.check_name(&new.cluster)?;
        if stamp.term <= self.head.term {
            return Ok(false);
        }
        let lapsed_us = self.head.last_us;
        let at_us = stamp.at_us.max(lapsed_us);
        let (term, in_force) = (stamp.term, Some(new));
        let taken = BTreeMap::new();
        self.head = Head { term, began_us: at_us, last_us: at_us, in_force, taken };
        self.begin_leases(lapsed_us, restart);
        Ok(true)
    }

    /// The leader of the term has heard from no majority for a while, and does again. Whether it is
    /// of the present term.
    pub(super) fn renew(&mut self, stamp: Stamp) -> bool {
        let is_present = stamp.term == self.head.term;
        if is_present {
            let lapsed_us = self.head.last_us;
            self.head.last_us = lapsed_us.max(stamp.at_us);
            self.begin_leases(lapsed_us, Self::restart);
        }
        is_present
    }

    fn begin_leases(&mut self, lapsed_us: u64, restart: fn(&mut Self, u64, Moment)) {
        let now = self.last();
        self.host.set_now(now);
        self.host.engine.end_waits(now);
        self.deliver();
        restart(self, lapsed_us, now);
        self.clock.applied(self.head.term, self.head.last_us);
    }

    /// What a restart from what the core has saved does, without building again what stays.
    pub(super) fn restart(&mut self, lapsed_us: u64, now: Moment) {
        let retention = self.limits().retention(self.outlet.0.is_some());
        let engine = &mut self.host.engine;
        engine.service.index.renew(lapsed_us, now.at_us);
        engine.service.retention = retention;
        let core = Records::new(retention.limits);
        engine.restart_in_place(now, core, Records::restart_in_place);
    }

    /// As [`Replica::apply`] of the beginning of a term, by a restart from what the core has saved.
    #[cfg(test)]
    pub(in crate::server::cluster) fn begin_term_from_saved(
        &mut self,
        stamp: Stamp,
        new: NewTerm,
    ) -> bool {
        let is_begun = self.begin_term(stamp, new, Self::restart_from_saved);
        self.deliver();
        is_begun.expect("it is of this cluster")
    }

    #[cfg(test)]
    fn restart_from_saved(&mut self, lapsed_us: u64, now: Moment) {
        let retention = self.limits().retention(self.outlet.0.is_some());
        let service = ClaimService::new(ClaimIndex::default(), Meta::default(), retention);
        let core = Records::new(retention.limits);
        let empty = host(Engine::new(core.clone(), service, None), now);
        let before = std::mem::replace(&mut self.host, empty).engine;
        let claims = before.state().claims();
        let claims = claims.map(|(id, record)| (id, Some(SavedClaim::of(record))));
        let saved = before.service.meta.saved(claims);
        let mut service = before.service;
        service.index.renew(lapsed_us, now.at_us);
        service.retention = retention;
        let (_, live) = service.index.counts();
        let mut engine = Engine::new(core, service, None);
        engine.restart(now, Some(saved), live);
        self.host = host(engine, now);
    }
}

//! Quotas: the maximum number of waiting and active claims, in all and per owner.
//!
//! The core has the limits on claims that wait for one resource and on finished claims.

use turnstile_claim_core::number::IdempotencyKey;

use crate::server::access::origin::RequestOrigin;
use crate::server::state::claim_engine::ClaimEngine;
use crate::server::state::record::ClaimRecord;
use crate::server::state::reply::Reply;
use crate::server::state::retention::Quotas;
use crate::server::state::service::holder;

impl ClaimEngine<'_> {
    /// The 429 for a POST above a quota. A repeated POST creates no claim and passes.
    pub(crate) fn refuse_beyond_quotas(
        &self,
        resource: &str,
        key: Option<IdempotencyKey>,
        origin: &RequestOrigin,
    ) -> Option<Reply> {
        let Quotas { claims_max, claims_per_owner_max } = self.retention.quotas;
        let (_, live) = self.index.counts();
        // The new claim replaces a lapsed one.
        let lapsed = self.lapsed(resource);
        let is_beyond = |owner: &str| {
            let takes_over = lapsed.is_some_and(|lapsed| lapsed.owner.as_deref() == Some(owner));
            self.index.live_of(owner) >= claims_per_owner_max && !takes_over
        };
        let text = if live >= claims_max && lapsed.is_none() {
            format!("This server already has {claims_max} waiting and active claims")
        } else if origin.identity.name.as_deref().is_some_and(is_beyond) {
            format!("This owner already has {claims_per_owner_max} waiting and active claims")
        } else {
            return None;
        };
        let is_repeated = key.is_some_and(|key| self.0.engine.state().keyed(key).is_some());
        (!is_repeated).then(|| Reply::message(429, &text))
    }

    /// The claim that holds a resource although its lease has lapsed.
    fn lapsed(&self, resource: &str) -> Option<&ClaimRecord> {
        let holder =
            self.index.known(resource).and_then(|number| holder(self.0.engine.state(), number))?;
        let holder = self.index.entry(holder)?;
        holder.ttl(self.now_us()).filter(|left| *left <= 0.0).map(|_| holder)
    }
}

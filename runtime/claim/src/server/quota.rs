//! How many claims may wait or be active, in all and of one owner: no more are taken in than that.
//!
//! How many wait for one resource, and how many are kept once they are over, the core knows.

use turnstile_core::number::IdempotencyKey;

use super::call::Origin;
use super::engine::Engine;
use super::entry::Entry;
use super::reply::Reply;
use super::service::holder;

/// How many claims may wait or be active; a POST beyond it is answered 429.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quotas {
    /// In all.
    pub claims_max: usize,
    /// Of one owner: tokens of one name have made them, in whichever life of the server.
    pub claims_per_owner_max: usize,
}

impl Default for Quotas {
    fn default() -> Self {
        Self { claims_max: 2_000_000, claims_per_owner_max: 500_000 }
    }
}

impl Engine<'_> {
    /// What a POST is told for which there is no room. A repeated one makes no claim.
    pub(super) fn refuse_beyond_quotas(
        &self,
        resource: &str,
        key: Option<u64>,
        origin: &Origin,
    ) -> Option<Reply> {
        let Quotas { claims_max, claims_per_owner_max } = self.terms.quotas;
        let (_, live) = self.book.counts();
        // The new claim puts an end to it: one comes, one goes.
        let lapsed = self.lapsed(resource);
        let is_beyond = |owner: &str| {
            let takes_over = lapsed.is_some_and(|lapsed| lapsed.owner.as_deref() == Some(owner));
            self.book.live_of(owner) >= claims_per_owner_max && !takes_over
        };
        let text = if live >= claims_max && lapsed.is_none() {
            format!("No more than {claims_max} claims wait or are active on this server")
        } else if origin.identity.name.as_deref().is_some_and(is_beyond) {
            format!("No more than {claims_per_owner_max} claims of one owner wait or are active")
        } else {
            return None;
        };
        let is_repeated =
            key.is_some_and(|key| self.0.engine.state().keyed(IdempotencyKey::new(key)).is_some());
        (!is_repeated).then(|| Reply::message(429, &text))
    }

    /// The claim that holds a resource although its lease has lapsed.
    fn lapsed(&self, resource: &str) -> Option<&Entry> {
        let holder =
            self.book.known(resource).and_then(|number| holder(self.0.engine.state(), number))?;
        let holder = self.book.entry(holder)?;
        holder.ttl(self.now_us()).filter(|left| *left <= 0.0).map(|_| holder)
    }
}

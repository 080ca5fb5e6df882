//! The server's data of a claim beyond the core: dates, durations, lease, names, user data.
//!
//! It follows from the core's effects.

use std::sync::Arc;

use serde_json::value::RawValue;
use turnstile_claim_core::number::IdempotencyKey;
use turnstile_claim_core::record::{SavedClaim, Status};
use turnstile_claim_machines::claim_record as machine;

use crate::server::access::auth::Identity;
use crate::server::access::origin::RequestOrigin;
use crate::wire::claim::{ClaimBody, StatusChange};
use crate::wire::date::Date;
use crate::wire::filter::Filter;
use turnstile_host::Moment;

/// The data of a POST.
#[derive(Debug)]
pub(crate) struct NewClaim {
    /// The number of the resource.
    pub(crate) number: u32,
    pub(crate) resource: Arc<str>,
    pub(crate) ttl_us: u64,
    /// The user data, unchanged.
    pub(crate) user_data: Option<Box<RawValue>>,
    pub(crate) digest: u64,
    /// The name of the request's token.
    pub(crate) owner: Option<Arc<str>>,
}

/// The history and lease of a claim.
#[derive(Clone, Debug)]
pub(crate) struct ClaimRecord {
    /// The resource's number in the core.
    pub number: u32,
    /// The core's state of the claim, as it was last saved.
    pub at: machine::State,
    /// The idempotency key of the POST, as the core has it.
    pub key: Option<IdempotencyKey>,
    /// The resource's name.
    pub resource: Arc<str>,
    /// Unchanged.
    pub user_data: Option<Box<RawValue>>,
    /// The name of the token that created the claim.
    pub owner: Option<Arc<str>>,
    /// The hash of the POST's data: a repeated idempotency key must have the same.
    pub digest: u64,
    /// The ttl of the POST or of the last successful PATCH, in microseconds.
    pub ttl_us: u64,
    /// When the lease lapses, in microseconds; only while the claim is active.
    pub due_us: Option<u64>,
    /// Until when its client waits for the lock, if it has said so; only while the claim waits.
    pub until_us: Option<u64>,
    /// The fencing token, assigned at the activation.
    pub token: Option<u64>,
    /// Oldest first; never empty.
    pub history: Vec<(Status, Moment)>,
}

impl ClaimRecord {
    /// A claim without lease, timeout and token.
    pub(crate) fn new(new: NewClaim, history: Vec<(Status, Moment)>) -> Self {
        let NewClaim { number, resource, ttl_us, user_data, digest, owner } = new;
        let (due_us, until_us, token) = (None, None, None);
        Self {
            number,
            at: machine::State::New,
            key: None,
            resource,
            user_data,
            owner,
            digest,
            ttl_us,
            due_us,
            until_us,
            token,
            history,
        }
    }

    /// Records what the core has saved of the claim. Its token is recorded with its status.
    pub(crate) fn keep(&mut self, saved: SavedClaim) {
        let SavedClaim { resource: _, at, token: _, key } = saved;
        (self.at, self.key) = (at, key);
    }

    /// Records a new status.
    pub(crate) fn became(&mut self, status: Status, token: Option<u64>, now: Moment) {
        self.history.reserve_exact(1);
        self.history.push((status, now));
        self.token = token.or(self.token);
        if status != Status::Active {
            self.due_us = None;
        }
        if status != Status::Waiting {
            self.until_us = None;
        }
    }

    pub(crate) fn status(&self) -> Status {
        self.history.last().expect("a claim begins with a status").0
    }

    /// The remaining seconds of the ttl; negative after it has lapsed.
    pub(crate) fn ttl(&self, now_us: u64) -> Option<f64> {
        self.due_us.map(|due_us| (due_us as f64 - now_us as f64) / 1e6)
    }

    /// The seconds for which the claim was active.
    pub(crate) fn active_duration(&self, now_us: u64) -> Option<f64> {
        self.duration(Status::Active, now_us)
    }

    /// The seconds for which the claim waited.
    pub(crate) fn waiting_duration(&self, now_us: u64) -> Option<f64> {
        self.duration(Status::Waiting, now_us)
    }

    /// The time from a status to the next one, or to now; at least a microsecond.
    fn duration(&self, of: Status, now_us: u64) -> Option<f64> {
        let at = self.history.iter().position(|(status, _)| *status == of)?;
        let until_us = self.history.get(at + 1).map_or(now_us, |(_, next)| next.at_us);
        Some(until_us.saturating_sub(self.history[at].1.at_us).max(1) as f64 / 1e6)
    }

    pub(crate) fn is_wanted(&self, filter: &Filter, now_us: u64) -> bool {
        filter.status.is_none_or(|status| self.status() == status)
            && filter.ttl.holds(self.ttl(now_us))
            && filter.active_duration.holds(self.active_duration(now_us))
            && filter.waiting_duration.holds(self.waiting_duration(now_us))
    }

    /// The user data, if this client may read it.
    pub(crate) fn data_for(&self, identity: &Identity) -> Option<&RawValue> {
        let may_read = identity.may_change(self.owner.as_deref());
        self.user_data.as_deref().filter(|_| may_read)
    }

    /// The JSON body of the claim for this client.
    pub(crate) fn body(&self, id: u64, origin: &RequestOrigin, now_us: u64) -> ClaimBody<'_> {
        let change = |(status, at): &(Status, Moment)| StatusChange {
            status: *status,
            timestamp: Date(at.date_us),
        };
        ClaimBody {
            url: format!("{}{id}/", origin.base),
            resource: &self.resource,
            status: self.status(),
            created: Date(self.history[0].1.date_us),
            status_history: self.history.iter().map(change).collect(),
            ttl: self.ttl(now_us),
            active_duration: self.active_duration(now_us),
            waiting_duration: self.waiting_duration(now_us),
            user_data: self.data_for(&origin.identity),
            fencing_token: self.token,
            owner: self.owner.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::server::state::record::*;

    /// A date that has nothing to do with the time.
    const fn at(at_us: u64) -> Moment {
        Moment { at_us, date_us: 7 }
    }

    fn entry(history: &[(Status, u64)]) -> ClaimRecord {
        ClaimRecord {
            number: 0,
            at: machine::State::Active,
            key: None,
            resource: "r".into(),
            user_data: None,
            owner: None,
            digest: 0,
            ttl_us: 20_000_000,
            due_us: Some(5_000_000),
            until_us: None,
            token: None,
            history: history.iter().map(|(status, at_us)| (*status, at(*at_us))).collect(),
        }
    }

    #[test]
    fn durations_run_while_a_status_lasts_and_freeze_with_the_next() {
        use Status::{Active, Released, Waiting};
        let waiting = entry(&[(Waiting, 1_000_000)]);
        assert_eq!(waiting.waiting_duration(3_500_000), Some(2.5));
        assert_eq!(waiting.active_duration(3_500_000), None);

        let active = entry(&[(Waiting, 1_000_000), (Active, 1_000_000)]);
        assert_eq!(active.waiting_duration(9_000_000), Some(0.000_001));
        assert_eq!(active.active_duration(1_000_000), Some(0.000_001));
        assert_eq!(active.ttl(4_000_000), Some(1.0));
        assert_eq!(active.ttl(6_000_000), Some(-1.0));

        let mut released = active;
        released.became(Released, None, at(2_000_000));
        assert_eq!(released.active_duration(9_000_000), Some(1.0));
        assert_eq!(released.ttl(4_000_000), None);
    }
}

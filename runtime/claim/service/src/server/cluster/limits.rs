//! The limits that decide about requests. They are in the log, so that members with different
//! options agree: those of the leader are in force from the beginning of its term.

use serde::{Deserialize, Serialize};
use turnstile_claim_core::record::Limits;

use crate::server::state::retention::{Quotas, Retention};
use crate::wire::request::Bounds;

/// The limits in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LimitsInForce {
    waiters_max: u64,
    finished_max: u64,
    unasked_us: u64,
    leave_us: u64,
    lapse_us: u64,
    claims_max: u64,
    claims_per_owner_max: u64,
    resource_max: u64,
    user_data_max: u64,
    ttl_min_us: u64,
    ttl_max_us: u64,
}

impl LimitsInForce {
    pub(crate) const fn new(retention: &Retention, bounds: &Bounds) -> Self {
        Self {
            waiters_max: retention.limits.waiters_max as u64,
            finished_max: retention.limits.finished_max as u64,
            unasked_us: retention.unasked_us,
            leave_us: retention.leave_us,
            lapse_us: retention.lapse_us,
            claims_max: retention.quotas.claims_max as u64,
            claims_per_owner_max: retention.quotas.claims_per_owner_max as u64,
            resource_max: bounds.resource_max as u64,
            user_data_max: bounds.user_data_max as u64,
            ttl_min_us: bounds.ttl_min_us,
            ttl_max_us: bounds.ttl_max_us,
        }
    }

    /// The limits on fields of requests.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds {
            resource_max: size(self.resource_max),
            user_data_max: size(self.user_data_max),
            ttl_min_us: self.ttl_min_us,
            ttl_max_us: self.ttl_max_us,
        }
    }

    /// The limits on claims. How many requests wait is a matter of each member.
    pub(super) fn retention(&self, is_audited: bool) -> Retention {
        Retention {
            limits: Limits {
                waiters_max: size(self.waiters_max),
                finished_max: size(self.finished_max),
            },
            leave_us: self.leave_us,
            unasked_us: self.unasked_us,
            lapse_us: self.lapse_us,
            quotas: Quotas {
                claims_max: size(self.claims_max),
                claims_per_owner_max: size(self.claims_per_owner_max),
            },
            waits_max: usize::MAX,
            is_volatile: true,
            is_audited,
        }
    }
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

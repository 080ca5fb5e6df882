//! The durations of a client's timers: renewal, timeouts, backoff with jitter, the lease's margin.
//!
//! The core decides which timer runs when.

use std::time::Duration;

use turnstile_claim_machines::claim::Resource;
pub use turnstile_host::Rng;

use super::error::ErrorKind;

/// The minimum ttl that leaves time for a renewal and one retry.
const TTL_MIN: Duration = Duration::from_millis(100);
/// The maximum duration of a timer, about ten years.
const FOR_EVER: Duration = Duration::from_secs(10 * 366 * 86_400);

/// A claim's durations.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetryPolicy {
    pub(super) ttl: Duration,
    pub(super) timeout: Option<Duration>,
}

/// # Errors
/// The ttl is shorter than [`TTL_MIN`].
pub(super) fn check_ttl(ttl: Duration) -> Result<(), ErrorKind> {
    let ms = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    if ttl < TTL_MIN {
        return Err(ErrorKind::TtlTooShort { ttl_ms: ms(ttl), ttl_min_ms: ms(TTL_MIN) });
    }
    Ok(())
}

/// The first and the longest delay of an exponential backoff.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoff {
    first: Duration,
    longest: Duration,
}

/// Aborting should be fast.
pub(super) const QUICK: Backoff = Backoff::ms(20, 500);
/// The backoff of all other retries.
pub(super) const STEADY: Backoff = Backoff::ms(50, 5_000);

impl Backoff {
    const fn ms(first: u64, longest: u64) -> Self {
        Self { first: Duration::from_millis(first), longest: Duration::from_millis(longest) }
    }

    /// The delay before this attempt, uniformly between half and all of the backoff.
    pub(super) fn pause(self, attempt: u32, rng: &mut Rng) -> Duration {
        let whole = self.first.saturating_mul(1 << attempt.min(16)).min(self.longest);
        whole.mul_f64(0.5 + rng.roll() / 2.0)
    }
}

impl RetryPolicy {
    pub(super) fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(FOR_EVER).min(FOR_EVER)
    }

    /// The time after which the lease is over, even without acknowledgement.
    pub(super) fn lapse(&self) -> Duration {
        self.ttl.min(FOR_EVER)
    }

    /// A third of the ttl, so that a renewal can fail and be tried again; but if responses are
    /// slow, no later than half of the time before which a renewal must be sent to be answered in
    /// the time that the lease is still guaranteed for.
    pub(super) fn renew(&self, left: Duration, round_trip: Duration, rng: &mut Rng) -> Duration {
        let third = self.lapse().mul_f64(0.28 + rng.roll() * 0.05);
        third.min(left.saturating_sub(round_trip) / 2)
    }

    /// How long after its first grant a claim may take until it is confirmed: twice the longest
    /// time of a response that leaves time for a renewal.
    pub(super) fn confirm(&self) -> Duration {
        self.lease()
    }

    /// How long after a request was sent its lease is guaranteed.
    pub(super) fn lease(&self) -> Duration {
        (self.ttl - self.margin()).min(FOR_EVER)
    }

    /// Allowance for clock drift over one ttl and for the time to react.
    pub(super) fn margin(&self) -> Duration {
        (self.ttl / 10).clamp(Duration::from_millis(10), Duration::from_secs(5))
    }

    /// How long one request may wait for the lock. The lease starts when the request is sent, so
    /// the wait must be much shorter than the ttl.
    pub(super) fn wait(&self) -> Duration {
        (self.ttl / 3).min(Duration::from_secs(30))
    }

    /// How long to wait for the response to a renewal, in addition to the time that the server was
    /// asked to wait: it leaves time for another one, unless responses are slow.
    pub(super) fn response_timeout(&self, round_trip: Duration) -> Duration {
        let quarter = (self.ttl / 4).clamp(Duration::from_millis(20), Duration::from_secs(10));
        quarter.max(2 * round_trip)
    }

    /// The same for other requests: twice as long with each repetition, so that slow responses are
    /// heard. Its maximum is longer than the ttl: if no response is ever heard, the claim lapses at
    /// the server between two requests, and other clients get the lock.
    pub(super) fn patient_timeout(&self, round_trip: Duration, retries: u32) -> Duration {
        let longest = (2 * self.lapse()).max(Duration::from_secs(10));
        let doubled = self.response_timeout(round_trip).saturating_mul(1 << retries.min(16));
        doubled.min(longest.max(2 * round_trip))
    }

    /// The delay between polls of a waiting client if the server does not support long polls.
    pub(super) fn activate(&self, attempt: u32, rng: &mut Rng) -> Duration {
        let longest = (self.ttl / 4).clamp(Duration::from_millis(10), Duration::from_secs(2));
        Backoff { first: Duration::from_millis(10), longest }.pause(attempt, rng)
    }

    /// A backoff with delays that leave time for several attempts within a ttl.
    pub(super) fn within_ttl(&self, backoff: Backoff) -> Backoff {
        Backoff {
            first: backoff.first.min(self.ttl / 20),
            longest: backoff.longest.min(self.ttl / 8),
        }
    }
}

/// Whether the timer delays the next attempt of a failed request.
pub(super) const fn is_retry(timer: Resource) -> bool {
    matches!(
        timer,
        Resource::RetryAbortTimer
            | Resource::RetryActivateTimer
            | Resource::RetryRegisterTimer
            | Resource::RetryReleaseTimer
            | Resource::RetryRenewTimer
            | Resource::RetryWithdrawTimer
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ttl_leaves_room_to_renew_and_to_try_again() {
        let ttls = [100, 1_000, 20_000, 86_400_000].map(Duration::from_millis);
        assert_eq!(ttls[0], TTL_MIN);
        for ttl in ttls {
            let policy = RetryPolicy { ttl, timeout: None };
            let mut rng = Rng::seeded(1);
            let (lease, soon) = (policy.lease(), Duration::ZERO);
            let renew = policy.renew(lease, soon, &mut rng);
            assert!(renew + 2 * policy.response_timeout(soon) <= lease, "{ttl:?}");
            assert!(policy.wait() + policy.response_timeout(soon) < lease, "{ttl:?}");
            assert!(lease < policy.ttl);
        }
    }

    #[test]
    fn a_renewal_is_answered_in_time_if_the_lease_leaves_time() {
        let ttl = Duration::from_secs(4);
        let policy = RetryPolicy { ttl, timeout: None };
        let mut rng = Rng::seeded(1);
        for round_trip in (0..1_800).map(Duration::from_millis) {
            let left = policy.lease() - round_trip;
            let renew = policy.renew(left, round_trip, &mut rng);
            assert!(renew + round_trip <= left, "{round_trip:?}");
            assert!(policy.response_timeout(round_trip) > round_trip);
            assert!(2 * round_trip < policy.confirm(), "two attempts");
        }
        let late = policy.renew(Duration::from_secs(1), Duration::from_secs(2), &mut rng);
        assert_eq!(late, Duration::ZERO, "at once");
    }

    #[test]
    fn slow_responses_are_heard_and_missing_ones_let_the_claim_lapse() {
        for ttl in [100, 4_000, 60_000].map(Duration::from_millis) {
            let policy = RetryPolicy { ttl, timeout: None };
            let timeouts = (0..40).map(|retries| policy.patient_timeout(Duration::ZERO, retries));
            let timeouts: Vec<Duration> = timeouts.collect();
            assert_eq!(timeouts[0], policy.response_timeout(Duration::ZERO));
            assert!(timeouts.is_sorted());
            assert!(timeouts[39] > ttl && timeouts[39] >= Duration::from_secs(10));
            let slow = Duration::from_secs(200);
            assert!(policy.patient_timeout(slow, 0) > slow);
        }
    }

    #[test]
    fn a_backoff_grows_and_is_bounded() {
        let mut rng = Rng::seeded(1);
        for attempt in 0..40 {
            let pause = STEADY.pause(attempt, &mut rng);
            assert!(pause <= Duration::from_secs(5));
            assert!(pause >= Duration::from_millis(25));
        }
        assert!(STEADY.pause(20, &mut rng) >= Duration::from_millis(2_500));
    }
}

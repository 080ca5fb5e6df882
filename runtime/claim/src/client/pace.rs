//! How long a client's timers last: renewal, patience, backoff with jitter, the lease's margin.
//!
//! All of them are numbers about time; which timer runs when is the core's.

use std::time::Duration;

pub use turnstile_host::Dice;

/// The shortest ttl that leaves room for a renewal and its repetition.
pub(super) const TTL_MIN: Duration = Duration::from_millis(100);
/// Longer than anyone waits.
const FOR_EVER: Duration = Duration::from_secs(10 * 366 * 86_400);

/// A claim's durations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    pub(super) ttl: Duration,
    pub(super) timeout: Option<Duration>,
}

/// The first and the longest pause of a backoff.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoff {
    first: Duration,
    longest: Duration,
}

/// Failing should be quick: there is little to be gained by aborting late.
pub(super) const QUICK: Backoff = Backoff::ms(20, 500);
/// Whatever else is tried again.
pub(super) const STEADY: Backoff = Backoff::ms(50, 5_000);

impl Backoff {
    const fn ms(first: u64, longest: u64) -> Self {
        Self { first: Duration::from_millis(first), longest: Duration::from_millis(longest) }
    }

    /// The pause before the attempt of this number, between half of it and all of it.
    pub(super) fn pause(self, attempt: u32, dice: &mut Dice) -> Duration {
        let whole = self.first.saturating_mul(1 << attempt.min(16)).min(self.longest);
        whole.mul_f64(0.5 + dice.roll() / 2.0)
    }
}

impl Pace {
    pub(super) fn timeout(&self) -> Duration {
        self.timeout.unwrap_or(FOR_EVER).min(FOR_EVER)
    }

    /// After this long nothing is held any more, acknowledged or not.
    pub(super) fn lapse(&self) -> Duration {
        self.ttl.min(FOR_EVER)
    }

    /// A third of the ttl, so that a renewal can fail and be tried again.
    pub(super) fn renew(&self, dice: &mut Dice) -> Duration {
        self.lapse().mul_f64(0.28 + dice.roll() * 0.05)
    }

    /// How long after a request was sent its lease can be counted on.
    pub(super) fn lease(&self) -> Duration {
        (self.ttl - self.margin()).min(FOR_EVER)
    }

    /// What clocks may differ by over one ttl, and what an answer to that takes.
    pub(super) fn margin(&self) -> Duration {
        (self.ttl / 10).clamp(Duration::from_millis(10), Duration::from_secs(5))
    }

    /// How long one request may wait for the lock. The lease is counted from when the request was
    /// sent, so it must end well before a ttl has gone by.
    pub(super) fn wait(&self) -> Duration {
        (self.ttl / 3).min(Duration::from_secs(30))
    }

    /// How long an answer is waited for, beyond what the server was asked to wait.
    pub(super) fn patience(&self) -> Duration {
        (self.ttl / 4).clamp(Duration::from_millis(20), Duration::from_secs(10))
    }

    /// How long before a waiting client asks again where the server does not wait.
    pub(super) fn activate(&self, attempt: u32, dice: &mut Dice) -> Duration {
        let longest = (self.ttl / 4).clamp(Duration::from_millis(10), Duration::from_secs(2));
        Backoff { first: Duration::from_millis(10), longest }.pause(attempt, dice)
    }

    /// A backoff whose pauses leave room for several attempts within a ttl.
    pub(super) fn within_ttl(&self, backoff: Backoff) -> Backoff {
        Backoff {
            first: backoff.first.min(self.ttl / 20),
            longest: backoff.longest.min(self.ttl / 8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ttl_leaves_room_to_renew_and_to_try_again() {
        let ttls = [100, 1_000, 20_000, 86_400_000].map(Duration::from_millis);
        assert_eq!(ttls[0], TTL_MIN);
        for ttl in ttls {
            let pace = Pace { ttl, timeout: None };
            let mut dice = Dice::seeded(1);
            let renew = pace.renew(&mut dice);
            assert!(renew + 2 * pace.patience() <= pace.lease(), "{ttl:?}");
            assert!(pace.wait() + pace.patience() < pace.lease(), "{ttl:?}");
            assert!(pace.lease() < pace.ttl);
        }
    }

    #[test]
    fn a_backoff_grows_and_is_bounded() {
        let mut dice = Dice::seeded(1);
        for attempt in 0..40 {
            let pause = STEADY.pause(attempt, &mut dice);
            assert!(pause <= Duration::from_secs(5));
            assert!(pause >= Duration::from_millis(25));
        }
        assert!(STEADY.pause(20, &mut dice) >= Duration::from_millis(2_500));
    }
}

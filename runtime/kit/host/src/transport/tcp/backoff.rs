//! The delay before reconnecting to a peer: exponential backoff with jitter.

use std::time::Duration;

use tokio::time::Instant;

use crate::Rng;

#[derive(Debug)]
pub(super) struct Backoff {
    least: Duration,
    most: Duration,
    failures: u32,
    not_before: Option<Instant>,
    rng: Rng,
}

impl Backoff {
    pub(super) fn new(least: Duration, most: Duration, seed: u64) -> Self {
        Self { least, most, failures: 0, not_before: None, rng: Rng::seeded(seed) }
    }

    /// When the peer may be dialed next.
    pub(super) fn not_before(&self) -> Option<Instant> {
        self.not_before
    }

    /// Records a failed attempt or connection, which increases the delay. A connection that lasted
    /// longer than the maximum delay resets it, so that a peer that accepts and closes at once is
    /// dialed no more often than one that is unreachable.
    pub(super) fn failed(&mut self, held: Duration) {
        if held > self.most {
            self.failures = 0;
        }
        let factor = 1_u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        let wait = self.least.saturating_mul(factor).min(self.most);
        self.failures = (self.failures + 1).min(31);
        self.not_before = Some(Instant::now() + self.rng.between(wait / 2, wait));
    }

    /// Resets the delay: the peer's address has changed.
    pub(super) fn forget(&mut self) {
        self.failures = 0;
        self.not_before = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_grow_to_the_maximum_and_restart() {
        let (least, most) = (Duration::from_millis(10), Duration::from_millis(70));
        for seed in 0..100 {
            let mut backoff = Backoff::new(least, most, seed);
            let mut wait = |held| {
                backoff.failed(held);
                backoff.not_before().expect("it has failed") - Instant::now()
            };
            for millis in [10, 20, 40, 70, 70, 70] {
                let range = Duration::from_millis(millis) / 2..=Duration::from_millis(millis);
                assert!(range.contains(&wait(Duration::ZERO)), "seed {seed}");
            }
            assert!(wait(most * 2) <= least, "seed {seed}");
            for _ in 0..100 {
                assert!(wait(Duration::ZERO) <= most, "seed {seed}");
            }
        }
    }
}

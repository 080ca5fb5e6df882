//! How long a node waits before it dials a peer again: exponentially longer, with jitter.

use std::time::Duration;

use tokio::time::Instant;

use crate::Dice;

#[derive(Debug)]
pub(super) struct Backoff {
    least: Duration,
    most: Duration,
    failures: u32,
    not_before: Option<Instant>,
    dice: Dice,
}

impl Backoff {
    pub(super) fn new(least: Duration, most: Duration, seed: u64) -> Self {
        Self { least, most, failures: 0, not_before: None, dice: Dice::seeded(seed) }
    }

    /// When the peer may be dialed, if not now.
    pub(super) fn not_before(&self) -> Option<Instant> {
        self.not_before
    }

    /// An attempt failed, or its connection broke: the next is later. A connection that held for
    /// longer than the longest wait lets the waits begin anew, so that a peer that accepts and at
    /// once breaks off is dialed no more often than one that is not there.
    pub(super) fn failed(&mut self, held: Duration) {
        if held > self.most {
            self.failures = 0;
        }
        let factor = 1_u32.checked_shl(self.failures).unwrap_or(u32::MAX);
        let wait = self.least.saturating_mul(factor).min(self.most);
        self.failures = (self.failures + 1).min(31);
        self.not_before = Some(Instant::now() + self.dice.between(wait / 2, wait));
    }

    /// The peer has another address.
    pub(super) fn forget(&mut self) {
        self.failures = 0;
        self.not_before = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn waits_grow_to_the_longest_and_begin_anew() {
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

//! Pseudo-random numbers from a seed (SplitMix64): the same seed, the same numbers. No secrets.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// A seed that differs from process to process and from call to call.
    pub(super) fn some_seed() -> u64 {
        RandomState::new().hash_one(0)
    }

    pub(super) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// True with this chance, 0 to 1.
    pub(super) fn chance(&mut self, chance: f64) -> bool {
        // 53 bits are what a float holds exactly.
        ((self.number() >> 11) as f64) < chance * (1_u64 << 53) as f64
    }

    /// A time from `least` to `most`, both included; `least` where `most` is no longer than it.
    pub(super) fn between(&mut self, least: Duration, most: Duration) -> Duration {
        let span = u64::try_from(most.saturating_sub(least).as_nanos()).unwrap_or(u64::MAX - 1);
        least + Duration::from_nanos(self.number() % span.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_within_its_bounds() {
        let mut dice = Dice::seeded(1);
        let (least, most) = (Duration::from_nanos(3), Duration::from_nanos(5));
        let mut seen = [0; 6];
        for _ in 0..100 {
            let time = dice.between(least, most);
            assert!((least..=most).contains(&time));
            seen[usize::try_from(time.as_nanos()).expect("it is small")] += 1;
        }
        assert!(seen[3..].iter().all(|times| *times > 0));
        assert_eq!(dice.between(most, least), most);
    }

    #[test]
    fn a_chance_is_what_it_says() {
        let mut dice = Dice::seeded(1);
        let mut hits = |chance| (0..10_000).filter(|_| dice.chance(chance)).count();
        assert_eq!((hits(0.0), hits(1.0)), (0, 10_000));
        assert!((2_800..3_200).contains(&hits(0.3)));
    }
}

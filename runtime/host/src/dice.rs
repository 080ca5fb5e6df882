//! Pseudo-random numbers from a seed (SplitMix64): the same seed, the same numbers. No secrets.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

/// Randomness for jitter and keys; no secret depends on it.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// Dice that nobody can foresee.
    #[must_use]
    pub fn loose() -> Self {
        Self(RandomState::new().build_hasher().finish())
    }

    /// Dice that roll the same for the same seed.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number (splitmix64).
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        number ^ (number >> 31)
    }

    /// From zero to less than one.
    pub fn roll(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True with this chance, 0 to 1.
    pub fn chance(&mut self, chance: f64) -> bool {
        self.roll() < chance
    }

    /// A time from `least` to `most`, both included; `least` where `most` is no longer than it.
    pub fn between(&mut self, least: Duration, most: Duration) -> Duration {
        let span = u64::try_from(most.saturating_sub(least).as_nanos()).unwrap_or(u64::MAX - 1);
        least + Duration::from_nanos(self.number() % span.saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dice_are_fair_enough() {
        let mut dice = Dice::seeded(7);
        let sum: f64 = (0..10_000).map(|_| dice.roll()).sum();
        assert!((sum / 10_000.0 - 0.5).abs() < 0.02);
    }

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

//! Pseudo-random numbers from a seed (SplitMix64); not for secrets.

use std::time::Duration;

/// Pseudo-random number generator for jitter and keys; not for secrets.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// A generator with this seed; equal seeds give equal sequences.
    #[must_use]
    pub const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// A uniformly distributed number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        number ^ (number >> 31)
    }

    /// A uniformly distributed number in the range 0.0 ≤ x < 1.0.
    pub fn roll(&mut self) -> f64 {
        (self.number() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// `true` with this probability, 0.0 to 1.0.
    pub fn chance(&mut self, chance: f64) -> bool {
        self.roll() < chance
    }

    /// A duration from `least` to `most`, inclusive; `least` if `most` is not longer.
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
        let mut rng = Rng::seeded(7);
        let sum: f64 = (0..10_000).map(|_| rng.roll()).sum();
        assert!((sum / 10_000.0 - 0.5).abs() < 0.02);
    }

    #[test]
    fn a_time_is_within_its_bounds() {
        let mut rng = Rng::seeded(1);
        let (least, most) = (Duration::from_nanos(3), Duration::from_nanos(5));
        let mut seen = [0; 6];
        for _ in 0..100 {
            let time = rng.between(least, most);
            assert!((least..=most).contains(&time));
            seen[usize::try_from(time.as_nanos()).expect("it is small")] += 1;
        }
        assert!(seen[3..].iter().all(|times| *times > 0));
        assert_eq!(rng.between(most, least), most);
    }

    #[test]
    fn a_chance_is_what_it_says() {
        let mut rng = Rng::seeded(1);
        let mut hits = |chance| (0..10_000).filter(|_| rng.chance(chance)).count();
        assert_eq!((hits(0.0), hits(1.0)), (0, 10_000));
        assert!((2_800..3_200).contains(&hits(0.3)));
    }
}

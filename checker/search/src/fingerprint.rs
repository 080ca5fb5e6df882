//! Fingerprints: 64-bit hashes, the same in every run, on every machine, with any number of
//! threads.
//!
//! The hash is incremental (Zobrist hashing): a state's fingerprint is the sum of one hash term for
//! each part, so an action that changes two parts costs two subtractions and two additions. Two
//! states with the same fingerprint are treated as one; a report states the probability
//! ([`collision_probability`]).

use std::hash::{BuildHasherDefault, Hash, Hasher};

/// A hasher with a fixed key. Not resistant to chosen values: all values come from the search.
#[derive(Clone, Copy, Debug, Default)]
pub struct StableHasher(u64);

/// For maps whose keys are hashed by [`StableHasher`].
pub type BuildStableHasher = BuildHasherDefault<StableHasher>;

/// An odd constant with as many ones as zeros: digits of the golden ratio.
const PHI: u64 = 0x9E37_79B9_7F4A_7C15;
/// Likewise, of the square root of two.
const ROOT: u64 = 0xB504_F333_F9DE_6485;

impl StableHasher {
    #[inline]
    fn fold(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ ROOT).wrapping_mul(u128::from(PHI | 1));
        self.0 = halves(product).wrapping_add(word.rotate_left(29)).wrapping_mul(PHI);
    }
}

/// A hash of a number and some texts. Compiled here, and not where it is called, which may be
/// without optimisation.
#[must_use]
#[inline(never)]
pub fn hash_texts(number: u8, texts: &[&str]) -> u64 {
    let mut hasher = StableHasher::default();
    hasher.write_u8(number);
    texts.iter().for_each(|text| hasher.write(text.as_bytes()));
    hasher.finish()
}

/// Both halves of a product, combined into one word.
#[inline]
fn halves(product: u128) -> u64 {
    let low = product as u64;
    let high = (product >> 64) as u64;
    low ^ high
}

impl Hasher for StableHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let mut chunks = bytes.chunks_exact(8);
        for chunk in &mut chunks {
            self.fold(u64::from_le_bytes(chunk.try_into().expect("chunks of eight")));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let mut word = [0; 8];
            word[..rest.len()].copy_from_slice(rest);
            self.fold(u64::from_le_bytes(word));
        }
        self.fold(bytes.len() as u64);
    }

    #[inline]
    fn write_u8(&mut self, number: u8) {
        self.fold(u64::from(number));
    }

    #[inline]
    fn write_u16(&mut self, number: u16) {
        self.fold(u64::from(number));
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.fold(u64::from(number));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.fold(number);
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.fold(number as u64);
    }

    #[inline]
    fn write_isize(&mut self, number: isize) {
        self.fold(number as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        mix(self.0)
    }
}

/// A permutation of the words in which every bit depends on every bit.
#[must_use]
pub fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 32).wrapping_mul(PHI);
    let word = (word ^ word >> 29).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word ^ word >> 32
}

/// The term of a part at its place in the hash sum of a state.
#[must_use]
pub fn hash_term(place: usize, part: &impl Hash) -> u64 {
    let mut hasher = StableHasher::default();
    hasher.write_usize(place);
    part.hash(&mut hasher);
    hasher.finish()
}

/// The fingerprint of a state from the sum of its hash terms; never 0, which means no state.
#[must_use]
pub fn from_sum(sum: u64) -> u64 {
    if sum == 0 { PHI } else { sum }
}

/// An upper bound of the probability that any two of this many states share a fingerprint.
#[must_use]
pub fn collision_probability(states: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "an estimate")]
    let states = states as f64;
    states * states / 2.0 / 2f64.powi(64)
}

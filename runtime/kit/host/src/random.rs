//! What is random: unpredictable bytes and seeds of the system, or those of a simulation.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io;

use crate::rng::Rng;
use crate::simulation;

/// So many bytes.
///
/// # Errors
/// When the system has no randomness to give.
pub fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    if simulation::is_simulated() {
        for part in bytes.chunks_mut(8) {
            let number = simulation::number().unwrap_or_default().to_le_bytes();
            part.copy_from_slice(&number[..part.len()]);
        }
        return Ok(bytes);
    }
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

impl Rng {
    /// A generator with an unpredictable seed.
    #[must_use]
    pub fn from_entropy() -> Self {
        let entropy = || RandomState::new().build_hasher().finish();
        Self::seeded(simulation::number().unwrap_or_else(entropy))
    }
}

//! Unpredictable random bytes of the operating system, or those of a simulation.

use std::io;

use tokio_rustls::rustls::crypto::ring;

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
    let random = ring::default_provider().secure_random;
    random
        .fill(&mut bytes)
        .map_err(|_| io::Error::other("the system has no source of randomness"))?;
    Ok(bytes)
}

//! Unpredictable random bytes of the operating system, or those of a simulation.

use std::io;

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

//! Unpredictable random bytes of the operating system.

use std::io;

use tokio_rustls::rustls::crypto::ring;

/// So many bytes.
///
/// # Errors
/// When the system has no randomness to give.
pub fn bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    let random = ring::default_provider().secure_random;
    random
        .fill(&mut bytes)
        .map_err(|_| io::Error::other("the system has no source of randomness"))?;
    Ok(bytes)
}

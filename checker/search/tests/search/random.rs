//! Random numbers for systems made up by tests.

use turnstile_search::fingerprint::mix;

/// Numbers that a seed determines.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0) % end
    }
}

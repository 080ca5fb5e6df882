//! The name of a lock in the core: a number, from the id that its users give.

use std::hash::Hasher as _;

use siphasher::sip::SipHasher24;
use turnstile_replicated_lock_core::types::LockName;

/// The key of the hash. All members must have the same, so it is fixed, and no secret: who can name
/// locks can find two ids of one hash, and all that follows is that these exclude each other.
const KEY: &[u8; 16] = b"turnstile lockId";

/// The length at which an id is cut where it is only displayed.
const SHOWN_MAX: usize = 256;

/// The name of the lock with this id: its SipHash-2-4.
#[must_use]
pub fn lock_name(id: &str) -> LockName {
    let mut hasher = SipHasher24::new_with_key(KEY);
    hasher.write(id.as_bytes());
    LockName(hasher.finish())
}

/// An id as the status shows it.
pub(crate) fn shown(id: &str) -> &str {
    &id[..id.floor_char_boundary(SHOWN_MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_never_change() {
        // Members of all versions must agree on them.
        assert_eq!(lock_name("printer").0, 4_716_240_592_927_448_922);
        assert_ne!(lock_name("a"), lock_name("b"));
    }

    #[test]
    fn long_ids_are_cut_between_characters() {
        assert_eq!(shown("short"), "short");
        assert_eq!(shown(&"ä".repeat(200)), "ä".repeat(128));
        assert_eq!(shown(&format!("a{}", "ä".repeat(200))).len(), 255);
    }
}

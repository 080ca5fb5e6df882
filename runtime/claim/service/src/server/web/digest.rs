//! Hashes of client data that are stable across releases.
//!
//! They are saved in the store. They are not cryptographic.

use turnstile_claim_core::number::IdempotencyKey;

use crate::wire::request::Post;

/// The hash of an idempotency key with its owner.
pub(crate) fn of_key(key: &[u8], owner: Option<&str>) -> IdempotencyKey {
    let mut fnv = Fnv::new();
    fnv.take(&(key.len() as u64).to_le_bytes());
    fnv.take(key);
    if let Some(owner) = owner {
        // An owner with an empty name is not a missing one.
        fnv.take(&[0xFF]);
        fnv.take(owner.as_bytes());
    }
    IdempotencyKey::new(fnv.0)
}

/// The hash of a POST's data, except the resource.
pub(crate) fn of_post(post: &Post) -> u64 {
    let mut fnv = Fnv::new();
    fnv.take(&post.ttl_us.to_le_bytes());
    fnv.take(post.user_data.as_ref().map_or("", |data| data.get()).as_bytes());
    fnv.0
}

/// FNV-1a.
struct Fnv(u64);

impl Fnv {
    const fn new() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }

    fn take(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }
}

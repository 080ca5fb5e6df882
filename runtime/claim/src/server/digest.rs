//! Short numbers that stand for what a client has sent: equal for equal words, in every release.
//!
//! They outlive the process. No secret depends on them.

use crate::wire::ask::Post;

/// The number of an idempotency key, which is one only together with its resource and its owner.
pub(super) fn of_key(key: &[u8], resource: &str, owner: Option<&str>) -> u64 {
    let mut fnv = Fnv::new();
    fnv.take(&(key.len() as u64).to_le_bytes());
    fnv.take(key);
    fnv.take(resource.as_bytes());
    if let Some(owner) = owner {
        // No resource has this byte, so that the two cannot run together.
        fnv.take(&[0xFF]);
        fnv.take(owner.as_bytes());
    }
    fnv.0
}

/// The number of what a POST says of its claim, beside the resource.
pub(super) fn of_post(post: &Post) -> u64 {
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

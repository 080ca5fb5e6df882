//! Hashes of client data that are stable across releases.
//!
//! They are saved in the store. They are not cryptographic.

use crate::wire::request::Post;

/// The hashes of an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PostKey {
    /// With its owner alone. `None` where an operation of version 1 of a cluster's log has the key.
    pub(crate) any: Option<u64>,
    /// With its owner and its resource, by which claims of operations of version 1 are found.
    pub(crate) of_resource: u64,
}

impl PostKey {
    pub(crate) fn new(key: &[u8], resource: &str, owner: Option<&str>) -> Self {
        // No resource has an empty name.
        Self { any: Some(of_key(key, "", owner)), of_resource: of_key(key, resource, owner) }
    }
}

/// The hash of an idempotency key with its resource and its owner.
fn of_key(key: &[u8], resource: &str, owner: Option<&str>) -> u64 {
    let mut fnv = Fnv::new();
    fnv.take(&(key.len() as u64).to_le_bytes());
    fnv.take(key);
    fnv.take(resource.as_bytes());
    if let Some(owner) = owner {
        // A separator that no resource contains.
        fnv.take(&[0xFF]);
        fnv.take(owner.as_bytes());
    }
    fnv.0
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

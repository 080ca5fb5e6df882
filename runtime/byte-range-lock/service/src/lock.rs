//! Locks, their owners, and requests for them.

use std::num::NonZeroU32;

use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::LockType;

/// An owner of locks: a process, or an open file. Locks of one owner do not exclude each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Owner(pub u64);

/// A request for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockRequest {
    /// The owner.
    pub owner: Owner,
    /// The process that [`crate::Manager::test`] names as the owner; 0 if there is none to name.
    pub process: u32,
    /// The bytes, below [`BYTES_END`], or [`WHOLE_FILE`].
    pub range: ByteRange,
    /// Shared or exclusive.
    pub kind: LockType,
    /// Whether to wait for locks that are in the way.
    pub waits: bool,
}

/// The end of the bytes that can be locked, 2^63: `fcntl` has no greater offsets.
pub const BYTES_END: u64 = 1 << 63;

/// A range beyond all bytes of a file. Locks of it exclude each other, and none of bytes.
pub const WHOLE_FILE: ByteRange = ByteRange::byte(BYTES_END);

/// A lock, for example one that is in the way of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeldLock {
    /// Its owner.
    pub owner: Owner,
    /// The process that requested it.
    pub process: Option<NonZeroU32>,
    /// Its type.
    pub kind: LockType,
    /// Its bytes, together with those of adjacent locks of the same owner and type.
    pub range: ByteRange,
}

/// What a client does with bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It reads them.
    Read,
    /// It writes them.
    Write,
}

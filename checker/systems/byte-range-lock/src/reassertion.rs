//! Whether the LOST locks of a client can be reasserted, stated apart from the table's rule.

use turnstile_byte_range_lock_core::locks::{ByteRangeLock, ClientKey, LockType};
use turnstile_byte_range_lock_core::manager::File;
use turnstile_byte_range_lock_core::message::ServerLock;
use turnstile_byte_range_lock_core::number::LockId;
use turnstile_byte_range_lock_machines::byte_range_lock::State as At;

/// Whether two locks share a byte, and one of them is exclusive.
pub(super) fn are_in_conflict(one: &ByteRangeLock, other: &ByteRangeLock) -> bool {
    let is_exclusive = [one, other].iter().any(|lock| lock.kind == LockType::Exclusive);
    is_exclusive && one.range.overlaps(other.range)
}

/// Whether a file has the contents that it had when its lock was lost.
pub(super) fn is_unmodified(file: &File, lock: &ByteRangeLock) -> bool {
    let contents = lock.lost.and_then(|loss| loss.contents);
    contents.is_some() && contents == file.contents
}

/// Whether no client has LOST locks that it could have again under a server lock.
pub(super) fn is_complete(file: &File, server: ServerLock) -> bool {
    let lost = file.locks.iter().filter(|(_, lock)| lock.at == At::Lost);
    lost.map(|(_, lock)| lock.key).all(|key| !can_be_reasserted(file, key, server))
}

fn can_be_reasserted(file: &File, key: ClientKey, server: ServerLock) -> bool {
    let mut lost = file.locks.of(key).filter(|(_, lock)| lock.at == At::Lost);
    lost.all(|(id, lock)| {
        let was_active = lock.lost.is_some_and(|loss| loss.was == At::Active);
        let is_sufficient = server == ServerLock::LockWrite || lock.kind == LockType::Shared;
        let is_asserted = !was_active || is_sufficient && is_unmodified(file, lock);
        let is_barred = |(other, one): (LockId, &ByteRangeLock)| {
            one.key != key
                && are_in_conflict(lock, one)
                && match one.at {
                    At::Active | At::Waitlock => was_active || id < other,
                    At::Waitunlock | At::Lost => was_active && other < id,
                    At::NotExist | At::Deleted => false,
                }
        };
        is_asserted && !file.locks.iter().any(is_barred)
    })
}

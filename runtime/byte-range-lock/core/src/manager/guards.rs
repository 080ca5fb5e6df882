//! The guards of the server lock, evaluated on a file: its locks and its pending call.

use turnstile_byte_range_lock_machines::byte_range_lock::State as At;
use turnstile_byte_range_lock_machines::server_lock;

use super::state::File;
use crate::locks::{ByteRangeLock, LockType};
use crate::message::{Lease, ServerLock};
use crate::number::LockId;

/// The lock whose machine takes an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct TargetLock {
    pub(super) id: LockId,
    pub(super) lock: ByteRangeLock,
}

/// The data that the guards of a server lock use.
#[derive(Clone, Copy)]
pub(super) struct ServerGuards<'a> {
    /// The file.
    pub file: &'a File,
    /// Whether the lease of the reply still runs.
    pub lease: Lease,
}

impl ServerGuards<'_> {
    pub(super) fn holds(&self, guard: server_lock::Guard) -> bool {
        use server_lock::Guard;

        let locks = &self.file.locks;
        let can_be_reasserted = |kind: Option<LockType>| {
            let mut lost = locks.in_state(At::Lost).filter(|(_, one)| File::was(one, At::Active));
            lost.any(|(_, one)| {
                self.file.is_unmodified(one) && kind.is_none_or(|kind| kind == one.kind)
            })
        };
        match guard {
            Guard::ACallIsOut => self.file.pending_call.is_some(),
            Guard::LocksAreThere => !locks.is_empty(),
            Guard::ExclusiveLocksAreInPlace => locks.valid(LockType::Exclusive) > 0,
            Guard::SharedLocksAreInPlace => locks.valid(LockType::Shared) > 0,
            Guard::ExclusiveLocksCanBeReasserted => can_be_reasserted(Some(LockType::Exclusive)),
            Guard::LocksCanBeReasserted => can_be_reasserted(None),
            Guard::LockWriteMayBeKept => self.file.most == Some(ServerLock::LockWrite),
            Guard::LeaseIsLive => self.lease != Lease::Lapsed,
        }
    }
}

//! What guards of the server lock ask of a file: its locks and the call that is out.

use turnstile_machines::byte_range_lock::State as At;
use turnstile_machines::server_lock;

use super::state::File;
use crate::number::LockId;
use crate::ranges::locks::{Lock, LockType};
use crate::ranges::message::{Lease, Whole};

/// A lock whose machine is to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) id: LockId,
    pub(super) lock: Lock,
}

/// A file that is looked at.
#[derive(Clone, Copy)]
pub(super) struct Look<'a> {
    /// The file.
    pub file: &'a File,
    /// Whether what the answer grants can be counted on.
    pub lease: Lease,
}

impl Look<'_> {
    pub(super) fn of_server(&self, guard: server_lock::Guard) -> bool {
        use server_lock::Guard;

        let locks = &self.file.locks;
        let hoped = |kind: Option<LockType>| {
            let mut lost = locks.in_state(At::Lost).filter(|(_, one)| File::was(one, At::Active));
            lost.any(|(_, one)| {
                self.file.is_unmodified(one) && kind.is_none_or(|kind| kind == one.kind)
            })
        };
        match guard {
            Guard::ACallIsOut => self.file.open.is_some(),
            Guard::LocksAreThere => !locks.is_empty(),
            Guard::ExclusiveLocksAreInPlace => locks.valid(LockType::Exclusive) > 0,
            Guard::SharedLocksAreInPlace => locks.valid(LockType::Shared) > 0,
            Guard::ExclusiveLocksCanBeReasserted => hoped(Some(LockType::Exclusive)),
            Guard::LocksCanBeReasserted => hoped(None),
            Guard::LockWriteMayBeKept => self.file.most == Some(Whole::LockWrite),
            Guard::LeaseIsLive => self.lease == Lease::Live,
        }
    }
}

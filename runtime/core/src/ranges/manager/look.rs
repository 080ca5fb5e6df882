//! What guards ask of a file: rules of the table, its locks, its server lock and the call that is
//! out.

use turnstile_machine::Rules;
use turnstile_machines::byte_range_lock::{self, Machine, Rule, State as At};
use turnstile_machines::server_lock;

use super::facts::client;
use super::state::File;
use crate::number::LockId;
use crate::ranges::locks::{Key, Lock, LockType};
use crate::ranges::message::{Lease, Whole};

/// A lock whose machine is to move.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    pub(super) id: LockId,
    pub(super) lock: Lock,
}

/// A file that is looked at.
#[derive(Clone, Copy)]
pub(super) struct Look<'a, L> {
    /// The table of its locks, which has the rules.
    pub table: &'a L,
    /// The file.
    pub file: &'a File,
    /// Who asks.
    pub asker: Option<Key>,
    /// Whether what the answer grants can be counted on.
    pub lease: Lease,
}

impl<L: Rules<Machine>> Look<'_, L> {
    pub(super) fn of_lock(&self, asked: Asked, guard: byte_range_lock::Guard) -> bool {
        use byte_range_lock::Guard;

        let Some(id) = self.file.thing(asked.id) else { return false };
        let key = asked.lock.key;
        let says = |rule| self.file.rule(self.table, rule);
        match guard {
            Guard::Obtain => says(Rule::Obtain { client: client(key), lock: id }),
            Guard::Unlock => self
                .asker
                .is_some_and(|asker| says(Rule::Unlock { client: client(asker), lock: id })),
            Guard::Conflicts => says(Rule::Conflicts { lock: id }),
            Guard::WaitsForALockAhead => says(Rule::Waits { lock: id }),
            Guard::ServerLockIsSufficient => says(Rule::Sufficient { lock: id }),
            Guard::ClientHasALostLock => says(Rule::HasLost { client: client(key) }),
            Guard::ClientCanBeReasserted => says(Rule::Reassert { client: client(key) }),
            Guard::FileWasNotModified => self.file.is_unmodified(&asked.lock),
            Guard::WasActive => File::was(&asked.lock, At::Active),
            Guard::WasWaitlock => File::was(&asked.lock, At::Waitlock),
            Guard::ALostActiveLockIsLeft => {
                self.file.locks.of(key).any(|(_, one)| File::was(one, At::Active))
            }
        }
    }

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

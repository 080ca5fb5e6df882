//! What guards ask of a file: answered from its locks, its server lock and the call that is out.

use turnstile_machines::byte_range_lock::{self, State as At};
use turnstile_machines::server_lock::{self, State as Server};

use super::state::File;
use crate::number::LockId;
use crate::ranges::locks::{Key, Lock, LockType};
use crate::ranges::message::Lease;
use crate::ranges::range::ByteRange;

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
    /// Who asks.
    pub asker: Option<Key>,
    /// Whether what the answer grants can be counted on.
    pub lease: Lease,
}

const ACCEPTED: [At; 2] = [At::Active, At::Waitlock];
const QUEUED: [At; 3] = [At::Active, At::Waitlock, At::Waitunlock];

impl Look<'_> {
    pub(super) fn of_lock(&self, Asked { id, lock }: Asked, guard: byte_range_lock::Guard) -> bool {
        use byte_range_lock::Guard;

        let locks = &self.file.locks;
        let conflicting = |states: &'static [At]| {
            locks
                .over(lock.range)
                .filter(move |(other, one)| {
                    *other != id && states.contains(&one.at) && lock.conflicts(one)
                })
                .map(|(other, _)| other)
        };
        let has_lost = || locks.iter().any(|(_, one)| one.at == At::Lost && one.key == lock.key);
        match guard {
            Guard::Obtain => conflicting(&QUEUED).next().is_none() && !has_lost(),
            Guard::Unlock => self.asker == Some(lock.key),
            Guard::Conflicts => conflicting(&ACCEPTED).next().is_some(),
            Guard::WaitsForALockAhead => conflicting(&QUEUED).any(|other| other < id),
            Guard::ServerLockIsSufficient => self.suffices(&lock),
            Guard::FileWasNotModified => self.is_unmodified(&lock),
            Guard::WasActive => lock.lost.is_some_and(|loss| loss.was == At::Active),
            Guard::WasWaitlock => lock.lost.is_some_and(|loss| loss.was == At::Waitlock),
            Guard::ALostActiveLockIsLeft => self.lost().any(|(_, one)| one.key == lock.key),
            Guard::ClientHasALostLock => has_lost(),
            Guard::ClientCanBeReasserted => self.can_be_reasserted(lock.key),
        }
    }

    pub(super) fn of_server(&self, guard: server_lock::Guard) -> bool {
        use server_lock::Guard;

        let in_place = |kind| ACCEPTED.iter().any(|at| self.file.locks.count(*at, kind) > 0);
        let hoped = |kind: Option<LockType>| {
            self.lost()
                .any(|(_, one)| self.is_unmodified(one) && kind.is_none_or(|kind| kind == one.kind))
        };
        match guard {
            Guard::ACallIsOut => self.file.open.is_some(),
            Guard::LocksAreThere => !self.file.locks.is_empty(),
            Guard::ExclusiveLocksAreInPlace => in_place(LockType::Exclusive),
            Guard::SharedLocksAreInPlace => in_place(LockType::Shared),
            Guard::ExclusiveLocksCanBeReasserted => hoped(Some(LockType::Exclusive)),
            Guard::LocksCanBeReasserted => hoped(None),
            Guard::LeaseIsLive => self.lease == Lease::Live,
        }
    }

    /// The LOST locks that were ACTIVE.
    fn lost(&self) -> impl Iterator<Item = (LockId, &Lock)> {
        let was_active = |lock: &Lock| lock.lost.is_some_and(|loss| loss.was == At::Active);
        self.file.locks.iter().filter(move |(_, lock)| was_active(lock))
    }

    fn suffices(&self, lock: &Lock) -> bool {
        match self.file.server {
            Server::NotExist | Server::Unlocked => false,
            Server::LockRead => lock.kind == LockType::Shared,
            Server::LockWrite => true,
        }
    }

    fn is_unmodified(&self, lock: &Lock) -> bool {
        let contents = lock.lost.and_then(|loss| loss.contents);
        contents.is_some() && contents == self.file.contents
    }

    fn can_be_reasserted(&self, key: Key) -> bool {
        let lost = self.file.locks.iter().filter(|(_, one)| one.at == At::Lost && one.key == key);
        lost.into_iter().all(|(id, lock)| {
            let was_active = lock.lost.is_some_and(|loss| loss.was == At::Active);
            let is_in_the_way = |(other, one): (LockId, &Lock)| {
                one.key != key
                    && ACCEPTED.contains(&one.at)
                    && lock.conflicts(one)
                    && (was_active || id < other)
            };
            let is_asserted = self.suffices(lock) && self.is_unmodified(lock);
            (!was_active || is_asserted) && !self.file.locks.over(lock.range).any(is_in_the_way)
        })
    }

    /// Whether a client can READ a range.
    #[must_use]
    pub(super) fn may_read(&self, key: Key, range: ByteRange) -> bool {
        self.bytes(range).all(|byte| {
            let over = || self.file.locks.over(ByteRange::byte(byte)).map(|(_, lock)| lock);
            let active = || over().filter(|lock| lock.at == At::Active);
            let lost = || over().filter(|lock| lock.at == At::Lost);
            let is_unowned = active().next().is_none()
                && lost().all(|lock| lock.kind == LockType::Shared && lock.key != key);
            let is_own = active().any(|lock| lock.key == key);
            let is_shared = active().any(|lock| lock.kind == LockType::Shared)
                && lost().all(|lock| lock.key != key);
            is_unowned || is_own || is_shared
        })
    }

    /// Whether a client can WRITE a range.
    #[must_use]
    pub(super) fn may_write(&self, key: Key, range: ByteRange) -> bool {
        self.bytes(range).all(|byte| {
            let over = || self.file.locks.over(ByteRange::byte(byte)).map(|(_, lock)| lock);
            let mut active = over().filter(|lock| lock.at == At::Active);
            let is_unowned = over().all(|lock| lock.at != At::Active);
            is_unowned || active.any(|lock| lock.key == key && lock.kind == LockType::Exclusive)
        })
    }

    /// One byte of each part of a range that the same locks cover: what is so of one byte of a
    /// part is so of all.
    pub(super) fn bytes(&self, range: ByteRange) -> impl Iterator<Item = u64> {
        let mut firsts: alloc::vec::Vec<u64> = self
            .file
            .locks
            .over(range)
            .flat_map(|(_, lock)| [Some(lock.range.first()), lock.range.last().checked_add(1)])
            .flatten()
            .filter(|byte| range.contains(*byte))
            .chain([range.first()])
            .collect();
        firsts.sort_unstable();
        firsts.dedup();
        firsts.into_iter()
    }
}

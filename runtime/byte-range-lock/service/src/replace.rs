//! The replacement of an owner's own locks: up- and downgrades, and parts that are released.
//!
//! The document's client releases a lock and requests another. `fcntl` replaces what an owner has
//! in one step, in which it loses nothing: not to another client that waits, and not to another
//! manager. So the step is made of several commands, while the manager is locked:
//!
//! 1. A guard, which is a lock of a byte beyond the end of any file, asserts the lock of the file
//!    at the file server, for as long as the owner's own lock of it is released.
//! 2. The requests that wait are abandoned, from the last to the first, and made again afterwards
//!    in their order. A request of bytes that the owner does not have yet is made before that, and
//!    so waits its turn.
//! 3. If another owner's lock is in the way, the owner gets back what it had.

use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::{ByteRangeLock, ClientKey, LockType};
use turnstile_byte_range_lock_core::message::FileId;
use turnstile_byte_range_lock_core::number::LockId;
use turnstile_byte_range_lock_machines::byte_range_lock::State as At;

use crate::error::LockError;
use crate::lock::WHOLE_FILE;
use crate::request::{Own, excludes, outside, spanning, uncovered};
use crate::service::{Guard, Waiting};
use crate::steps::Steps;

/// A request that was abandoned for a moment, with the bytes that it waited for.
type Suspended = (Waiting, ByteRange);

impl Steps<'_> {
    /// A request in whose way the owner's own locks are.
    pub(crate) fn begin_replacing(&mut self, file: FileId, mut waiting: Waiting, own: &[Own]) {
        let same: Vec<Own> = own.iter().filter(|own| own.kind == waiting.kind).copied().collect();
        if uncovered(waiting.range, &same).is_empty() {
            return self.tell(file, waiting, Ok(()));
        }
        let is_exclusive = own.iter().any(|own| excludes(own.kind, waiting.kind));
        let kind = if is_exclusive { LockType::Exclusive } else { LockType::Shared };
        match self.guard(file, kind) {
            Err(refused) => self.tell(file, waiting, Err(refused)),
            Ok((guard, at)) => {
                self.entry(file).replacing += 1;
                waiting.guard = Some(guard);
                if at == At::Active {
                    self.replace(file, waiting);
                } else {
                    self.wait(file, guard.id, at, waiting);
                }
            }
        }
    }

    /// A lock of a byte that nobody else locks.
    fn guard(&mut self, file: FileId, kind: LockType) -> Result<(Guard, At), LockError> {
        let entry = self.entry(file);
        let key = entry.new_key();
        entry.last_guard = entry.last_guard % GUARDS + 1;
        let range = ByteRange::byte(WHOLE_FILE.last() + entry.last_guard);
        let (id, at) = self.take(file, key, kind, range)?;
        Ok((Guard { id, key }, at))
    }

    /// Grants a request whose guard is granted, or lets it wait for other owners' locks.
    pub(crate) fn replace(&mut self, file: FileId, waiting: Waiting) {
        let Waiting { key, kind, range, .. } = waiting;
        if !self.is_blocked(file, key, kind, range) && self.try_to_replace(file, key, kind, range) {
            self.end(file, waiting, Ok(()));
            self.freed(file);
        } else {
            self.place(file, waiting, range);
        }
    }

    /// Replaces an owner's locks of a range, unless another owner's are in the way.
    fn try_to_replace(
        &mut self,
        file: FileId,
        key: ClientKey,
        kind: LockType,
        range: ByteRange,
    ) -> bool {
        let own = self.own(file, key, range);
        if own.iter().any(|own| own.at == At::Lost) {
            return false;
        }
        let mut new = Vec::new();
        let is_new = uncovered(range, &own).into_iter().all(|part| {
            let taken = self.take_now(file, key, kind, part);
            new.extend(taken);
            taken.is_some()
        });
        let old: Vec<Own> = own.into_iter().filter(|own| own.kind != kind).collect();
        let is_replaced = is_new && self.convert(file, key, &old, range, Some(kind));
        if !is_replaced {
            for id in new {
                self.drop_lock(file, id);
            }
        }
        is_replaced
    }

    /// Whether another owner's lock is in the way, so that to try is of no use. What this says is
    /// no verdict: the core grants.
    fn is_blocked(&self, file: FileId, key: ClientKey, kind: LockType, range: ByteRange) -> bool {
        let mut accepted = self.accepted(file, range);
        accepted.any(|lock| lock.key != key && excludes(kind, lock.kind))
    }

    /// Releases the part of a lock that is in a range.
    pub(crate) fn trim(&mut self, file: FileId, key: ClientKey, own: Own, range: ByteRange) {
        let Ok((guard, _)) = self.guard(file, own.kind) else { return };
        self.convert(file, key, &[own], range, None);
        self.drop_lock(file, guard.id);
    }

    /// Replaces locks of one type by what is outside of a range, and by locks of another type
    /// inside of it, if one is given.
    fn convert(
        &mut self,
        file: FileId,
        key: ClientKey,
        old: &[Own],
        range: ByteRange,
        kind: Option<LockType>,
    ) -> bool {
        let Some(Own { kind: before, .. }) = old.first().copied() else { return true };
        let waiting = self.first_waiting(file, old.iter().map(|own| own.range));
        let suspended = waiting.map_or_else(Vec::new, |first| self.suspend(file, first));
        for own in old {
            self.drop_lock(file, own.id);
        }
        let kept = union(old.iter().flat_map(|own| outside(own.range, range)));
        for part in kept {
            self.take_back(file, key, before, part);
        }
        let inside = union(old.iter().map(|own| inside(own.range, range)));
        let mut new = Vec::new();
        let is_converted = kind.is_none_or(|kind| {
            inside.iter().all(|part| {
                let taken = self.take_now(file, key, kind, *part);
                new.extend(taken);
                taken.is_some()
            })
        });
        if !is_converted {
            for id in new {
                self.drop_lock(file, id);
            }
            for part in inside {
                self.take_back(file, key, before, part);
            }
        }
        self.resume(file, suspended);
        is_converted
    }

    /// Takes a lock if it is granted at once.
    fn take_now(
        &mut self,
        file: FileId,
        key: ClientKey,
        kind: LockType,
        range: ByteRange,
    ) -> Option<LockId> {
        let (id, at) = self.take(file, key, kind, range).ok()?;
        if at != At::Active {
            self.drop_lock(file, id);
            return None;
        }
        Some(id)
    }

    /// Takes a lock that nothing is in the way of, since the owner has just released it.
    fn take_back(&mut self, file: FileId, key: ClientKey, kind: LockType, range: ByteRange) {
        let taken = self.take_now(file, key, kind, range);
        assert!(taken.is_some(), "nothing is in the way of a lock that was released in this step");
    }

    /// The first lock that waits, of those over any of the ranges.
    fn first_waiting(
        &self,
        file: FileId,
        ranges: impl Iterator<Item = ByteRange>,
    ) -> Option<LockId> {
        let locks = self.locks(file)?;
        let over = ranges.flat_map(|range| locks.over(range));
        over.filter(|(_, lock)| lock.at == At::Waitunlock).map(|(id, _)| id).min()
    }

    /// Abandons the locks that wait, from `first` on.
    fn suspend(&mut self, file: FileId, first: LockId) -> Vec<Suspended> {
        let all = self.locks(file).into_iter().flat_map(|locks| locks.in_state(At::Waitunlock));
        let later: Vec<(LockId, ByteRangeLock)> =
            all.filter(|(id, _)| *id >= first).map(|(id, lock)| (id, *lock)).collect();
        let suspended = later.into_iter().rev().filter_map(|(id, lock)| {
            let waiting = self.entry(file).waiting.remove(&id);
            self.drop_lock(file, id);
            Some((waiting?, lock.range))
        });
        let mut suspended: Vec<Suspended> = suspended.collect();
        suspended.reverse();
        suspended
    }

    /// Makes requests again, in their order.
    fn resume(&mut self, file: FileId, suspended: Vec<Suspended>) {
        for (waiting, range) in suspended {
            self.place(file, waiting, range);
        }
    }

    /// Tries again to grant the requests that wait for a replacement.
    pub(crate) fn retry_file(&mut self, file: FileId) {
        let Some(entry) = self.files().entries.get(&file) else { return };
        let replacing = entry
            .waiting
            .iter()
            .filter(|(id, waiting)| waiting.guard.is_some_and(|guard| guard.id != **id));
        let tickets: Vec<u64> = replacing.map(|(_, waiting)| waiting.ticket).collect();
        for ticket in tickets {
            // The numbers of locks change as others are suspended; a ticket does not.
            let Some((_, id)) = self.files().tickets.get(&ticket).copied() else { continue };
            let Some(&ByteRangeLock { key, kind, range, at, .. }) = self.lock(file, id) else {
                continue;
            };
            if at == At::Waitunlock && !self.is_blocked(file, key, kind, range) {
                self.retry_one(file, id);
            }
        }
    }

    /// Grants a request if it is its turn; leaves it where it is otherwise.
    fn retry_one(&mut self, file: FileId, id: LockId) {
        let mut later = self.suspend(file, id);
        let (waiting, range) = later.remove(0);
        if self.try_to_replace(file, waiting.key, waiting.kind, range) {
            self.end(file, waiting, Ok(()));
            self.freed(file);
        } else {
            self.place(file, waiting, range);
        }
        self.resume(file, later);
    }
}

/// How many bytes guards lock, one after the other.
const GUARDS: u64 = 1 << 32;

/// The bytes of both ranges, which overlap.
fn inside(range: ByteRange, other: ByteRange) -> ByteRange {
    spanning(range.first().max(other.first()), range.last().min(other.last()))
}

/// The bytes of all ranges, as the fewest ranges.
fn union(ranges: impl Iterator<Item = ByteRange>) -> Vec<ByteRange> {
    let mut sorted: Vec<ByteRange> = ranges.collect();
    sorted.sort_unstable();
    let mut union: Vec<ByteRange> = Vec::new();
    for range in sorted {
        match union.last_mut() {
            Some(last) if range.first() <= last.last().saturating_add(1) => {
                *last = spanning(last.first(), last.last().max(range.last()));
            }
            Some(_) | None => union.push(range),
        }
    }
    union
}

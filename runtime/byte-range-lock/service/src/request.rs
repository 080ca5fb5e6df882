//! Requests of owners: granted, refused, waiting, withdrawn; and the locks that they are made of.

use std::num::NonZeroU32;

use turnstile_byte_range_lock_core::ByteRange;
use turnstile_byte_range_lock_core::locks::{ByteRangeLock, ClientKey, LockType};
use turnstile_byte_range_lock_core::message::FileId;
use turnstile_byte_range_lock_core::number::LockId;
use turnstile_byte_range_lock_machines::byte_range_lock::State as At;

use crate::error::LockError;
use crate::lock::{HeldLock, LockRequest, Owner};
use crate::service::{Done, Waiting};
use crate::steps::Steps;

/// A lock of an owner, by its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Own {
    pub(crate) id: LockId,
    pub(crate) kind: LockType,
    pub(crate) range: ByteRange,
    pub(crate) at: At,
}

/// Whether locks of these types exclude each other.
pub(crate) fn excludes(kind: LockType, other: LockType) -> bool {
    [kind, other].contains(&LockType::Exclusive)
}

impl Steps<'_> {
    /// Requests a lock. Returns the number of the request if it waits.
    pub(crate) fn request(
        &mut self,
        file: FileId,
        request: LockRequest,
        done: Done,
    ) -> Option<u64> {
        let LockRequest { owner, process, range, kind, waits } = request;
        let key = self.client(file, owner, process);
        let files = self.files();
        files.last_ticket += 1;
        let ticket = files.last_ticket;
        let waiting = Waiting { ticket, key, kind, range, may_wait: waits, guard: None, done };
        if self.is_over() {
            self.tell(file, waiting, Err(LockError::Stopped));
            return None;
        }
        let own = self.own(file, key, range);
        // The parts of the range that the owner has no lock of, of this type or a stronger one.
        let new = uncovered(range, &own);
        let is_in_the_way = own.iter().any(|own| own.at == At::Active && excludes(kind, own.kind));
        match new[..] {
            // The core refuses it.
            _ if own.iter().any(|own| own.at == At::Lost) => self.place(file, waiting, range),
            [part] if !is_in_the_way => self.place(file, waiting, part),
            [] if !is_in_the_way => self.tell(file, waiting, Ok(())),
            _ => self.begin_replacing(file, waiting, &own),
        }
        self.forget(file, key);
        self.files().tickets.contains_key(&ticket).then_some(ticket)
    }

    /// The locks of an owner over a range that are granted or lost, by address.
    pub(crate) fn own(&self, file: FileId, key: ClientKey, range: ByteRange) -> Vec<Own> {
        let over = self.locks(file).into_iter().flat_map(|locks| locks.over(range));
        let own = over.filter(|(_, lock)| lock.key == key);
        let own = own.filter(|(_, lock)| matches!(lock.at, At::Active | At::Lost));
        let own = own.map(|(id, lock)| Own { id, kind: lock.kind, range: lock.range, at: lock.at });
        let mut own: Vec<Own> = own.collect();
        own.sort_unstable_by_key(|own| (own.range.first(), own.id));
        own
    }

    /// Requests a lock of the core for a request, which is granted, refused, or waits for it.
    pub(crate) fn place(&mut self, file: FileId, waiting: Waiting, range: ByteRange) {
        match self.take(file, waiting.key, waiting.kind, range) {
            Err(refused) => self.end(file, waiting, Err(refused)),
            Ok((_, At::Active)) => self.end(file, waiting, Ok(())),
            Ok((id, at)) => self.wait(file, id, at, waiting),
        }
    }

    /// Keeps a request that waits, if it may.
    pub(crate) fn wait(&mut self, file: FileId, id: LockId, at: At, waiting: Waiting) {
        let ticket = waiting.ticket;
        let may_wait = waiting.may_wait;
        let entry = self.entry(file);
        // Whether the file server grants its lock is not known before it answers. A call that was
        // given up is about to end, and to be made again.
        let is_busy =
            entry.call.as_ref().is_some_and(|call| call.is_busy && !*call.give_up.borrow());
        entry.waiting.insert(id, waiting);
        self.files().tickets.insert(ticket, (file, id));
        if !may_wait && (at != At::Waitlock || is_busy) {
            self.abandon(file, id, LockError::WouldBlock);
        }
    }

    /// Ends a request that waits.
    pub(crate) fn abandon(&mut self, file: FileId, id: LockId, error: LockError) {
        let Some(waiting) = self.entry(file).waiting.remove(&id) else { return };
        self.drop_lock(file, id);
        self.end(file, waiting, Err(error));
        self.freed(file);
    }

    /// Tells the outcome of a request that waited.
    pub(crate) fn end(&mut self, file: FileId, waiting: Waiting, outcome: Result<(), LockError>) {
        if let Some(guard) = waiting.guard {
            self.entry(file).replacing -= 1;
            self.drop_lock(file, guard.id);
        }
        let key = waiting.key;
        self.tell(file, waiting, outcome);
        self.forget(file, key);
    }

    /// A lock that a request waits for is granted.
    pub(crate) fn granted(&mut self, file: FileId, id: LockId) {
        let Some(waiting) = self.entry(file).waiting.remove(&id) else { return };
        match waiting.guard {
            Some(guard) if guard.id == id => self.replace(file, waiting),
            Some(_) | None => self.end(file, waiting, Ok(())),
        }
    }

    /// Withdraws a request. Returns whether it still waited.
    pub(crate) fn withdraw(&mut self, ticket: u64) -> bool {
        let Some((file, id)) = self.files().tickets.get(&ticket).copied() else { return false };
        self.abandon(file, id, LockError::Withdrawn);
        true
    }

    /// Releases an owner's locks of a range.
    pub(crate) fn unlock(
        &mut self,
        file: FileId,
        owner: Owner,
        range: ByteRange,
    ) -> Result<(), LockError> {
        if self.is_over() {
            return Err(LockError::Stopped);
        }
        let Some(client) = self.entry(file).owners.get(&owner).copied() else { return Ok(()) };
        let own = self.own(file, client.key, range);
        let mut is_kept = true;
        for own in own {
            is_kept &= own.at != At::Lost;
            if outside(own.range, range).is_empty() {
                self.drop_lock(file, own.id);
            } else if own.at == At::Active {
                self.trim(file, client.key, own, range);
            }
        }
        self.forget(file, client.key);
        self.freed(file);
        if is_kept { Ok(()) } else { Err(LockError::Lost) }
    }

    /// Releases all locks of an owner, and withdraws its requests.
    pub(crate) fn owner_gone(&mut self, file: FileId, owner: Owner) {
        let Some(client) = self.entry(file).owners.get(&owner).copied() else { return };
        let all = self.entry(file).waiting.iter();
        let own = all.filter(|(_, waiting)| waiting.key == client.key);
        let waiting: Vec<LockId> = own.map(|(id, _)| *id).collect();
        for id in waiting {
            self.abandon(file, id, LockError::Withdrawn);
        }
        let locks = self.locks(file).into_iter().flat_map(|locks| locks.of(client.key));
        let locks: Vec<LockId> = locks.map(|(id, _)| id).collect();
        for id in locks {
            self.drop_lock(file, id);
        }
        self.forget(file, client.key);
        self.freed(file);
    }

    /// The document's ACCEPTED locks over a range.
    pub(crate) fn accepted(
        &self,
        file: FileId,
        range: ByteRange,
    ) -> impl Iterator<Item = &ByteRangeLock> {
        let over = self.locks(file).into_iter().flat_map(move |locks| locks.over(range));
        over.map(|(_, lock)| lock).filter(|lock| matches!(lock.at, At::Active | At::Waitlock))
    }

    /// The lock that is in the way of a request: of the owner that came first, the first one. If no
    /// type is given, the first one of the owner itself.
    pub(crate) fn test(
        &mut self,
        file: FileId,
        owner: Owner,
        kind: Option<LockType>,
        range: ByteRange,
    ) -> Option<HeldLock> {
        let own = self.entry(file).owners.get(&owner).map(|client| client.key);
        let is_meant = |lock: &ByteRangeLock| match kind {
            Some(kind) => Some(lock.key) != own && excludes(kind, lock.kind),
            None => Some(lock.key) == own,
        };
        let over: Vec<ByteRangeLock> =
            self.accepted(file, range).filter(|lock| is_meant(lock)).copied().collect();
        let entry = self.entry(file);
        let known = over.into_iter().filter_map(|lock| {
            let owner = *entry.keys.get(&lock.key)?;
            Some((lock, owner, *entry.owners.get(&owner)?))
        });
        let (lock, owner, client) = known.min_by_key(|(lock, _, client)| {
            (client.turn.unwrap_or(u64::MAX), lock.range.first())
        })?;
        let range = self.joined(file, lock.key, lock.kind, lock.range);
        let process = NonZeroU32::new(client.process);
        Some(HeldLock { owner, process, kind: lock.kind, range })
    }

    /// A range, together with the locks of an owner and a type that are adjacent to it.
    fn joined(&self, file: FileId, key: ClientKey, kind: LockType, range: ByteRange) -> ByteRange {
        let at = |byte| {
            let own = self.own(file, key, ByteRange::byte(byte));
            own.into_iter().find(|own| own.kind == kind).map(|own| own.range)
        };
        let (mut first, mut last) = (range.first(), range.last());
        while let Some(before) = first.checked_sub(1).and_then(at) {
            first = before.first();
        }
        while let Some(after) = last.checked_add(1).and_then(at) {
            last = after.last();
        }
        spanning(first, last)
    }
}

/// The bytes from `first` to `last`.
pub(crate) fn spanning(first: u64, last: u64) -> ByteRange {
    let length = (last - first).saturating_add(1);
    ByteRange::new(first, length).expect("the first byte is not beyond the last")
}

/// The parts of a range that are not in another one.
pub(crate) fn outside(range: ByteRange, other: ByteRange) -> Vec<ByteRange> {
    if !range.overlaps(other) {
        return vec![range];
    }
    let before =
        (range.first() < other.first()).then(|| spanning(range.first(), other.first() - 1));
    let after = (range.last() > other.last()).then(|| spanning(other.last() + 1, range.last()));
    before.into_iter().chain(after).collect()
}

/// The parts of a range that no lock covers; the locks are in the order of their addresses.
pub(crate) fn uncovered(range: ByteRange, locks: &[Own]) -> Vec<ByteRange> {
    let mut parts = Vec::new();
    let mut next = Some(range.first());
    for lock in locks {
        let Some(from) = next.filter(|next| *next <= range.last()) else { break };
        if lock.range.first() > from {
            parts.push(spanning(from, (lock.range.first() - 1).min(range.last())));
        }
        next = lock.range.last().checked_add(1).map(|after| after.max(from));
    }
    if let Some(from) = next.filter(|next| *next <= range.last()) {
        parts.push(spanning(from, range.last()));
    }
    parts
}

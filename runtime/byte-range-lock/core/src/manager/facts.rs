//! The predicates and collections of formulas, evaluated on a file. A formula's terms are locks by
//! slot, so that each is looked up once, bytes by address, clients by key; a range is that of the
//! operation.

use core::cell::RefCell;

use turnstile_byte_range_lock_machines::byte_range_lock::{
    Collection, Invariant, Machine, OpenGuard, Predicate, Rule, State as At, Subject, Term,
};
use turnstile_byte_range_lock_machines::server_lock::State as Server;
use turnstile_machine::{Facts, GuardFacts, Rules};

use super::state::File;
use crate::locks::{ByteRangeLock, ClientKey, LockType, Slot};
use crate::number::LockId;
use crate::range::ByteRange;
use crate::sweep::Sweep;

/// The term of an operation's range; locks have smaller numbers.
const RANGE: Term = Term(u64::MAX);

/// The term of a lock or a client if there is none.
const NOTHING: Term = Term(u64::MAX - 1);

/// The term of a lock.
fn lock_term(slot: Slot) -> Term {
    Term(u64::from(slot.0))
}

fn client(key: ClientKey) -> Term {
    Term(u64::from(key.0))
}

/// The data of a formula: a file, and the range of an operation or the lock that takes an event.
pub(super) struct FileFacts<'a> {
    file: &'a File,
    range: ByteRange,
    lock: Term,
    client: Term,
    /// The client of the operation, which need not be the lock's.
    requester: Term,
    /// The innermost sweep over the bytes of a range; it has the locks over the current byte.
    walk: RefCell<Option<Sweep>>,
}

impl File {
    /// The data for the guards of a lock's rows, if it is in the list.
    pub(super) fn moved(&self, id: LockId, requester: Option<ClientKey>) -> Option<FileFacts<'_>> {
        let slot = self.locks.slot(id)?;
        let (_, lock) = self.locks.at(slot)?;
        Some(FileFacts {
            lock: lock_term(slot),
            client: client(lock.key),
            requester: requester.map_or(NOTHING, client),
            ..FileFacts::new(self, ByteRange::ALL)
        })
    }

    /// Whether a client can READ a range of the file.
    #[must_use]
    pub fn may_read<L: Rules<Machine>>(&self, table: &L, key: ClientKey, range: ByteRange) -> bool {
        let rule = Rule::Read { client: client(key), range: RANGE };
        table.rule(rule, &FileFacts::new(self, range))
    }

    /// Whether a client can WRITE a range of the file.
    #[must_use]
    pub fn may_write<L: Rules<Machine>>(
        &self,
        table: &L,
        key: ClientKey,
        range: ByteRange,
    ) -> bool {
        let rule = Rule::Write { client: client(key), range: RANGE };
        table.rule(rule, &FileFacts::new(self, range))
    }

    /// Whether an invariant of a table holds.
    #[must_use]
    pub fn keeps<L: Rules<Machine>>(&self, table: &L, invariant: Invariant) -> bool {
        table.invariant(invariant, &FileFacts::new(self, ByteRange::ALL))
    }

    /// Whether a LOST lock was ACTIVE when it was lost.
    pub(super) fn was(lock: &ByteRangeLock, at: At) -> bool {
        lock.lost.is_some_and(|loss| loss.was == at)
    }

    /// Whether the file has the contents that it had when a lock was lost.
    pub(super) fn is_unmodified(&self, lock: &ByteRangeLock) -> bool {
        let contents = lock.lost.and_then(|loss| loss.contents);
        contents.is_some() && contents == self.contents
    }
}

impl<'a> FileFacts<'a> {
    fn new(file: &'a File, range: ByteRange) -> Self {
        let [lock, client, requester] = [NOTHING; 3];
        Self { file, range, lock, client, requester, walk: RefCell::new(None) }
    }

    /// Whether `is` holds for every byte of a range. It is evaluated once for each part that the
    /// same locks cover; the locks are looked up once.
    fn every_byte(&self, range: ByteRange, is: &mut dyn FnMut(Term) -> bool) -> bool {
        if range.first() == range.last() {
            return is(Term(range.first()));
        }
        let outer = self.walk.replace(Some(Sweep::new(&self.file.locks, range)));
        let next = || self.walk.borrow_mut().as_mut().and_then(Sweep::step);
        let is_so = core::iter::from_fn(next).all(|byte| is(Term(byte)));
        self.walk.replace(outer);
        is_so
    }

    /// Whether `is` holds for every lock over a byte.
    fn every_over(&self, byte: u64, is: &mut dyn FnMut(Term) -> bool) -> bool {
        if !self.walk.borrow().as_ref().is_some_and(|walk| walk.is_at(byte)) {
            let mut over = self.file.locks.slots_over(ByteRange::byte(byte));
            return over.all(|slot| is(lock_term(slot)));
        }
        // `is` may itself go over bytes, which re-enters this function.
        let nth = |n| self.walk.borrow().as_ref().and_then(|walk| walk.nth(n));
        (0..).map_while(nth).all(|slot| is(lock_term(slot)))
    }

    fn lock(&self, thing: Term) -> Option<(LockId, &'a ByteRangeLock)> {
        let slot = u32::try_from(thing.0).ok()?;
        self.file.locks.at(Slot(slot))
    }

    /// Whether `is_so` holds for a lock; false if it is not there.
    fn of(&self, lock: Term, is_so: impl Fn(&ByteRangeLock) -> bool) -> bool {
        self.lock(lock).is_some_and(|(_, lock)| is_so(lock))
    }

    /// Whether `is_so` holds for two locks.
    fn of_both(
        &self,
        lock: Term,
        other: Term,
        is_so: impl Fn(&ByteRangeLock, &ByteRangeLock) -> bool,
    ) -> bool {
        let both = self.lock(lock).zip(self.lock(other));
        both.is_some_and(|((_, lock), (_, other))| is_so(lock, other))
    }
}

impl GuardFacts<Machine> for FileFacts<'_> {
    fn guard(&self, guard: OpenGuard) -> bool {
        match guard {
            OpenGuard::WasWaitlock => self.of(self.lock, |one| File::was(one, At::Waitlock)),
        }
    }

    fn subject(&self, subject: Subject) -> Term {
        match subject {
            Subject::Lock => self.lock,
            Subject::Client => self.client,
            Subject::Asker => self.requester,
        }
    }
}

impl Facts<Machine> for FileFacts<'_> {
    fn is(&self, predicate: Predicate) -> bool {
        match predicate {
            Predicate::IsShared { lock } => self.of(lock, |one| one.kind == LockType::Shared),
            Predicate::IsExclusive { lock } => self.of(lock, |one| one.kind == LockType::Exclusive),
            Predicate::BelongsTo { lock, client: asks } => {
                self.of(lock, |one| client(one.key) == asks)
            }
            Predicate::SameClient { lock, other } => {
                self.of_both(lock, other, |one, other| one.key == other.key)
            }
            Predicate::SameLock { lock, other } => lock == other,
            Predicate::Overlaps { lock, other } => {
                self.of_both(lock, other, |one, other| one.range.overlaps(other.range))
            }
            Predicate::IsAheadOf { lock, other } => {
                let both = self.lock(lock).zip(self.lock(other));
                both.is_some_and(|((lock, _), (other, _))| lock < other)
            }
            Predicate::LostWhileActive { lock } => self.of(lock, |one| File::was(one, At::Active)),
            Predicate::UnmodifiedSinceLost { lock } => {
                self.of(lock, |one| self.file.is_unmodified(one))
            }
            Predicate::ServerLockIsLockRead => self.file.server == Server::LockRead,
            Predicate::ServerLockIsLockWrite => self.file.server == Server::LockWrite,
            Predicate::TheCountsAreRight => self.file.locks.are_counted(),
        }
    }

    fn every(&self, collection: Collection, is: &mut dyn FnMut(Term) -> bool) -> bool {
        let locks = &self.file.locks;
        match collection {
            Collection::BytesOf { range: RANGE } => self.every_byte(self.range, is),
            Collection::BytesOf { range: lock } | Collection::BytesLockedBy { lock } => {
                self.lock(lock).is_none_or(|(_, lock)| self.every_byte(lock.range, is))
            }
            Collection::LocksOver { byte } => self.every_over(byte.0, is),
            Collection::LocksOf { client: owner } => {
                let key = u32::try_from(owner.0).map(ClientKey);
                let mut own = key.into_iter().flat_map(|key| locks.slots_of(key));
                own.all(|slot| is(lock_term(slot)))
            }
        }
    }

    /// The locks over any byte of a lock are those that overlap it.
    fn every_under(
        &self,
        outer: Collection,
        inner: &dyn Fn(Term) -> Collection,
        is: &mut dyn FnMut(Term) -> bool,
    ) -> bool {
        if let (Collection::BytesLockedBy { lock }, Collection::LocksOver { .. }) =
            (outer, inner(Term(0)))
        {
            let over = self.lock(lock).map(|(_, lock)| self.file.locks.slots_over(lock.range));
            return over.into_iter().flatten().all(|slot| is(lock_term(slot)));
        }
        self.every(outer, &mut |thing| self.every(inner(thing), &mut *is))
    }

    /// A client may have many locks; the file knows how many are in each state.
    fn none_in(&self, collection: Collection, states: &[At]) -> bool {
        !states.iter().any(|at| self.file.locks.has_any_in(*at))
            || self.every(collection, &mut |thing| {
                self.state(thing).is_none_or(|at| !states.contains(&at))
            })
    }

    fn instances(&self, is: &mut dyn FnMut(Term, At) -> bool) -> bool {
        let locks = &self.file.locks;
        locks
            .slots()
            .all(|slot| locks.at(slot).is_none_or(|(_, lock)| is(lock_term(slot), lock.at)))
    }

    fn state(&self, thing: Term) -> Option<At> {
        self.lock(thing).map(|(_, lock)| lock.at)
    }
}

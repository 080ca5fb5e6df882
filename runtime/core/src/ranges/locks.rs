//! S->fileLocks: the locks of one file in the order in which they came, found by range.

use alloc::collections::BTreeMap;
use core::hash::{Hash, Hasher};

use turnstile_machines::byte_range_lock::State;

use super::overlaps::Overlaps;
use super::range::ByteRange;
use crate::number::{Class, DataVersion, LockId, Numbers};

/// Who owns a lock: a token that means something for one file only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(pub u32);

/// What a lock keeps others from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LockType {
    /// From writing.
    Shared,
    /// From reading and writing.
    Exclusive,
}

/// A byte-range lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lock {
    /// Its owner.
    pub key: Key,
    /// Its type.
    pub kind: LockType,
    /// Its bytes.
    pub range: ByteRange,
    /// Where its machine is.
    pub at: State,
    /// What it was when it was lost; only while it is LOST.
    pub lost: Option<Loss>,
}

/// What is kept of a lock that is LOST.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Loss {
    /// Its state before.
    pub was: State,
    /// The contents that the file had when the file server last granted; `None` once a client of
    /// this cache manager may have modified them.
    pub contents: Option<DataVersion>,
}

impl Lock {
    /// Whether both may not be granted at once: they share a byte, and one is exclusive.
    #[must_use]
    pub fn conflicts(&self, other: &Self) -> bool {
        self.range.overlaps(other.range)
            && (self.kind == LockType::Exclusive || other.kind == LockType::Exclusive)
    }
}

/// The locks of one file. Equal where the list is; all else follows from it.
#[derive(Clone, Debug, Default)]
pub struct Locks {
    list: BTreeMap<LockId, Lock>,
    index: Overlaps,
    /// How many there are in each state, shared and exclusive.
    counts: [[usize; 2]; State::ALL.len()],
}

impl Locks {
    /// A lock, if it is in the list.
    #[must_use]
    pub fn lock(&self, id: LockId) -> Option<&Lock> {
        self.list.get(&id)
    }

    /// Every lock, in the order in which they came.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (LockId, &Lock)> {
        self.list.iter().map(|(id, lock)| (*id, lock))
    }

    /// The locks that share a byte with a range, in no order that means anything.
    pub fn over(&self, range: ByteRange) -> impl Iterator<Item = (LockId, &Lock)> {
        self.index.over(range).map(|id| (id, &self.list[&id]))
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// How many locks of a type are in a state.
    #[must_use]
    pub fn count(&self, at: State, kind: LockType) -> usize {
        self.counts[at as usize][kind as usize]
    }

    /// Puts a lock at the end of the list.
    pub(super) fn push(&mut self, id: LockId, lock: Lock) {
        assert!(self.list.last_key_value().is_none_or(|(last, _)| *last < id), "it comes last");
        self.index.insert(lock.range, id);
        self.counts[lock.at as usize][lock.kind as usize] += 1;
        self.list.insert(id, lock);
    }

    /// Takes a lock from the list.
    pub(super) fn remove(&mut self, id: LockId) {
        if let Some(lock) = self.list.remove(&id) {
            self.index.remove(lock.range, id);
            self.counts[lock.at as usize][lock.kind as usize] -= 1;
        }
    }

    /// Moves a lock's machine.
    pub(super) fn put(&mut self, id: LockId, to: State) {
        if let Some(lock) = self.list.get_mut(&id) {
            self.counts[lock.at as usize][lock.kind as usize] -= 1;
            self.counts[to as usize][lock.kind as usize] += 1;
            lock.at = to;
        }
    }

    /// Notes what a lock was, or that it is lost no longer.
    pub(super) fn note(&mut self, id: LockId, lost: Option<Loss>) {
        if let Some(lock) = self.list.get_mut(&id) {
            lock.lost = lost;
        }
    }

    /// Notes for every lock that is LOST that the contents are not what they were.
    pub(super) fn modified(&mut self) {
        let lost = self.list.values_mut().filter_map(|lock| lock.lost.as_mut());
        lost.for_each(|loss| loss.contents = None);
    }
}

impl PartialEq for Locks {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Eq for Locks {}

impl Hash for Locks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.list.hash(state);
    }
}

impl Numbers for Lock {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        if let Some(loss) = &mut self.lost {
            loss.contents.visit(each);
        }
    }
}

impl Numbers for Locks {
    fn visit(&mut self, each: &mut dyn FnMut(Class, &mut u64)) {
        self.list.visit(each);
        self.index = Overlaps::default();
        for (id, lock) in &self.list {
            self.index.insert(lock.range, *id);
        }
    }
}

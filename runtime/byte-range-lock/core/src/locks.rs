//! S->fileLocks: the locks of one file in the order of their requests, indexed by range and client.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use turnstile_byte_range_lock_machines::byte_range_lock::State;
use turnstile_step::{IdClass, Symbolic};

use super::interval_index::IntervalIndex;
use super::range::ByteRange;
use crate::number::{DataVersion, LockId};

/// The owner of a lock, by a key that is unique within one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClientKey(pub u32);

/// The type of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum LockType {
    /// Other clients cannot write.
    Shared,
    /// Other clients can neither read nor write.
    Exclusive,
}

/// A byte-range lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct ByteRangeLock {
    /// Its owner.
    pub key: ClientKey,
    /// Its type.
    pub kind: LockType,
    /// Its bytes.
    pub range: ByteRange,
    /// The machine's state.
    #[symbolic(skip)]
    pub at: State,
    /// Its state and contents when it was lost; set while it is LOST.
    pub lost: Option<Loss>,
}

/// The circumstances of the loss of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Loss {
    /// Its state before the loss.
    #[symbolic(skip)]
    pub was: State,
    /// The version of the contents when the file server last granted the server lock; `None` once a
    /// client of this cache manager may have modified them.
    pub contents: Option<DataVersion>,
}

/// The states that the counts include.
pub(super) const VALID: [State; 2] = [State::Active, State::Waitlock];

/// The index of a lock's storage, stable while the lock is in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot(pub(super) u32);

/// The locks of one file. Equality compares the list and the indexes' contents; slots and the shape
/// of the tree depend on history and are ignored.
#[derive(Clone, Debug, Default)]
pub struct FileLocks {
    pub(super) slots: Vec<Option<(LockId, ByteRangeLock)>>,
    pub(super) free: Vec<Slot>,
    pub(super) list: BTreeMap<LockId, Slot>,
    pub(super) index: IntervalIndex<Slot>,
    pub(super) owned: BTreeMap<(ClientKey, LockId), Slot>,
    /// The number of locks in each state, shared and exclusive.
    pub(super) counts: [[usize; 2]; State::ALL.len()],
}

const KEPT: &str = "a listed lock has a slot";

impl FileLocks {
    /// A lock, if it is in the list.
    #[must_use]
    pub fn lock(&self, id: LockId) -> Option<&ByteRangeLock> {
        self.slot(id).map(|slot| self.kept(slot).1)
    }

    /// Every lock, in the order of the list.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (LockId, &ByteRangeLock)> {
        self.slots().map(|slot| self.kept(slot))
    }

    /// The locks that overlap a range, in unspecified order.
    pub fn over(&self, range: ByteRange) -> impl Iterator<Item = (LockId, &ByteRangeLock)> {
        self.slots_over(range).map(|slot| self.kept(slot))
    }

    /// The locks of a client, in the order of the list.
    pub fn of(&self, key: ClientKey) -> impl Iterator<Item = (LockId, &ByteRangeLock)> {
        self.slots_of(key).map(|slot| self.kept(slot))
    }

    /// The slot of a lock, if it is in the list.
    pub(super) fn slot(&self, id: LockId) -> Option<Slot> {
        self.list.get(&id).copied()
    }

    /// The lock of a slot, if it has one.
    pub(super) fn at(&self, slot: Slot) -> Option<(LockId, &ByteRangeLock)> {
        let (id, lock) = self.slots.get(slot.0 as usize)?.as_ref()?;
        Some((*id, lock))
    }

    /// The slot of every lock, in the order of the list.
    pub(super) fn slots(&self) -> impl DoubleEndedIterator<Item = Slot> {
        self.list.values().copied()
    }

    /// The slots of the locks that overlap a range.
    pub(super) fn slots_over(&self, range: ByteRange) -> impl Iterator<Item = Slot> {
        self.index.over(range)
    }

    /// The slots of a client's locks, in the order of the list.
    pub(super) fn slots_of(&self, key: ClientKey) -> impl Iterator<Item = Slot> {
        let own = self.owned.range((key, LockId::new(0))..=(key, LockId::new(u64::MAX)));
        own.map(|(_, slot)| *slot)
    }

    fn kept(&self, slot: Slot) -> (LockId, &ByteRangeLock) {
        self.at(slot).expect(KEPT)
    }

    fn kept_mut(&mut self, id: LockId) -> Option<&mut ByteRangeLock> {
        let slot = self.slot(id)?;
        let kept = self.slots[slot.0 as usize].as_mut();
        kept.map(|(_, lock)| lock)
    }

    /// Whether any lock is in a state.
    #[must_use]
    pub fn has_any_in(&self, at: State) -> bool {
        self.counts[at as usize] != [0, 0]
    }

    /// The locks in a state, in the order of the list.
    pub fn in_state(&self, at: State) -> impl Iterator<Item = (LockId, &ByteRangeLock)> {
        let all = self.has_any_in(at).then(|| self.iter()).into_iter().flatten();
        all.filter(move |(_, lock)| lock.at == at)
    }

    /// The number of locks.
    #[must_use]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// S->sharedLocks or S->exclusiveLocks: how many VALID locks of a type there are.
    #[must_use]
    pub fn valid(&self, kind: LockType) -> usize {
        VALID.iter().map(|at| self.counts[*at as usize][kind as usize]).sum()
    }

    /// Appends a lock to the list.
    pub(super) fn push(&mut self, id: LockId, lock: ByteRangeLock) {
        assert!(self.list.last_key_value().is_none_or(|(last, _)| *last < id), "it comes last");
        let slot = self.free.pop().unwrap_or_else(|| {
            let slot = u32::try_from(self.slots.len()).expect("fewer than 2^31 locks of one file");
            self.slots.push(None);
            Slot(slot)
        });
        self.slots[slot.0 as usize] = Some((id, lock));
        self.index.insert(lock.range, slot);
        self.owned.insert((lock.key, id), slot);
        self.counts[lock.at as usize][lock.kind as usize] += 1;
        self.list.insert(id, slot);
    }

    /// Removes a lock from the list.
    pub(super) fn remove(&mut self, id: LockId) {
        let Some(slot) = self.list.remove(&id) else { return };
        let (_, lock) = self.slots[slot.0 as usize].take().expect(KEPT);
        self.free.push(slot);
        self.index.remove(lock.range, slot);
        self.owned.remove(&(lock.key, id));
        self.counts[lock.at as usize][lock.kind as usize] -= 1;
    }

    /// Sets the state of a lock.
    pub(super) fn put(&mut self, id: LockId, to: State) {
        let Some(lock) = self.kept_mut(id) else { return };
        let (from, kind) = (mem::replace(&mut lock.at, to), lock.kind);
        self.counts[from as usize][kind as usize] -= 1;
        self.counts[to as usize][kind as usize] += 1;
    }

    /// Sets or clears the loss of a lock.
    pub(super) fn set_loss(&mut self, id: LockId, lost: Option<Loss>) {
        if let Some(lock) = self.kept_mut(id) {
            lock.lost = lost;
        }
    }

    /// Marks the contents as modified, for every LOST lock.
    pub(super) fn mark_modified(&mut self) {
        if self.counts[State::Lost as usize] == [0, 0] {
            return;
        }
        let kept = self.slots.iter_mut().flatten();
        let lost = kept.filter_map(|(_, lock)| lock.lost.as_mut());
        lost.for_each(|loss| loss.contents = None);
    }
}

impl Symbolic for FileLocks {
    /// Slots do not change, nor does the index by range, which has slots only.
    fn visit_ids(&mut self, each: &mut dyn FnMut(IdClass, &mut u64)) {
        let mut list: Vec<_> = mem::take(&mut self.list).into_iter().collect();
        let mut is_listed = vec![false; self.slots.len()];
        for (id, slot) in &mut list {
            id.visit_ids(each);
            if let Some(Some((kept, lock))) = self.slots.get_mut(slot.0 as usize) {
                kept.visit_ids(each);
                lock.visit_ids(each);
                is_listed[slot.0 as usize] = true;
            }
        }
        self.list = list.into_iter().collect();
        let strays = self.slots.iter_mut().zip(is_listed).filter(|(_, is_listed)| !is_listed);
        for (kept, lock) in strays.filter_map(|(slot, _)| slot.as_mut()) {
            kept.visit_ids(each);
            lock.visit_ids(each);
        }
        let owned = mem::take(&mut self.owned).into_iter().map(|((key, mut id), slot)| {
            id.visit_ids(each);
            ((key, id), slot)
        });
        self.owned = owned.collect();
    }
}

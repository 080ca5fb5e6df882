//! S->fileLocks: the locks of one file in the order in which they came, found by range.

use alloc::collections::BTreeMap;
use alloc::vec;
use alloc::vec::Vec;
use core::hash::{Hash, Hasher};
use core::mem;

use turnstile_machines::byte_range_lock::State;
use turnstile_step::{IdClass, Symbolic};

use super::overlaps::Overlaps;
use super::range::ByteRange;
use crate::number::{DataVersion, LockId};

/// Who owns a lock: a token that means something for one file only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Key(pub u32);

/// What a lock keeps others from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Symbolic)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum LockType {
    /// From writing.
    Shared,
    /// From reading and writing.
    Exclusive,
}

/// A byte-range lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Lock {
    /// Its owner.
    pub key: Key,
    /// Its type.
    pub kind: LockType,
    /// Its bytes.
    pub range: ByteRange,
    /// Where its machine is.
    #[symbolic(skip)]
    pub at: State,
    /// What it was when it was lost; only while it is LOST.
    pub lost: Option<Loss>,
}

/// What is kept of a lock that is LOST.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Symbolic)]
pub struct Loss {
    /// Its state before.
    #[symbolic(skip)]
    pub was: State,
    /// The contents that the file had when the file server last granted; `None` once a client of
    /// this cache manager may have modified them.
    pub contents: Option<DataVersion>,
}

/// What the counts count.
const VALID: [State; 2] = [State::Active, State::Waitlock];

/// Where a lock is kept as long as it is in the list: whoever has found it once need not search
/// for it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Slot(pub(super) u32);

/// The locks of one file. Equal where the list and what is found by it are: in which slots the
/// locks are kept, and what shape the tree has, depends on what happened before.
#[derive(Clone, Debug, Default)]
pub struct Locks {
    slots: Vec<Option<(LockId, Lock)>>,
    free: Vec<Slot>,
    list: BTreeMap<LockId, Slot>,
    index: Overlaps<Slot>,
    owned: BTreeMap<(Key, LockId), Slot>,
    /// How many there are in each state, shared and exclusive.
    counts: [[usize; 2]; State::ALL.len()],
}

const KEPT: &str = "what is in the list is kept";

impl Locks {
    /// A lock, if it is in the list.
    #[must_use]
    pub fn lock(&self, id: LockId) -> Option<&Lock> {
        self.slot(id).map(|slot| self.kept(slot).1)
    }

    /// Every lock, in the order in which they came.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (LockId, &Lock)> {
        self.slots().map(|slot| self.kept(slot))
    }

    /// The locks that share a byte with a range, in no order that means anything.
    pub fn over(&self, range: ByteRange) -> impl Iterator<Item = (LockId, &Lock)> {
        self.slots_over(range).map(|slot| self.kept(slot))
    }

    /// The locks of a client, in the order in which they came.
    pub fn of(&self, key: Key) -> impl Iterator<Item = (LockId, &Lock)> {
        self.slots_of(key).map(|slot| self.kept(slot))
    }

    /// Where a lock is kept, if it is in the list.
    pub(super) fn slot(&self, id: LockId) -> Option<Slot> {
        self.list.get(&id).copied()
    }

    /// The lock that is kept here, if one is.
    pub(super) fn at(&self, slot: Slot) -> Option<(LockId, &Lock)> {
        let (id, lock) = self.slots.get(slot.0 as usize)?.as_ref()?;
        Some((*id, lock))
    }

    /// Where every lock is kept, in the order in which they came.
    pub(super) fn slots(&self) -> impl DoubleEndedIterator<Item = Slot> {
        self.list.values().copied()
    }

    /// Where the locks are kept that share a byte with a range.
    pub(super) fn slots_over(&self, range: ByteRange) -> impl Iterator<Item = Slot> {
        self.index.over(range)
    }

    /// Where the locks of a client are kept, in the order in which they came.
    pub(super) fn slots_of(&self, key: Key) -> impl Iterator<Item = Slot> {
        let own = self.owned.range((key, LockId::new(0))..=(key, LockId::new(u64::MAX)));
        own.map(|(_, slot)| *slot)
    }

    fn kept(&self, slot: Slot) -> (LockId, &Lock) {
        self.at(slot).expect(KEPT)
    }

    /// What is found by owner: under which key and id, and which lock that is.
    fn owned(&self) -> impl Iterator<Item = (&(Key, LockId), Option<LockId>)> {
        self.owned.iter().map(|(own, slot)| (own, self.at(*slot).map(|(id, _)| id)))
    }

    /// What is found by range, in the order in which it came.
    fn indexed(&self) -> Vec<Option<LockId>> {
        let found = self.index.over(ByteRange::ALL);
        let mut found: Vec<_> = found.map(|slot| self.at(slot).map(|(id, _)| id)).collect();
        found.sort_unstable();
        found
    }

    fn kept_mut(&mut self, id: LockId) -> Option<&mut Lock> {
        let slot = self.slot(id)?;
        let kept = self.slots[slot.0 as usize].as_mut();
        kept.map(|(_, lock)| lock)
    }

    /// The locks in a state, in the order in which they came.
    pub fn in_state(&self, at: State) -> impl Iterator<Item = (LockId, &Lock)> {
        let is_any = self.counts[at as usize] != [0, 0];
        let all = is_any.then(|| self.iter()).into_iter().flatten();
        all.filter(move |(_, lock)| lock.at == at)
    }

    /// How many there are.
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

    /// Whether as many locks of each type are VALID as were counted.
    #[must_use]
    pub fn are_counted(&self) -> bool {
        let all = VALID.into_iter().flat_map(|at| self.in_state(at)).count();
        all == self.valid(LockType::Shared) + self.valid(LockType::Exclusive)
    }

    /// Puts a lock at the end of the list.
    pub(super) fn push(&mut self, id: LockId, lock: Lock) {
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

    /// Takes a lock from the list.
    pub(super) fn remove(&mut self, id: LockId) {
        let Some(slot) = self.list.remove(&id) else { return };
        let (_, lock) = self.slots[slot.0 as usize].take().expect(KEPT);
        self.free.push(slot);
        self.index.remove(lock.range, slot);
        self.owned.remove(&(lock.key, id));
        self.counts[lock.at as usize][lock.kind as usize] -= 1;
    }

    /// Moves a lock's machine.
    pub(super) fn put(&mut self, id: LockId, to: State) {
        let Some(lock) = self.kept_mut(id) else { return };
        let (from, kind) = (mem::replace(&mut lock.at, to), lock.kind);
        self.counts[from as usize][kind as usize] -= 1;
        self.counts[to as usize][kind as usize] += 1;
    }

    /// Notes what a lock was, or that it is lost no longer.
    pub(super) fn note(&mut self, id: LockId, lost: Option<Loss>) {
        if let Some(lock) = self.kept_mut(id) {
            lock.lost = lost;
        }
    }

    /// Notes for every lock that is LOST that the contents are not what they were.
    pub(super) fn modified(&mut self) {
        if self.counts[State::Lost as usize] == [0, 0] {
            return;
        }
        let kept = self.slots.iter_mut().flatten();
        let lost = kept.filter_map(|(_, lock)| lock.lost.as_mut());
        lost.for_each(|loss| loss.contents = None);
    }
}

impl PartialEq for Locks {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
            && self.counts == other.counts
            && self.owned().eq(other.owned())
            && self.indexed() == other.indexed()
    }
}

impl Eq for Locks {}

impl Hash for Locks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|lock| lock.hash(state));
        self.counts.hash(state);
        self.owned().for_each(|owned| owned.hash(state));
        self.indexed().hash(state);
    }
}

impl Symbolic for Locks {
    /// Slots stay as they are, and so does the tree of overlaps, which knows slots only.
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

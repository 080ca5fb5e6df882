//! What properties ask of a file's locks, and how a search compares them: no step needs it.

use alloc::vec::Vec;
use core::hash::{Hash, Hasher};

use turnstile_byte_range_lock_machines::byte_range_lock::State;

use super::interval_index::IntervalIndex;
use super::locks::{ClientKey, FileLocks, LockType, VALID};
use super::range::ByteRange;
use crate::number::LockId;

impl FileLocks {
    /// Whether the counts of VALID locks agree with the list.
    #[must_use]
    pub fn are_counted(&self) -> bool {
        let is_valid = |at| VALID.contains(&at);
        let all = self.iter().filter(|(_, lock)| is_valid(lock.at)).count();
        all == self.valid(LockType::Shared) + self.valid(LockType::Exclusive)
    }

    /// Whether every count and index has the locks of the list and no other, and no storage is
    /// lost.
    #[must_use]
    pub fn are_indexed(&self) -> bool {
        let number = self.list.len();
        let is_counted = |at: State, kind: LockType| {
            let has = self.iter().filter(|(_, one)| (one.at, one.kind) == (at, kind));
            has.count() == self.counts[at as usize][kind as usize]
        };
        let mut kinds = [LockType::Shared, LockType::Exclusive].into_iter();
        let are_counted = kinds.all(|kind| State::ALL.iter().all(|at| is_counted(*at, kind)));
        let are_owned = self.owned.len() == number
            && self.iter().all(|(id, one)| self.of(one.key).any(|(own, _)| own == id));
        let are_found = self.iter().all(|(_, asked)| {
            let overlaps = self.iter().filter(|(_, one)| one.range.overlaps(asked.range));
            let mut found: Vec<_> = self.over(asked.range).map(|(id, _)| id).collect();
            found.sort_unstable();
            overlaps.map(|(id, _)| id).eq(found)
        });
        let is_compact = self.slots.len() == number + self.free.len();
        are_counted && are_owned && are_found && is_compact && self.index.is_balanced(number)
    }

    /// The entries of the index by client: the key, and the lock that it refers to.
    fn owned(&self) -> impl Iterator<Item = (&(ClientKey, LockId), Option<LockId>)> {
        self.owned.iter().map(|(own, slot)| (own, self.at(*slot).map(|(id, _)| id)))
    }

    /// The locks in the index by range, sorted.
    fn indexed(&self) -> Vec<Option<LockId>> {
        let found = self.index.over(ByteRange::ALL);
        let mut found: Vec<_> = found.map(|slot| self.at(slot).map(|(id, _)| id)).collect();
        found.sort_unstable();
        found
    }
}

impl PartialEq for FileLocks {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
            && self.counts == other.counts
            && self.owned().eq(other.owned())
            && self.indexed() == other.indexed()
    }
}

impl Eq for FileLocks {}

impl Hash for FileLocks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|lock| lock.hash(state));
        self.counts.hash(state);
        self.owned().for_each(|owned| owned.hash(state));
        self.indexed().hash(state);
    }
}

impl<T: Copy + Ord> IntervalIndex<T> {
    /// Whether the tree has so many leaves, is balanced, and loses no node.
    fn is_balanced(&self, leaves: usize) -> bool {
        match self.root {
            None => (leaves, self.nodes()) == (0, 0),
            Some(root) => self.leaves(root) == Some(leaves) && self.nodes() + 1 == 2 * leaves,
        }
    }

    /// The leaves below a node; `None` if it counts them wrongly, or is not balanced.
    fn leaves(&self, at: u32) -> Option<usize> {
        let node = &self.nodes[at as usize];
        let Some((left, right)) = node.below else { return (node.leaves == 1).then_some(1) };
        let (left, right) = (self.leaves(left)?, self.leaves(right)?);
        let is_balanced = left.max(right) * 3 <= (left + right) * 2 + 3;
        (is_balanced && node.leaves as usize == left + right).then_some(left + right)
    }
}

//! What properties ask of a file's locks: no step needs it.

use alloc::vec::Vec;

use turnstile_machines::byte_range_lock::State;

use super::locks::{FileLocks, LockType, VALID};

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
        let nodes = (2 * number).saturating_sub(1);
        let is_compact = self.slots.len() == number + self.free.len();
        are_counted && are_owned && are_found && is_compact && self.index.nodes() == nodes
    }
}

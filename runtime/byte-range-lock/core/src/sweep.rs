//! A sweep over a range from its first byte to its last, in parts that the same locks cover. The
//! bytes of a part are equivalent.
//!
//! One query finds the locks over the range, O(log n + k) for k of n; they are sorted once, in
//! O(k log k), and the walk then takes, for each part, as much as there are locks over it.

use alloc::vec::Vec;

use super::locks::{FileLocks, Slot};
use super::range::ByteRange;

/// A sweep over the parts of a range.
#[derive(Clone, Debug)]
pub(super) struct Sweep {
    /// The locks that begin later, with their ranges, in descending order.
    ahead: Vec<(ByteRange, Slot)>,
    /// The locks over the current part, with the last byte of each.
    here: Vec<(u64, Slot)>,
    /// The first byte of the current part.
    byte: Option<u64>,
    /// The first byte of the next part.
    next: Option<u64>,
    /// The last byte of the range.
    last: u64,
}

impl Sweep {
    /// A sweep before the first part.
    pub(super) fn new(locks: &FileLocks, range: ByteRange) -> Self {
        let over = locks.slots_over(range);
        let mut ahead: Vec<(ByteRange, Slot)> =
            over.filter_map(|slot| Some((locks.at(slot)?.1.range, slot))).collect();
        ahead.sort_unstable_by(|one, other| other.cmp(one));
        let (next, last) = (Some(range.first()), range.last());
        Self { ahead, here: Vec::new(), byte: None, next, last }
    }

    /// Moves to the next part. Returns its first byte.
    pub(super) fn step(&mut self) -> Option<u64> {
        let byte = self.next?;
        self.here.retain(|(last, _)| *last >= byte);
        while let Some((range, slot)) = self.ahead.pop_if(|(range, _)| range.first() <= byte) {
            self.here.push((range.last(), slot));
        }
        let ends = self.here.iter().filter_map(|(last, _)| last.checked_add(1));
        let begins = self.ahead.last().map(|(range, _)| range.first());
        self.next = ends.chain(begins).min().filter(|next| *next <= self.last);
        self.byte = Some(byte);
        Some(byte)
    }

    /// The `n`th lock over the current part.
    pub(super) fn nth(&self, n: usize) -> Option<Slot> {
        self.here.get(n).map(|(_, slot)| *slot)
    }

    /// Whether this is the first byte of the current part.
    pub(super) fn is_at(&self, byte: u64) -> bool {
        self.byte == Some(byte)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use turnstile_byte_range_lock_machines::byte_range_lock::State;

    use super::*;
    use crate::locks::{ByteRangeLock, ClientKey, LockType};
    use crate::number::LockId;

    const BYTES: u64 = 24;

    fn range(is_high: bool) -> impl Strategy<Value = ByteRange> {
        let base = if is_high { u64::MAX - (BYTES - 1) } else { 0 };
        let range = (0..BYTES).prop_flat_map(|offset| (Just(offset), 1..=BYTES - offset));
        range.prop_map(move |(offset, length)| {
            ByteRange::new(base + offset, length).expect("it ends at the last address at most")
        })
    }

    fn locks(ranges: &[ByteRange]) -> FileLocks {
        let mut locks = FileLocks::default();
        let (key, kind, at, lost) = (ClientKey(1), LockType::Shared, State::Active, None);
        for (id, &range) in (1..).map(LockId::new).zip(ranges) {
            locks.push(id, ByteRangeLock { key, kind, range, at, lost });
        }
        locks
    }

    fn all() -> impl Strategy<Value = (Vec<ByteRange>, ByteRange)> {
        let all = |is_high| (prop::collection::vec(range(is_high), 0..12), range(is_high));
        any::<bool>().prop_flat_map(all)
    }

    proptest! {
        #[test]
        fn each_byte_has_its_locks_and_each_part_is_as_long_as_can_be((ranges, asked) in all()) {
            let locks = locks(&ranges);
            let over = |byte| {
                let mut over: Vec<Slot> = locks.slots_over(ByteRange::byte(byte)).collect();
                over.sort_unstable();
                over
            };
            let mut sweep = Sweep::new(&locks, asked);
            let mut part = None;
            let mut first = sweep.step();
            for byte in asked.first()..=asked.last() {
                if first == Some(byte) {
                    let mut here: Vec<Slot> = (0..).map_while(|n| sweep.nth(n)).collect();
                    here.sort_unstable();
                    prop_assert!(sweep.is_at(byte));
                    prop_assert_ne!(part.as_ref(), Some(&here), "two parts of the same locks");
                    part = Some(here);
                    first = sweep.step();
                }
                prop_assert_eq!(part.as_ref(), Some(&over(byte)));
            }
            prop_assert_eq!(first, None);
        }
    }
}

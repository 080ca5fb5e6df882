//! The tree of overlaps beside a list of bytes, each with the locks that cover it.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use turnstile_byte_range_lock_core::number::LockId;
use turnstile_byte_range_lock_core::{ByteRange, IntervalIndex, RangeError};

/// Addresses of the model: few, so that ranges meet.
const BYTES: u64 = 24;

#[derive(Clone, Debug)]
enum Act {
    Insert {
        offset: u64,
        length: u64,
    },
    /// Of the locks that are there, the one of this number, counted round.
    Remove(usize),
    Ask {
        offset: u64,
        length: u64,
    },
}

fn act() -> impl Strategy<Value = Act> {
    let range = || (0..BYTES).prop_flat_map(|offset| (Just(offset), 1..=BYTES - offset));
    prop_oneof![
        4 => range().prop_map(|(offset, length)| Act::Insert { offset, length }),
        3 => any::<usize>().prop_map(Act::Remove),
        2 => range().prop_map(|(offset, length)| Act::Ask { offset, length }),
    ]
}

fn range(offset: u64, length: u64) -> ByteRange {
    ByteRange::new(offset, length).expect("within the model")
}

/// Which locks cover each byte.
#[derive(Default)]
struct Bytes {
    covered: BTreeMap<u64, BTreeSet<LockId>>,
    locks: BTreeMap<LockId, ByteRange>,
}

impl Bytes {
    fn over(&self, range: ByteRange) -> Vec<LockId> {
        let bytes = self.covered.range(range.first()..=range.last());
        let locks: BTreeSet<LockId> = bytes.flat_map(|(_, locks)| locks).copied().collect();
        locks.into_iter().collect()
    }

    fn insert(&mut self, id: LockId, range: ByteRange) {
        self.locks.insert(id, range);
        for byte in range.first()..=range.last() {
            self.covered.entry(byte).or_default().insert(id);
        }
    }

    fn remove(&mut self, nth: usize) -> Option<(LockId, ByteRange)> {
        let (&id, &range) = self.locks.iter().nth(nth % self.locks.len().max(1))?;
        self.locks.remove(&id);
        for locks in self.covered.values_mut() {
            locks.remove(&id);
        }
        Some((id, range))
    }
}

/// Bytes moved to the upper end of all addresses, where sums overflow.
fn shifted(range: ByteRange, is_high: bool) -> ByteRange {
    let base = if is_high { u64::MAX - (BYTES - 1) } else { 0 };
    let length = range.last() - range.first() + 1;
    ByteRange::new(base + range.first(), length).expect("it still ends at the last address")
}

fn sorted(tree: &IntervalIndex<LockId>, range: ByteRange) -> Vec<LockId> {
    let mut found: Vec<LockId> = tree.over(range).collect();
    found.sort_unstable();
    found
}

proptest! {
    #[test]
    fn it_answers_as_byte_by_byte(
        acts in prop::collection::vec(act(), 0..200),
        is_high in any::<bool>(),
    ) {
        let (mut tree, mut bytes) = (IntervalIndex::default(), Bytes::default());
        let mut last = LockId::new(0);
        for act in acts {
            match act {
                Act::Insert { offset, length } => {
                    last = last.next();
                    let range = range(offset, length);
                    tree.insert(shifted(range, is_high), last);
                    bytes.insert(last, range);
                }
                Act::Remove(nth) => {
                    if let Some((id, range)) = bytes.remove(nth) {
                        tree.remove(shifted(range, is_high), id);
                    }
                }
                Act::Ask { offset, length } => {
                    let range = range(offset, length);
                    prop_assert_eq!(sorted(&tree, shifted(range, is_high)), bytes.over(range));
                }
            }
            prop_assert_eq!(tree.nodes(), (2 * bytes.locks.len()).saturating_sub(1));
        }
        let all: Vec<LockId> = bytes.locks.keys().copied().collect();
        prop_assert_eq!(sorted(&tree, ByteRange::ALL), all);
        for byte in 0..BYTES {
            let byte = ByteRange::byte(byte);
            prop_assert_eq!(sorted(&tree, shifted(byte, is_high)), bytes.over(byte));
        }
    }
}

#[test]
fn a_range_ends_at_the_last_address() {
    assert_eq!(ByteRange::new(7, 0), Err(RangeError::Empty));
    assert_eq!(ByteRange::new(u64::MAX, 2), Err(RangeError::BeyondTheEnd));
    assert_eq!(ByteRange::new(2, u64::MAX), Err(RangeError::BeyondTheEnd));
    let last = ByteRange::new(u64::MAX, 1).expect("one byte is there");
    assert!(last.contains(u64::MAX) && !last.contains(u64::MAX - 1));
    assert!(last.overlaps(ByteRange::ALL));
    assert!(!last.overlaps(ByteRange::byte(0)));
}

#[test]
fn locks_that_come_in_order_leave_a_tree_that_is_still_quick() {
    let mut tree = IntervalIndex::default();
    for id in 0..20_000 {
        tree.insert(range(2 * id, 1), LockId::new(id));
    }
    for id in (0..20_000).filter(|id| id % 3 != 0) {
        tree.remove(range(2 * id, 1), LockId::new(id));
    }
    for id in 0..20_000 {
        let expected: &[LockId] = if id % 3 == 0 { &[LockId::new(id)] } else { &[] };
        assert_eq!(sorted(&tree, range(2 * id, 2)), expected);
    }
}

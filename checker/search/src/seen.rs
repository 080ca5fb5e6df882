//! The states seen so far, by fingerprint: open addressing in shards that grow one at a time.
//!
//! A shard is owned by one thread, so there is nothing to race for: the first in the order given is
//! the new one, on any number of threads. Growing one shard in sixteen at a time keeps the peak
//! near what is needed. Nothing is ever taken out.

use std::hint::black_box;

/// Shards; a fingerprint's shard is its top bits.
pub(super) const SHARDS: usize = 1 << SHARD_BITS;
const SHARD_BITS: u32 = 4;
/// Fingerprints whose slots are touched before the first of them is looked at, so that the loads
/// run beside each other.
const AHEAD: usize = 16;
/// Slots of a new shard.
const SLOTS_MIN: usize = 256;

/// The shards of one thread. 0 is no fingerprint.
#[derive(Debug)]
pub(super) struct Seen {
    owners: usize,
    /// Every `owners`-th of all.
    shards: Vec<Shard>,
}

/// A part of the set.
#[derive(Debug)]
struct Shard {
    slots: Vec<u64>,
    count: usize,
    /// Grow when `count` reaches this.
    full: usize,
}

/// Which of so many owners has the shard of a fingerprint.
#[inline]
pub(super) fn owner_of(fingerprint: u64, owners: usize) -> usize {
    shard_of(fingerprint) % owners
}

#[inline]
fn shard_of(fingerprint: u64) -> usize {
    (fingerprint >> (u64::BITS - SHARD_BITS)) as usize
}

impl Seen {
    /// The shards of one of so many owners.
    #[must_use]
    pub(super) fn of(owner: usize, owners: usize) -> Self {
        let count = (owner..SHARDS).step_by(owners).len();
        Self { owners, shards: (0..count).map(|_| Shard::with(SLOTS_MIN)).collect() }
    }

    /// Bytes allocated.
    #[must_use]
    pub(super) fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.slots.capacity() * size_of::<u64>()).sum()
    }

    /// Inserts fingerprints of this owner, in order, each with a place, and calls `fresh` with the
    /// place of each that was not there.
    #[inline]
    pub(super) fn insert(
        &mut self,
        fingerprints: impl Iterator<Item = (u32, u64)>,
        mut fresh: impl FnMut(u32),
    ) {
        let mut some = [(0, 0); AHEAD];
        let mut count = 0;
        for each in fingerprints {
            some[count] = each;
            count += 1;
            if count == AHEAD {
                self.insert_some(&some, &mut fresh);
                count = 0;
            }
        }
        self.insert_some(&some[..count], &mut fresh);
    }

    #[inline]
    fn insert_some(&mut self, some: &[(u32, u64)], fresh: &mut impl FnMut(u32)) {
        let mut homes = [(0, 0); AHEAD];
        let mut all = 0;
        for (home, &(_, fingerprint)) in homes.iter_mut().zip(some) {
            let index = shard_of(fingerprint) / self.owners;
            let shard = &self.shards[index];
            let slot = shard.home(fingerprint);
            all ^= shard.slots[slot];
            *home = (index, slot);
        }
        black_box(all);
        for (&(index, slot), &(place, fingerprint)) in homes.iter().zip(some) {
            if self.shards[index].insert_at(slot, fingerprint) {
                fresh(place);
            }
        }
        // Not before: the slots noted are those of the shards as they were.
        for &(index, _) in &homes[..some.len()] {
            if self.shards[index].count >= self.shards[index].full {
                self.shards[index].grow();
            }
        }
    }
}

impl Shard {
    fn with(slots: usize) -> Self {
        Self { slots: vec![0; slots], count: 0, full: slots / 4 * 3 }
    }

    /// Where a fingerprint belongs: the bits below the shard's, scaled to the slots.
    #[inline]
    fn home(&self, fingerprint: u64) -> usize {
        let wide = u128::from(fingerprint << SHARD_BITS) * self.slots.len() as u128;
        (wide >> u64::BITS) as usize
    }

    /// Whether it was not there.
    #[inline]
    fn insert_at(&mut self, mut slot: usize, fingerprint: u64) -> bool {
        debug_assert_ne!(fingerprint, 0, "0 is kept free for an empty slot");
        loop {
            match self.slots[slot] {
                there if there == fingerprint => return false,
                0 => break,
                _ => slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 },
            }
        }
        self.slots[slot] = fingerprint;
        self.count += 1;
        true
    }

    /// Half as large again.
    #[cold]
    fn grow(&mut self) {
        let mut larger = Self::with(self.slots.len() / 2 * 3);
        for &fingerprint in self.slots.iter().filter(|&&slot| slot != 0) {
            larger.insert_at(larger.home(fingerprint), fingerprint);
        }
        larger.count = self.count;
        *self = larger;
    }
}

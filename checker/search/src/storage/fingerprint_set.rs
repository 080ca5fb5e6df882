//! The set of fingerprints of the states found: hash tables with open addressing, in shards that
//! grow one at a time.
//!
//! Each shard is owned by one thread, so there are no races: which of two equal fingerprints is new
//! depends on the order of insertion alone. Growing one of sixteen shards at a time keeps the peak
//! of memory low. Nothing is ever removed.

use std::hint::black_box;

/// The number of shards; the top bits of a fingerprint select its shard.
pub(crate) const SHARDS: usize = 1 << SHARD_BITS;
const SHARD_BITS: u32 = 4;
/// Slots prefetched before the first of them is read, so that the loads overlap.
const AHEAD: usize = 16;
/// The slots of a new shard.
const SLOTS_MIN: usize = 256;
/// A shard with fewer slots grows fourfold, since each growth inserts everything again; all shards
/// together are 2 MiB then.
const SLOTS_SMALL: usize = 1 << 14;

/// The shards of one thread.
#[derive(Debug)]
pub(crate) struct FingerprintSet {
    owners: usize,
    /// Every `owners`-th of all shards.
    shards: Vec<Shard>,
}

/// A hash table; an empty slot is 0, which is no fingerprint.
#[derive(Debug)]
struct Shard {
    slots: Vec<u64>,
    count: usize,
    /// The count at which the shard grows.
    full: usize,
}

/// The owner, of `owners`, of the shard of a fingerprint.
#[inline]
pub(crate) fn owner_of(fingerprint: u64, owners: usize) -> usize {
    shard_of(fingerprint) % owners
}

#[inline]
fn shard_of(fingerprint: u64) -> usize {
    (fingerprint >> (u64::BITS - SHARD_BITS)) as usize
}

impl FingerprintSet {
    /// The shards of one of `owners` owners.
    #[must_use]
    pub(crate) fn of(owner: usize, owners: usize) -> Self {
        let count = (owner..SHARDS).step_by(owners).len();
        Self { owners, shards: (0..count).map(|_| Shard::with(SLOTS_MIN)).collect() }
    }

    /// Bytes allocated.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.slots.capacity() * size_of::<u64>()).sum()
    }

    /// Inserts fingerprints of this owner in order, each with an index, and calls `fresh` with the
    /// index of each that is new.
    #[inline]
    pub(crate) fn insert(
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
        let mut prefetched = 0;
        for (home, &(_, fingerprint)) in homes.iter_mut().zip(some) {
            let index = shard_of(fingerprint) / self.owners;
            let shard = &self.shards[index];
            let slot = shard.home(fingerprint);
            prefetched ^= shard.slots[slot];
            *home = (index, slot);
        }
        black_box(prefetched);
        for (&(index, slot), &(number, fingerprint)) in homes.iter().zip(some) {
            if self.shards[index].insert_at(slot, fingerprint) {
                fresh(number);
            }
        }
        // Only now, since growing a shard moves its slots.
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

    /// The home slot of a fingerprint: the bits below the shard's, scaled to the slots.
    #[inline]
    fn home(&self, fingerprint: u64) -> usize {
        let wide = u128::from(fingerprint << SHARD_BITS) * self.slots.len() as u128;
        (wide >> u64::BITS) as usize
    }

    /// Inserts a fingerprint; returns whether it is new.
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

    /// Grows fourfold while small, then by half.
    #[cold]
    fn grow(&mut self) {
        let slots = self.slots.len();
        let mut larger = Self::with(if slots < SLOTS_SMALL { 4 * slots } else { slots / 2 * 3 });
        for &fingerprint in self.slots.iter().filter(|&&slot| slot != 0) {
            larger.insert_at(larger.home(fingerprint), fingerprint);
        }
        larger.count = self.count;
        *self = larger;
    }
}

//! The states seen so far, by fingerprint: open addressing in shards that grow one at a time.
//!
//! A shard is owned by one thread while it inserts, so there is nothing to race for: the first in
//! the order given is the new one, on any number of threads. Growing one shard in sixteen at a time
//! keeps the peak near what is needed. Nothing is ever taken out.

use std::hint::black_box;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Shards; a fingerprint's shard is its top bits.
pub(super) const SHARDS: usize = 1 << SHARD_BITS;
const SHARD_BITS: u32 = 4;
/// Fingerprints whose slots are touched before the first of them is looked at, so that the loads
/// run beside each other.
const AHEAD: usize = 16;
/// Slots of a new shard.
const SLOTS_MIN: usize = 256;

/// The set of fingerprints. 0 is none.
#[derive(Debug)]
pub(super) struct Seen {
    shards: Vec<Mutex<Shard>>,
}

/// A part of the set.
#[derive(Debug)]
pub(super) struct Shard {
    slots: Vec<u64>,
    count: usize,
    /// Grow when `count` reaches this.
    full: usize,
}

impl Default for Seen {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| Mutex::new(Shard::with(SLOTS_MIN))).collect() }
    }
}

impl Seen {
    /// Takes hold of every `of`-th shard from `first` on.
    #[must_use]
    pub(super) fn hold(&self, first: usize, of: usize) -> Held<'_> {
        // A poisoned shard means that another thread panicked; the search is ending.
        let hold = |shard| Mutex::lock(shard).unwrap_or_else(PoisonError::into_inner);
        let shards = self.shards.iter().enumerate();
        let shards =
            shards.map(|(index, shard)| (index % of == first).then(|| hold(shard))).collect();
        Held { shards }
    }

    /// Bytes allocated.
    #[must_use]
    pub(super) fn bytes(&self) -> usize {
        self.hold(0, 1).shards.iter().flatten().map(|shard| shard.slots.capacity() * 8).sum()
    }
}

/// Shards held by one thread.
#[derive(Debug)]
pub(super) struct Held<'s> {
    shards: Vec<Option<MutexGuard<'s, Shard>>>,
}

impl Held<'_> {
    /// Inserts those of the fingerprints that belong to the shards held, in order, and calls
    /// `fresh` with the place of each that was not there.
    pub(super) fn insert(&mut self, fingerprints: &[u64], mut fresh: impl FnMut(usize)) {
        let mut mine = [(0, 0); AHEAD];
        let mut count = 0;
        for (place, &fingerprint) in fingerprints.iter().enumerate() {
            if self.shards[shard_of(fingerprint)].is_some() {
                mine[count] = (place, fingerprint);
                count += 1;
                if count == AHEAD {
                    self.insert_some(&mine, &mut fresh);
                    count = 0;
                }
            }
        }
        self.insert_some(&mine[..count], &mut fresh);
    }

    fn insert_some(&mut self, some: &[(usize, u64)], fresh: &mut impl FnMut(usize)) {
        let mut homes = [0; AHEAD];
        for (home, &(_, fingerprint)) in homes.iter_mut().zip(some) {
            let shard = self.shards[shard_of(fingerprint)].as_ref().expect("chosen by insert");
            *home = shard.slots[shard.home(fingerprint)];
        }
        for (home, &(place, fingerprint)) in black_box(&homes).iter().zip(some) {
            // A slot once filled stays, so what was read before the others went in still counts.
            if *home == fingerprint {
                continue;
            }
            let shard = self.shards[shard_of(fingerprint)].as_mut().expect("chosen by insert");
            if shard.insert(fingerprint) {
                fresh(place);
            }
        }
    }
}

fn shard_of(fingerprint: u64) -> usize {
    usize::try_from(fingerprint >> (u64::BITS - SHARD_BITS)).expect("four bits")
}

impl Shard {
    fn with(slots: usize) -> Self {
        Self { slots: vec![0; slots], count: 0, full: slots / 5 * 4 }
    }

    /// Where a fingerprint belongs: the bits below the shard's, scaled to the slots.
    fn home(&self, fingerprint: u64) -> usize {
        let wide = u128::from(fingerprint << SHARD_BITS) * self.slots.len() as u128;
        usize::try_from(wide >> u64::BITS).expect("below the number of slots")
    }

    /// Whether it was not there.
    fn insert(&mut self, fingerprint: u64) -> bool {
        assert_ne!(fingerprint, 0, "0 is kept free for an empty slot");
        let mut slot = self.home(fingerprint);
        loop {
            match self.slots[slot] {
                0 => break,
                there if there == fingerprint => return false,
                _ => slot = if slot + 1 == self.slots.len() { 0 } else { slot + 1 },
            }
        }
        self.slots[slot] = fingerprint;
        self.count += 1;
        if self.count == self.full {
            self.grow();
        }
        true
    }

    /// Half as large again.
    fn grow(&mut self) {
        let mut larger = Self::with(self.slots.len() / 2 * 3);
        for &fingerprint in self.slots.iter().filter(|&&slot| slot != 0) {
            larger.insert(fingerprint);
        }
        *self = larger;
    }
}

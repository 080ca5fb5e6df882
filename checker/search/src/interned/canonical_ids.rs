//! Canonical symbolic ids of a state vector: [`crate::transition_system::canonicalize_ids`] on
//! interned parts.
//!
//! The ids of nearly every successor are canonical already, which the short id lists of its parts
//! show. Only a part whose ids change is computed, once.

use std::collections::HashMap;

use turnstile_step::Order;

use crate::fingerprint::BuildStableHasher;
use crate::interned::tables::StoredId;
use crate::interned::thread_cache::ThreadCache;
use crate::transition_system::IdRenaming;

/// Classes of ids handled without a map.
const CLASSES: usize = 8;
/// Ids of a class handled without a map: 0 to 63, so that a set of them is one word.
const VALUES: usize = 64;

/// The canonicalizer of one thread.
#[derive(Debug)]
pub(super) struct IdCanonicalizer {
    /// By place: from a part and its new ids to the part that has them.
    replaced: Vec<HashMap<Vec<u64>, u32, BuildStableHasher>>,
    key: Vec<u64>,
    small: SmallIds,
}

/// The canonical ids of a state whose classes and ids are small.
#[derive(Debug)]
struct SmallIds {
    /// By ranked class: the set of ids and 0, as bits.
    ranked: [u64; CLASSES],
    /// By counted class: the same.
    counted: [u64; CLASSES],
    /// By other class: the canonical id of each id, plus one; 0: not visited.
    new: [[u8; VALUES]; CLASSES],
    /// By other class: the number of ids.
    count: [u8; CLASSES],
    /// Whether all ids are small.
    fits: bool,
    /// Whether the ids of the other classes are canonical.
    is_same: bool,
}

impl SmallIds {
    fn clear(&mut self) {
        for class in 0..CLASSES {
            if self.count[class] > 0 {
                self.new[class] = [0; VALUES];
            }
        }
        self.ranked = [1; CLASSES];
        self.counted = [1; CLASSES];
        self.count = [0; CLASSES];
        (self.fits, self.is_same) = (true, true);
    }

    #[inline]
    fn add(&mut self, id: &StoredId) {
        let class = id.index;
        let value = match usize::try_from(id.value) {
            Ok(value) if value < VALUES && class < CLASSES => value,
            _ => {
                self.fits = false;
                return;
            }
        };
        match id.class.order {
            Order::Rank => self.ranked[class] |= 1 << value,
            Order::Count => self.counted[class] |= 1 << value,
            Order::Equality => {
                let new = &mut self.new[class][value];
                if *new == 0 {
                    self.is_same &= usize::from(self.count[class]) == value;
                    self.count[class] += 1;
                    *new = self.count[class];
                }
            }
        }
    }

    /// Whether all ids are canonical.
    #[inline]
    fn is_same(&self) -> bool {
        self.fits
            && self.is_same
            && self.ranked.iter().all(|&there| is_dense(there))
            // A gap of one is canonical.
            && self.counted.iter().all(|&there| is_dense((there | there << 1) & up_to_last(there)))
    }

    #[inline]
    fn of(&self, id: &StoredId) -> u64 {
        let value = usize::try_from(id.value).expect("it fits");
        match id.class.order {
            Order::Rank => {
                let below = self.ranked[id.index] & ((1 << value) - 1);
                u64::from(below.count_ones())
            }
            Order::Count => {
                let there = self.counted[id.index];
                let below = (1 << value) - 1;
                let gaps = there & !(there << 1) & !1 & (below | 1 << value);
                u64::from((there & below).count_ones() + gaps.count_ones())
            }
            Order::Equality => u64::from(self.new[id.index][value]) - 1,
        }
    }
}

/// Whether a set of ids has no gaps from 0 on.
const fn is_dense(there: u64) -> bool {
    there & there.wrapping_add(1) == 0
}

/// The set of all ids up to the greatest of a set.
const fn up_to_last(there: u64) -> u64 {
    u64::MAX >> there.leading_zeros()
}

impl IdCanonicalizer {
    /// For state vectors of this many places.
    pub(super) fn new(places: usize) -> Self {
        let small = SmallIds {
            ranked: [1; CLASSES],
            counted: [1; CLASSES],
            new: [[0; VALUES]; CLASSES],
            count: [0; CLASSES],
            fits: true,
            is_same: true,
        };
        Self { replaced: (0..places).map(|_| HashMap::default()).collect(), key: Vec::new(), small }
    }

    /// Makes the ids of a state canonical; returns the new hash sum.
    pub(super) fn canonicalize(
        &mut self,
        cache: &mut ThreadCache<'_>,
        vector: &mut [u32],
        sum: u64,
    ) -> u64 {
        self.small.clear();
        for (place, &part) in vector.iter().enumerate() {
            cache.ids(place, part).iter().for_each(|id| self.small.add(id));
        }
        if self.small.is_same() {
            return sum;
        }
        if self.small.fits {
            let small = std::mem::replace(&mut self.small, Self::new(0).small);
            let sum = self.replace(cache, vector, sum, |id| small.of(id));
            self.small = small;
            return sum;
        }
        let mut renaming = IdRenaming::default();
        for (place, &part) in vector.iter().enumerate() {
            let ids = cache.ids(place, part).iter();
            ids.for_each(|id| renaming.add(id.class, id.value));
        }
        renaming.rank();
        self.replace(cache, vector, sum, |id| renaming.of(id.class, id.value))
    }

    fn replace(
        &mut self,
        cache: &mut ThreadCache<'_>,
        vector: &mut [u32],
        mut sum: u64,
        renaming: impl Fn(&StoredId) -> u64,
    ) -> u64 {
        for (place, part) in vector.iter_mut().enumerate() {
            let mut is_same = true;
            self.key.clear();
            self.key.push(u64::from(*part));
            for id in cache.ids(place, *part) {
                let new = renaming(id);
                is_same &= new == id.value;
                self.key.push(new);
            }
            if is_same {
                continue;
            }
            let new = match self.replaced[place].get(&self.key) {
                Some(&new) => new,
                None => {
                    let new = cache.with_ids(place, *part, &self.key[1..]);
                    self.replaced[place].insert(self.key.clone(), new);
                    new
                }
            };
            sum = sum
                .wrapping_sub(cache.hash_term(place, *part))
                .wrapping_add(cache.hash_term(place, new));
            *part = new;
        }
        sum
    }
}

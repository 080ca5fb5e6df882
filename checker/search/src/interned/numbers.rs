//! Renumbering on numbers of parts: [`crate::parts::renumber`] for a row.
//!
//! Nearly every row has its smallest numbers already, which is seen from short lists kept for each
//! part. Only what must be renamed is asked of the store, and once.

use std::collections::HashMap;

use turnstile_step::Order;

use crate::fingerprint::BuildStable;
use crate::interned::local::Local;
use crate::interned::store::Number;
use crate::parts::{Parts, Renumbering};

/// Classes of a system, and values of a class, that are handled without a map.
const CLASSES: usize = 8;
const VALUES: usize = 64;

/// What one thread knows of renumbering.
#[derive(Debug)]
pub(super) struct Renumber {
    /// For each place, a part and the numbers that it is to have: the part that has them.
    known: Vec<HashMap<Vec<u64>, u32, BuildStable>>,
    key: Vec<u64>,
    small: Small,
}

/// What the numbers of a row become, as long as they are small.
#[derive(Debug)]
struct Small {
    /// Ranked classes: the values that there are and 0, as bits.
    ranked: [u64; CLASSES],
    /// Counted classes: the same.
    counted: [u64; CLASSES],
    /// Others: the new value of each, plus one.
    new: [[u8; VALUES]; CLASSES],
    /// And how many there are.
    count: [u8; CLASSES],
    fits: bool,
    is_same: bool,
}

impl Small {
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
    fn note(&mut self, number: &Number) {
        let class = number.index;
        let value = match usize::try_from(number.value) {
            Ok(value) if value < VALUES && class < CLASSES => value,
            _ => {
                self.fits = false;
                return;
            }
        };
        match number.class.order {
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

    /// Whether every number stays as it is.
    #[inline]
    fn is_same(&self) -> bool {
        self.fits
            && self.is_same
            && self.ranked.iter().all(|&there| is_dense(there))
            // One value may be missing after each.
            && self.counted.iter().all(|&there| is_dense((there | there << 1) & up_to_last(there)))
    }

    #[inline]
    fn of(&self, number: &Number) -> u64 {
        let value = usize::try_from(number.value).expect("it fits");
        match number.class.order {
            Order::Rank => {
                let below = self.ranked[number.index] & ((1 << value) - 1);
                u64::from(below.count_ones())
            }
            Order::Count => {
                let there = self.counted[number.index];
                let below = (1 << value) - 1;
                let gaps = there & !(there << 1) & !1 & (below | 1 << value);
                u64::from((there & below).count_ones() + gaps.count_ones())
            }
            Order::Equality => u64::from(self.new[number.index][value]) - 1,
        }
    }
}

/// Whether the values are those from 0 to some one.
const fn is_dense(there: u64) -> bool {
    there & there.wrapping_add(1) == 0
}

/// All values up to the greatest.
const fn up_to_last(there: u64) -> u64 {
    u64::MAX >> there.leading_zeros()
}

impl Renumber {
    /// For rows of so many places.
    pub(super) fn new(places: usize) -> Self {
        let small = Small {
            ranked: [1; CLASSES],
            counted: [1; CLASSES],
            new: [[0; VALUES]; CLASSES],
            count: [0; CLASSES],
            fits: true,
            is_same: true,
        };
        Self { known: (0..places).map(|_| HashMap::default()).collect(), key: Vec::new(), small }
    }

    /// Gives the numbers of a row their smallest values and says what becomes of its sum.
    pub(super) fn row<W: Parts>(
        &mut self,
        local: &mut Local<'_, W>,
        row: &mut [u32],
        sum: u64,
    ) -> u64 {
        self.small.clear();
        for (place, &part) in row.iter().enumerate() {
            local.numbers(place, part).iter().for_each(|number| self.small.note(number));
        }
        if self.small.is_same() {
            return sum;
        }
        if self.small.fits {
            let small = std::mem::replace(&mut self.small, Self::new(0).small);
            let sum = self.rename(local, row, sum, |number| small.of(number));
            self.small = small;
            return sum;
        }
        let mut to = Renumbering::default();
        for (place, &part) in row.iter().enumerate() {
            let numbers = local.numbers(place, part).iter();
            numbers.for_each(|number| to.note(number.class, number.value));
        }
        to.rank();
        self.rename(local, row, sum, |number| to.of(number.class, number.value))
    }

    fn rename<W: Parts>(
        &mut self,
        local: &mut Local<'_, W>,
        row: &mut [u32],
        mut sum: u64,
        to: impl Fn(&Number) -> u64,
    ) -> u64 {
        for (place, part) in row.iter_mut().enumerate() {
            let mut is_same = true;
            self.key.clear();
            self.key.push(u64::from(*part));
            for number in local.numbers(place, *part) {
                let new = to(number);
                is_same &= new == number.value;
                self.key.push(new);
            }
            if is_same {
                continue;
            }
            let new = match self.known[place].get(&self.key) {
                Some(&new) => new,
                None => {
                    let new = local.renumbered(place, *part, &self.key[1..]);
                    self.known[place].insert(self.key.clone(), new);
                    new
                }
            };
            sum = sum.wrapping_sub(local.sum(place, *part)).wrapping_add(local.sum(place, new));
            *part = new;
        }
        sum
    }
}

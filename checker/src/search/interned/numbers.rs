//! Renumbering on numbers of parts: [`crate::parts::renumber`] for a row.
//!
//! Nearly every row has its smallest numbers already, which is seen from short lists kept for each
//! part. Only what must be renamed is asked of the store, and once.

use std::collections::HashMap;

use turnstile_core::number::Class;

use crate::parts::{Parts, Renumbering};
use crate::search::fingerprint::BuildStable;
use crate::search::interned::local::Local;

/// What one thread knows of renumbering.
#[derive(Debug)]
pub(super) struct Renumber {
    /// For each place, a part and the numbers that it is to have: the part that has them.
    known: Vec<HashMap<Vec<u64>, u32, BuildStable>>,
    key: Vec<u64>,
    /// The numbers of the row, in order.
    numbers: Vec<(Class, u64)>,
}

impl Renumber {
    /// For rows of so many places.
    pub(super) fn new(places: usize) -> Self {
        Self {
            known: (0..places).map(|_| HashMap::default()).collect(),
            key: Vec::new(),
            numbers: Vec::new(),
        }
    }

    /// Gives the numbers of a row their smallest values and says what becomes of its sum.
    pub(super) fn row<W: Parts>(
        &mut self,
        local: &mut Local<'_, W>,
        row: &mut [u32],
        undo: &mut Vec<(u16, u32)>,
        mut sum: u64,
    ) -> u64 {
        self.numbers.clear();
        for (place, &part) in row.iter().enumerate() {
            self.numbers.extend_from_slice(local.numbers(place, part));
        }
        let mut to = Renumbering::default();
        self.numbers.iter().for_each(|&(class, number)| to.note(class, number));
        to.rank();
        if self.numbers.iter().all(|&(class, number)| to.of(class, number) == number) {
            return sum;
        }
        for place in 0..row.len() {
            let part = row[place];
            let mut is_same = true;
            self.key.clear();
            self.key.push(u64::from(part));
            for &(class, number) in local.numbers(place, part) {
                let new = to.of(class, number);
                is_same &= new == number;
                self.key.push(new);
            }
            if is_same {
                continue;
            }
            let new = match self.known[place].get(&self.key) {
                Some(&new) => new,
                None => {
                    let new = local.renumbered(place, part, &self.key[1..]);
                    self.known[place].insert(self.key.clone(), new);
                    new
                }
            };
            undo.push((u16::try_from(place).expect("few places"), part));
            row[place] = new;
            sum = sum.wrapping_sub(local.sum(place, part)).wrapping_add(local.sum(place, new));
        }
        sum
    }
}

//! Exact symmetry: of all rows that differ only in which member of a group is which, one stands
//! for all, the one with the smallest sum.
//!
//! Whole blocks change places, a node with its links and its timers, and every reference to a
//! member changes with them. A sum does not depend on how parts are numbered, so every thread and
//! every run chooses the same row.

use std::sync::Arc;

use crate::parts::{Parts, Symmetry};
use crate::search::interned::local::Local;
use crate::search::interned::numbers::Renumber;

/// Ways to change places that are tried for each row.
pub(super) const WAYS_MAX: usize = 120;

/// One way to change places.
#[derive(Clone, Debug)]
pub(super) struct Way {
    group: usize,
    /// Where each member goes.
    to: Arc<[usize]>,
    /// Where each place goes.
    places: Vec<usize>,
}

/// The ways other than to stay, for a system with one group. `None`: there is none, or more than
/// one, or the ways are too many.
pub(super) fn ways(groups: &[Symmetry], width: usize) -> Option<Vec<Way>> {
    let [group] = groups else { return None };
    let count = group.members.len();
    if count < 2 || (1..=count).product::<usize>() > WAYS_MAX {
        return None;
    }
    let ways = permutations(count).into_iter().skip(1).map(|to| {
        let mut places: Vec<usize> = (0..width).collect();
        for (member, &to) in to.iter().enumerate() {
            for (from, to) in group.members[member].iter().zip(&group.members[to]) {
                places[from.index()] = to.index();
            }
        }
        Way { group: 0, to: to.into(), places }
    });
    Some(ways.collect())
}

/// All orders of so many, the usual one first.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let shorter = permutations(count - 1);
    let longer = (0..count).flat_map(|first| {
        shorter.iter().map(move |rest| {
            let others = rest.iter().map(|&other| if other >= first { other + 1 } else { other });
            [first].into_iter().chain(others).collect()
        })
    });
    longer.collect()
}

/// What one thread knows of changing places.
#[derive(Debug)]
pub(super) struct Changing {
    ways: Vec<Way>,
    /// By way and place, of each part: what it becomes.
    known: Vec<Vec<Vec<Option<u32>>>>,
    row: Vec<u32>,
    best: Vec<u32>,
}

impl Changing {
    pub(super) fn new(ways: Vec<Way>, width: usize) -> Self {
        Self {
            known: vec![vec![Vec::new(); width]; ways.len()],
            ways,
            row: vec![0; width],
            best: vec![0; width],
        }
    }

    /// Makes a row the one that stands for it, and says what becomes of its sum.
    pub(super) fn row<W: Parts>(
        &mut self,
        local: &mut Local<'_, W>,
        renumber: &mut Renumber,
        row: &mut [u32],
        sum: u64,
    ) -> u64 {
        let mut least = sum;
        self.best.copy_from_slice(row);
        for way in 0..self.ways.len() {
            for (place, &part) in row.iter().enumerate() {
                let new = self.changed(local, way, place, part);
                self.row[self.ways[way].places[place]] = new;
            }
            let sums = self.row.iter().enumerate().map(|(place, &part)| local.sum(place, part));
            let changed = sums.fold(0, u64::wrapping_add);
            let changed = renumber.row(local, &mut self.row, changed);
            if changed < least {
                least = changed;
                self.best.copy_from_slice(&self.row);
            }
        }
        row.copy_from_slice(&self.best);
        least
    }

    fn changed<W: Parts>(
        &mut self,
        local: &mut Local<'_, W>,
        way: usize,
        place: usize,
        part: u32,
    ) -> u32 {
        let known = &mut self.known[way][place];
        if known.len() <= part as usize {
            known.resize(part as usize + 1, None);
        }
        match known[part as usize] {
            Some(new) => new,
            None => {
                let Way { group, to, places } = &self.ways[way];
                let new = local.renamed((place, places[place]), part, *group, to);
                known[part as usize] = Some(new);
                new
            }
        }
    }
}

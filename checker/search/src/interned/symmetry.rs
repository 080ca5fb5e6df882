//! Exact symmetry: of all rows that differ only in which member of a group is which, one stands
//! for all.
//!
//! Whole blocks change places, a node with its links and its timers, and every reference to a
//! member changes with them. Members are put into the order of a key that goes along with each
//! when they change places, so that only those with one key have to be tried in every order; of
//! these rows the one with the smallest sum is taken. Neither keys nor sums depend on how parts are
//! numbered, so every thread and every run chooses the same row. A key that did not go along would
//! cost a reduction, never a state: every row tried is one of those that it stands for.

use std::sync::Arc;

use turnstile_step::Order;

use crate::fingerprint::of_part;
use crate::interned::local::Local;
use crate::interned::numbers::Renumber;

use crate::parts::{Parts, Place, Symmetry};

/// Ways to change places at most: those that are tried where all members have one key.
pub(super) const WAYS_MAX: usize = 120;

/// The members of the group that may change places, and every way to do so.
#[derive(Clone, Debug)]
pub(super) struct Ways {
    /// Of each place, which of the group's members it belongs to, and which of its places it is.
    owners: Vec<Option<(usize, usize)>>,
    members: usize,
    /// All ways, the one to stay first.
    all: Vec<Way>,
}

/// One way to change places.
#[derive(Clone, Debug)]
struct Way {
    /// Where each member goes.
    to: Arc<[usize]>,
    /// Who comes to each member's place.
    from: Vec<usize>,
    /// Where each place goes.
    places: Vec<usize>,
}

/// The only group there is.
const GROUP: usize = 0;

/// The ways to change places, for a system with one group. `None`: there is none, or more than
/// one, or the ways are too many.
pub(super) fn ways(groups: &[Symmetry], width: usize) -> Option<Ways> {
    let [group] = groups else { return None };
    let count = group.members.len();
    if count < 2 || (1..=count).product::<usize>() > WAYS_MAX {
        return None;
    }
    let mut owners = vec![None; width];
    for (member, places) in group.members.iter().enumerate() {
        for (slot, place) in places.iter().enumerate() {
            owners[place.index()] = Some((member, slot));
        }
    }
    let ways = permutations(count).into_iter().map(|to| {
        let mut places: Vec<usize> = (0..width).collect();
        let mut from = vec![0; count];
        for (member, &to) in to.iter().enumerate() {
            from[to] = member;
            for (from, to) in group.members[member].iter().zip(&group.members[to]) {
                places[from.index()] = to.index();
            }
        }
        Way { to: to.into(), from, places }
    });
    Some(Ways { owners, members: count, all: ways.collect() })
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

impl Ways {
    /// What is added to a member's key for a part: the least that the part can look like when this
    /// member is the first. Numbers that are only tested for equality do not count, because they
    /// are given by the order of places; of ranks a change of places makes no difference.
    fn look<W: Parts>(&self, system: &W, place: usize, part: &W::Part, member: usize) -> u64 {
        let slot = match self.owners[place] {
            Some((owner, _)) if owner != member => return 0,
            Some((_, slot)) => slot,
            None => place,
        };
        let first = self.all.iter().filter(|way| way.to[member] == 0);
        let looks = first.map(|way| {
            let mut part = system.renamed(Place::of(place), part, GROUP, &way.to);
            system.numbers(Place::of(way.places[place]), &mut part, &mut |class, number| {
                if class.order == Order::Equality {
                    *number = 0;
                }
            });
            of_part(slot, &part)
        });
        looks.min().expect("every member can be the first")
    }
}

/// What one thread knows of changing places.
#[derive(Debug)]
pub(super) struct Changing {
    ways: Ways,
    /// By place, of each part: whether its looks are known, and what it looks like to each member.
    looks: Vec<Vec<u64>>,
    has_looks: Vec<Vec<bool>>,
    /// By way and place, of each part: what it becomes.
    known: Vec<Vec<Vec<Option<u32>>>>,
    keys: Vec<u64>,
    row: Vec<u32>,
    best: Vec<u32>,
}

impl Changing {
    pub(super) fn new(ways: Ways, width: usize) -> Self {
        Self {
            looks: vec![Vec::new(); width],
            has_looks: vec![Vec::new(); width],
            known: vec![vec![Vec::new(); width]; ways.all.len()],
            keys: vec![0; ways.members],
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
        self.weigh(local, row);
        let mut least = None;
        for way in 0..self.ways.all.len() {
            let from = &self.ways.all[way].from;
            if !from.is_sorted_by_key(|&member| self.keys[member]) {
                continue;
            }
            // The way to stay is the first.
            let changed = if way == 0 {
                self.row.copy_from_slice(row);
                sum
            } else {
                self.change(local, renumber, way, row)
            };
            if least.is_none_or(|least| changed < least) {
                least = Some(changed);
                std::mem::swap(&mut self.best, &mut self.row);
            }
        }
        row.copy_from_slice(&self.best);
        least.expect("some order is sorted")
    }

    /// Works out the key of each member.
    fn weigh<W: Parts>(&mut self, local: &Local<'_, W>, row: &[u32]) {
        let members = self.ways.members;
        self.keys.fill(0);
        for (place, &part) in row.iter().enumerate() {
            let (looks, has_looks) = (&mut self.looks[place], &mut self.has_looks[place]);
            let index = part as usize;
            if has_looks.len() <= index {
                has_looks.resize(index + 1, false);
                looks.resize((index + 1) * members, 0);
            }
            let looks = &mut looks[index * members..(index + 1) * members];
            if !std::mem::replace(&mut has_looks[index], true) {
                for (member, look) in looks.iter_mut().enumerate() {
                    *look = self.ways.look(local.system, place, local.part(place, part), member);
                }
            }
            let looks = self.keys.iter_mut().zip(looks);
            looks.for_each(|(key, look)| *key = key.wrapping_add(*look));
        }
    }

    /// Changes the members of a row about and says what its sum becomes.
    fn change<W: Parts>(
        &mut self,
        local: &mut Local<'_, W>,
        renumber: &mut Renumber,
        way: usize,
        row: &[u32],
    ) -> u64 {
        for (place, &part) in row.iter().enumerate() {
            let new = self.changed(local, way, place, part);
            self.row[self.ways.all[way].places[place]] = new;
        }
        let sums = self.row.iter().enumerate().map(|(place, &part)| local.sum(place, part));
        let sum = sums.fold(0, u64::wrapping_add);
        renumber.row(local, &mut self.row, sum)
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
                let Way { to, places, .. } = &self.ways.all[way];
                let new = local.renamed((place, places[place]), part, GROUP, to);
                known[part as usize] = Some(new);
                new
            }
        }
    }
}

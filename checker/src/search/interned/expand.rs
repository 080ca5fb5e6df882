//! The innermost loop: every action of a row, by look-ups.
//!
//! It follows [`crate::parts::cascade`] operation by operation; that function says what is right,
//! this one only does it on numbers. Where an operation may do several things, the choices are
//! counted through like the digits of a number, the last one fastest.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, PoisonError};

use crate::parts::{CASCADE_MAX, Parts};
use crate::search::fingerprint::{BuildStable, of_sum};
use crate::search::interned::Interned;
use crate::search::interned::dead::Live;
use crate::search::interned::local::{Local, Offer, Outcomes};
use crate::search::interned::numbers::Renumber;
use crate::search::interned::predicates::Asked;
use crate::search::interned::store::Carried;
use crate::search::interned::symmetry::Changing;
use crate::search::space::{Expander, Found};

/// One thread's expander.
#[derive(Debug)]
pub struct Cascade<'s, W: Parts> {
    space: &'s Interned<'s, W>,
    local: Local<'s, W>,
    asked: Asked<'s, W>,
    renumber: Renumber,
    changing: Option<Changing>,
    is_reduced: bool,
    /// By place, of each part met: its messages.
    cargo: Vec<HashMap<u32, Arc<[Carried]>, BuildStable>>,
    /// The row as far as the action being followed has changed it.
    row: Vec<u32>,
    /// What it was before, the latest last.
    undo: Vec<(u16, u32)>,
    /// What is still to be done: from where to where in [`Local::thens`].
    queue: Vec<(u32, u32)>,
    /// Where an operation had a choice: the one taken, and of how many.
    choices: Vec<(u32, u32)>,
    /// The outcomes that the action is made of.
    trail: Vec<u32>,
}

/// What became of a state's sum.
struct Moved {
    sum: u64,
    is_numbered: bool,
}

impl<'s, W: Parts> Cascade<'s, W> {
    pub(super) fn new(
        space: &'s Interned<'s, W>,
        mut local: Local<'s, W>,
        asked: Asked<'s, W>,
    ) -> Self {
        let width = space.without_loss.len();
        (0..width).for_each(|place| local.refresh(place));
        Self {
            space,
            local,
            asked,
            renumber: Renumber::new(width),
            changing: space.ways.clone().map(|ways| Changing::new(ways, width)),
            is_reduced: space.live.is_some() || space.ways.is_some(),
            cargo: vec![HashMap::default(); width],
            row: vec![0; width],
            undo: Vec::new(),
            queue: Vec::new(),
            choices: Vec::new(),
            trail: Vec::new(),
        }
    }

    /// Follows an action to its end under the choices given and further first ones. `None`:
    /// refused.
    #[inline]
    fn follow(&mut self, at: u16, outcomes: Outcomes, sum: u64) -> Option<Moved> {
        let mut moved = Moved { sum, is_numbered: false };
        let mut depth = 0;
        self.take(at, outcomes, &mut depth, &mut moved)?;
        let mut next = 0;
        while let Some(&(begin, end)) = self.queue.get(next) {
            next += 1;
            for then in begin..end {
                let (at, op) = self.local.thens[then as usize];
                let part = self.row[usize::from(at)];
                let outcomes = self.local.outcomes(usize::from(at), part, op);
                self.take(at, outcomes, &mut depth, &mut moved)?;
            }
            assert!(self.trail.len() <= CASCADE_MAX, "an action does not end");
        }
        Some(moved)
    }

    /// Lets one operation happen.
    #[inline(always)]
    fn take(
        &mut self,
        at: u16,
        outcomes: Outcomes,
        depth: &mut usize,
        moved: &mut Moved,
    ) -> Option<()> {
        let index = match outcomes.count {
            0 => return None,
            1 => outcomes.first,
            count => {
                if *depth == self.choices.len() {
                    self.choices.push((0, count));
                }
                *depth += 1;
                outcomes.first + self.choices[*depth - 1].0
            }
        };
        let done = self.local.dones[index as usize];
        let place = usize::from(at);
        if self.row[place] != done.to {
            self.undo.push((at, self.row[place]));
            self.row[place] = done.to;
        }
        moved.sum = moved.sum.wrapping_add(done.sum);
        moved.is_numbered |= done.is_numbered;
        if done.thens > 0 {
            self.queue.push((done.then, done.then + u32::from(done.thens)));
        }
        self.trail.push(index);
        Some(())
    }

    /// The next choices in order. Whether there are any.
    fn choose_next(&mut self) -> bool {
        while let Some((choice, count)) = self.choices.pop() {
            if choice + 1 < count {
                self.choices.push((choice + 1, count));
                return true;
            }
        }
        false
    }

    /// Ends an action that was not refused.
    #[inline]
    fn arrive(&mut self, from: u64, moved: &Moved, label: u16, found: &mut Found) {
        for &done in &self.trail {
            self.local.is_used[done as usize] = true;
        }
        let mut sum = moved.sum;
        if moved.is_numbered {
            sum = self.renumber.row(&mut self.local, &mut self.row, &mut self.undo, sum);
        }
        if self.is_reduced {
            sum = self.reduce(sum);
        }
        if sum == from {
            return;
        }
        for &(place, _) in &self.undo {
            found.change(usize::from(place), self.row[usize::from(place)]);
        }
        found.end(of_sum(sum), label);
    }

    /// Makes the row the one that stands for it.
    fn reduce(&mut self, mut sum: u64) -> u64 {
        if let Some(live) = &self.space.live {
            sum = self.discard(live, sum);
        }
        if let Some(changing) = &mut self.changing {
            let Self { local, renumber, row, undo, .. } = self;
            sum = changing.row(local, renumber, row, undo, sum);
        }
        sum
    }

    /// Takes away every message that nobody will react to.
    fn discard(&mut self, live: &Live, mut sum: u64) -> u64 {
        for place in 0..self.row.len() {
            loop {
                let part = self.row[place];
                let cargo = match self.cargo[place].entry(part) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => new.insert(self.local.cargo(place, part)),
                };
                let is_dead = |cargo: &&Carried| {
                    !live.reacts(cargo.to, self.row[usize::from(cargo.to)], cargo.input)
                };
                let Some(&Carried { discard, .. }) = cargo.iter().find(is_dead) else { break };
                let outcomes = self.local.outcomes(place, part, discard);
                assert_eq!(outcomes.count, 1, "a message can be taken away in one way");
                let done = self.local.dones[outcomes.first as usize];
                self.undo.push((u16::try_from(place).expect("few places"), part));
                self.row[place] = done.to;
                sum = sum.wrapping_add(done.sum);
            }
        }
        sum
    }

    /// The fingerprint of the row that stands for a state.
    pub fn fingerprint(&mut self, state: Vec<W::Part>) -> u64 {
        for (place, part) in state.into_iter().enumerate() {
            self.row[place] = self.local.number(place, part);
        }
        let mut sum = self.sum(&self.row);
        if self.is_reduced {
            sum = self.reduce(sum);
        }
        self.undo.clear();
        of_sum(sum)
    }

    /// Makes the row again what it was before the action.
    #[inline]
    fn go_back(&mut self) {
        while let Some((place, part)) = self.undo.pop() {
            self.row[usize::from(place)] = part;
        }
        self.queue.clear();
        self.trail.clear();
    }

    fn sum(&self, row: &[u32]) -> u64 {
        let sums = row.iter().enumerate().map(|(place, &part)| self.local.sum(place, part));
        sums.fold(0, u64::wrapping_add)
    }
}

impl<W: Parts> Expander for Cascade<'_, W> {
    fn initial(&mut self, found: &mut Found) {
        for row in &self.space.initial {
            self.row.copy_from_slice(row);
            let mut sum = self.sum(row);
            if self.is_reduced {
                sum = self.reduce(sum);
            }
            self.undo.clear();
            for (place, &part) in self.row.iter().enumerate() {
                found.change(place, part);
            }
            found.end(of_sum(sum), 0);
        }
    }

    fn expand(&mut self, row: &[u32], found: &mut Found) {
        self.row.copy_from_slice(row);
        for (place, &part) in row.iter().enumerate() {
            if part as usize >= self.local.known(place) {
                self.local.refresh(place);
            }
        }
        let from = self.sum(row);
        for at in 0..u16::try_from(row.len()).expect("at most PLACES_MAX places") {
            let place = usize::from(at);
            let (first, end) = self.local.offers(place, row[place]);
            for offer in first..end {
                let Offer { outcomes, fairness } = self.local.offers[offer as usize];
                self.choices.clear();
                loop {
                    if let Some(moved) = self.follow(at, outcomes, from) {
                        self.arrive(from, &moved, fairness, found);
                    }
                    self.go_back();
                    if !self.choose_next() {
                        break;
                    }
                }
            }
        }
    }

    fn inspect(&mut self, row: &[u32]) -> u64 {
        for (place, &part) in row.iter().enumerate() {
            if part as usize >= self.local.known(place) {
                self.local.refresh(place);
            }
        }
        self.asked.noteworthy(&self.local, row)
    }
}

impl<W: Parts> Drop for Cascade<'_, W> {
    fn drop(&mut self) {
        let mut used = self.space.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.extend(self.local.used_marks());
    }
}

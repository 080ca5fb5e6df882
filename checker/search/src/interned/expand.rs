//! The innermost loop: every action of a row, found again in the [`Tree`] of courses.
//!
//! Where a course may have to replace numbers, or a reduction chooses another row to stand for the
//! one found, the row is made and what differs is kept until the expander begins anew.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, PoisonError};

use crate::fingerprint::{BuildStable, of_sum};
use crate::interned::Interned;
use crate::interned::change::Change;
use crate::interned::dead::Live;
use crate::interned::local::{Face, Local, UNKNOWN};
use crate::interned::numbers::Renumber;
use crate::interned::predicates::Asked;
use crate::interned::step::{Next, Step};
use crate::interned::store::Carried;
use crate::interned::symmetry::Changing;
use crate::interned::tree::{Course, Tree};
use crate::parts::Parts;
use crate::space::{Expander, Found};

/// Of a course: it is not one of the tree's.
const LOOSE: u32 = 1 << 31;
/// Rows made that are remembered: a row has many parents, and they are near each other.
const MADE: usize = 1 << 15;

/// One thread's expander.
#[derive(Debug)]
pub struct Cascade<'s, W: Parts> {
    space: &'s Interned<'s, W>,
    local: Local<'s, W>,
    tree: Tree,
    asked: Asked<'s, W>,
    renumber: Renumber,
    changing: Option<Changing>,
    /// Whether every row found has to be made: another may have to stand for it.
    is_made: bool,
    /// By place, of each part met: its messages.
    cargo: Vec<HashMap<u32, Arc<[Carried]>, BuildStable>>,
    /// Rows made not long ago, by the sums they had before another came to stand for them: the
    /// fingerprint of that one. It was found before, so it is never followed again.
    made: Vec<(u64, u64)>,
    /// A row being made.
    row: Vec<u32>,
    /// What is read of each part of the row being expanded.
    faces: Vec<Face>,
    /// The courses that are not the tree's: where their changes end, and their labels.
    loose: Vec<(u32, u16)>,
    changes: Vec<Change>,
}

impl<'s, W: Parts> Cascade<'s, W> {
    pub(super) fn new(
        space: &'s Interned<'s, W>,
        mut local: Local<'s, W>,
        asked: Asked<'s, W>,
    ) -> Self {
        let width = space.without_loss.len();
        (0..width).for_each(|place| local.refresh(place));
        let mut cascade = Self {
            space,
            local,
            tree: Tree::default(),
            asked,
            renumber: Renumber::new(width),
            changing: space.ways.clone().map(|ways| Changing::new(ways, width)),
            is_made: space.live.is_some() || space.ways.is_some(),
            cargo: vec![HashMap::default(); width],
            made: vec![(0, 0); MADE],
            row: vec![0; width],
            faces: vec![Face { sum: 0, first: UNKNOWN, count: 0 }; width],
            loose: Vec::new(),
            changes: Vec::new(),
        };
        cascade.is_made |= space.initial.iter().any(|row| !cascade.is_numbered_well(row));
        cascade
    }

    /// Whether a row has its smallest numbers.
    fn is_numbered_well(&mut self, row: &[u32]) -> bool {
        self.row.copy_from_slice(row);
        self.renumber.row(&mut self.local, &mut self.row, 0);
        self.row == row
    }

    /// Follows an action from a step on, through every choice.
    #[inline(always)]
    fn go(&mut self, step: Step, row: &[u32], from: u64, found: &mut Found) -> Result<(), Missing> {
        let mut step = step;
        loop {
            match step.next() {
                Next::Fork(fork) => step = self.tree.meet(fork, row),
                Next::Course(course) => {
                    self.arrive(course, row, from, found);
                    return Ok(());
                }
                Next::Nowhere => return Ok(()),
                Next::Stays(label) => {
                    found.stay(label);
                    return Ok(());
                }
                Next::Either(index) => return self.go_each(index, row, from, found),
                Next::Unknown => return Err(Missing),
            }
        }
    }

    fn go_each(
        &mut self,
        index: u32,
        row: &[u32],
        from: u64,
        found: &mut Found,
    ) -> Result<(), Missing> {
        if !self.is_worked_out(Next::Either(index), row) {
            return Err(Missing);
        }
        let (first, end) = self.tree.either(index);
        (first..end).try_for_each(|choice| self.go(self.tree.choice(choice), row, from, found))
    }

    /// Whether an action is worked out for a row, in every choice.
    fn is_worked_out(&mut self, next: Next, row: &[u32]) -> bool {
        match next {
            Next::Fork(fork) => {
                let step = self.tree.meet(fork, row);
                self.is_worked_out(step.next(), row)
            }
            Next::Either(index) => {
                let (first, end) = self.tree.either(index);
                (first..end).all(|choice| self.is_worked_out(self.tree.choice(choice).next(), row))
            }
            Next::Course(_) | Next::Nowhere | Next::Stays(_) => true,
            Next::Unknown => false,
        }
    }

    /// Works an action out and follows it.
    #[cold]
    #[inline(never)]
    fn learn(&mut self, at: u16, offer: u32, row: &[u32], from: u64, found: &mut Found) {
        let (op, fairness) = self.local.offers[offer as usize];
        let known = self.local.steps[offer as usize];
        let step = self.tree.grow(&mut self.local, row, (at, op, fairness), known);
        self.local.steps[offer as usize] = step;
        self.go(step, row, from, found).expect("it was worked out for this row");
    }

    /// Ends an action that was not refused.
    #[inline(always)]
    fn arrive(&mut self, course: u32, row: &[u32], from: u64, found: &mut Found) {
        let Course { sum, label, .. } = self.tree.course(course);
        let sum = from.wrapping_add(sum);
        if self.is_made || self.tree.is_numbered(course) {
            self.make((course, label), row, (from, sum), found);
        } else {
            found.push(of_sum(sum), course);
        }
    }

    /// Makes the row that a course leads to, and from it the one that stands for it.
    #[inline(never)]
    fn make(
        &mut self,
        (course, label): (u32, u16),
        row: &[u32],
        (from, sum): (u64, u64),
        found: &mut Found,
    ) {
        let known = (sum & (MADE as u64 - 1)) as usize;
        let (raw, fingerprint) = self.made[known];
        if raw == sum && fingerprint != 0 {
            if fingerprint == of_sum(from) {
                self.stay((course, label), found);
            } else {
                self.leave(fingerprint, label, found);
            }
            return;
        }
        self.row.copy_from_slice(row);
        self.tree.follow(course, &mut self.row);
        let raw = sum;
        let sum = self.renumber.row(&mut self.local, &mut self.row, sum);
        let sum = self.reduce(sum);
        self.made[known] = (raw, of_sum(sum));
        if sum == from {
            self.stay((course, label), found);
            return;
        }
        for (place, (&was, &now)) in row.iter().zip(&self.row).enumerate() {
            if was != now {
                self.changes.push(Change::new(place, now));
            }
        }
        self.leave(of_sum(sum), label, found);
    }

    /// Notes a course that led to where it began, if that means anything.
    fn stay(&self, (course, label): (u32, u16), found: &mut Found) {
        if self.tree.does_relieve(course) {
            found.stay(label);
        }
    }

    /// Keeps the changes noted as a course.
    fn leave(&mut self, fingerprint: u64, label: u16, found: &mut Found) {
        let course = u32::try_from(self.loose.len()).expect("a batch is small");
        self.loose.push((u32::try_from(self.changes.len()).expect("a batch is small"), label));
        found.push(fingerprint, LOOSE | course);
    }

    /// Makes the row the one that stands for it.
    fn reduce(&mut self, mut sum: u64) -> u64 {
        if let Some(live) = &self.space.live {
            sum = self.discard(live, sum);
        }
        if let Some(changing) = &mut self.changing {
            let Self { local, renumber, row, .. } = self;
            sum = changing.row(local, renumber, row, sum);
        }
        sum
    }

    /// Takes away every message that nobody will react to.
    fn discard(&mut self, live: &Live, mut sum: u64) -> u64 {
        let mut is_whole = true;
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
                self.row[place] = done.to;
                sum = sum.wrapping_add(done.sum);
                is_whole = false;
            }
        }
        if is_whole {
            return sum;
        }
        // The numbers that only those messages had are free.
        self.renumber.row(&mut self.local, &mut self.row, sum)
    }

    /// The fingerprint of the row that stands for a state.
    pub fn fingerprint(&mut self, state: Vec<W::Part>) -> u64 {
        for (place, part) in state.into_iter().enumerate() {
            self.row[place] = self.local.number(place, part);
        }
        let sum = self.sum(&self.row);
        let sum = self.reduce(sum);
        of_sum(sum)
    }

    fn sum(&self, row: &[u32]) -> u64 {
        let sums = row.iter().enumerate().map(|(place, &part)| self.local.sum(place, part));
        sums.fold(0, u64::wrapping_add)
    }

    /// Comes to know the parts of a row.
    fn refresh(&mut self, row: &[u32]) {
        for (place, &part) in row.iter().enumerate() {
            if part as usize >= self.local.known(place) {
                self.local.refresh(place);
            }
        }
    }
}

/// A part was met for the first time.
#[derive(Debug)]
struct Missing;

impl<W: Parts> Expander for Cascade<'_, W> {
    fn begin(&mut self) {
        self.loose.clear();
        self.changes.clear();
        if self.tree.is_large() {
            self.tree.cut_down();
            self.local.forget_steps();
        }
    }

    fn initial(&mut self, found: &mut Found) {
        for row in &self.space.initial {
            self.row.copy_from_slice(row);
            let sum = self.sum(row);
            let sum = self.reduce(sum);
            let row = self.row.iter().enumerate();
            self.changes.extend(row.map(|(place, &part)| Change::new(place, part)));
            self.leave(of_sum(sum), 0, found);
        }
    }

    fn expand(&mut self, row: &[u32], found: &mut Found) {
        found.begin_row();
        let mut from = 0u64;
        for (place, &part) in row.iter().enumerate() {
            if part as usize >= self.local.known(place) {
                self.local.refresh(place);
            }
            let mut face = self.local.face(place, part);
            if face.first == UNKNOWN {
                face = self.local.learn_offers(place, part);
            }
            self.faces[place] = face;
            from = from.wrapping_add(face.sum);
        }
        for at in 0..u16::try_from(row.len()).expect("at most PLACES_MAX places") {
            let face = self.faces[usize::from(at)];
            for offer in face.first..face.first + face.count {
                let step = self.local.steps[offer as usize];
                if self.go(step, row, from, found).is_err() {
                    self.learn(at, offer, row, from, found);
                }
            }
        }
    }

    fn follow(&self, course: u32, row: &mut [u32]) {
        if course & LOOSE == 0 {
            self.tree.follow(course, row);
            return;
        }
        let index = (course & !LOOSE) as usize;
        let begin = index.checked_sub(1).map_or(0, |before| self.loose[before].0);
        let changes = &self.changes[begin as usize..self.loose[index].0 as usize];
        changes.iter().for_each(|change| change.make(row));
    }

    fn label(&self, course: u32) -> u16 {
        match course & LOOSE {
            0 => self.tree.course(course).label,
            _ => self.loose[(course & !LOOSE) as usize].1,
        }
    }

    fn inspect(&mut self, row: &[u32]) -> u64 {
        self.refresh(row);
        self.asked.noteworthy(&self.local, row)
    }

    fn bytes(&self) -> usize {
        self.local.bytes() + self.tree.bytes()
    }
}

impl<W: Parts> Drop for Cascade<'_, W> {
    fn drop(&mut self) {
        let mut used = self.space.used.lock().unwrap_or_else(PoisonError::into_inner);
        used.extend(self.tree.marks());
    }
}

//! The courses that actions took, as trees: an action goes on in the same way until it meets a part
//! that it has not met before, and from there on as that part says.
//!
//! So an action that met the same parts before is found again by one look-up for each part it
//! meets, whatever it does to them. What is new is worked out operation by operation, in the order
//! of [`crate::parts::cascade`], which says what is right. A tree holds what can be worked out
//! again; it is cut down when it has grown large.

use std::collections::VecDeque;

use crate::interned::cells::Cells;
use crate::interned::change::Change;
use crate::interned::local::Local;
use crate::interned::step::{Next, Step};
use crate::parts::{CASCADE_MAX, Parts};

/// Forks and courses before a tree is cut down.
const KNOTS_MAX: usize = 1 << 19;

/// Where an action meets the part at a place.
#[derive(Clone, Copy, Debug)]
struct Fork {
    place: u16,
    /// The part met last, and how it went on.
    part: u32,
    step: Step,
}

/// What an action does in the end.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    /// What is added to a state's sum.
    pub(super) sum: u64,
    /// Where its changes begin in [`Tree::changes`].
    begin: u32,
    count: u16,
    /// What it has to do with fairness.
    pub(super) label: u16,
}

/// The courses of one thread.
#[derive(Debug, Default)]
pub(super) struct Tree {
    forks: Vec<Fork>,
    /// By fork and part: the step.
    steps: Cells,
    courses: Vec<Course>,
    /// Of each course: whether the numbers of the row may have to be replaced.
    is_numbered: Vec<bool>,
    /// Of each course: whether it relieves something beside its own action.
    does_relieve: Vec<bool>,
    changes: Vec<Change>,
    either: Vec<(u32, u32)>,
    choices: Vec<Step>,
    /// Marks of the operations that were part of an action.
    marks: Vec<bool>,
}

/// An action on its way.
#[derive(Clone, Debug, Default)]
struct Way {
    /// The parts met: where, which, and what has become of it.
    met: Vec<(u16, u32, u32)>,
    queue: VecDeque<(u16, u32)>,
    taken: Vec<u32>,
    fairness: u16,
}

impl Way {
    fn part(&self, at: u16) -> Option<u32> {
        self.met.iter().find(|(place, ..)| *place == at).map(|&(.., now)| now)
    }

    /// Lets one operation happen.
    fn take<W: Parts>(&mut self, local: &Local<'_, W>, at: u16, index: u32) {
        let done = local.dones[index as usize];
        for (place, _, now) in &mut self.met {
            if *place == at {
                *now = done.to;
            }
        }
        let end = done.then + u32::from(done.thens);
        self.queue.extend(&local.thens[done.then as usize..end as usize]);
        self.taken.push(index);
        assert!(self.taken.len() <= CASCADE_MAX, "an action does not end");
    }
}

impl Tree {
    /// How an action goes on at a fork.
    #[inline(always)]
    pub(super) fn meet(&mut self, fork: u32, row: &[u32]) -> Step {
        let Fork { place, part, step } = self.forks[fork as usize];
        let there = row[usize::from(place)];
        if there == part { step } else { self.look_up(fork, there) }
    }

    #[inline]
    fn look_up(&mut self, fork: u32, part: u32) -> Step {
        let Some(word) = self.steps.word(fork, part) else { return Step::UNKNOWN };
        let step = Step::from_word(word);
        let known = &mut self.forks[fork as usize];
        (known.part, known.step) = (part, step);
        step
    }

    /// The ways in which an action may go on.
    pub(super) fn either(&self, index: u32) -> (u32, u32) {
        self.either[index as usize]
    }

    /// One of them.
    pub(super) fn choice(&self, index: u32) -> Step {
        self.choices[index as usize]
    }

    /// A course.
    #[inline(always)]
    pub(super) fn course(&self, course: u32) -> Course {
        self.courses[course as usize]
    }

    /// Whether a course may have to replace the numbers of the row.
    #[inline(always)]
    pub(super) fn is_numbered(&self, course: u32) -> bool {
        self.is_numbered[course as usize]
    }

    /// Whether a course relieves something beside its own action.
    pub(super) fn does_relieve(&self, course: u32) -> bool {
        self.does_relieve[course as usize]
    }

    /// Follows a course.
    #[inline]
    pub(super) fn follow(&self, course: u32, row: &mut [u32]) {
        let Course { begin, count, .. } = self.courses[course as usize];
        let changes = &self.changes[begin as usize..begin as usize + usize::from(count)];
        changes.iter().for_each(|change| change.make(row));
    }

    /// Whether the tree has grown too large.
    pub(super) fn is_large(&self) -> bool {
        self.forks.len() + self.courses.len() > KNOTS_MAX
    }

    /// Cuts the tree down. All steps given out are unknown from now on.
    pub(super) fn cut_down(&mut self) {
        let marks = std::mem::take(&mut self.marks);
        *self = Self { marks, ..Self::default() };
    }

    /// Works out the action that begins with an operation at a part of this row, as far as it is
    /// not known.
    pub(super) fn grow<W: Parts>(
        &mut self,
        local: &mut Local<'_, W>,
        row: &[u32],
        (at, op, fairness): (u16, u32, u16),
        known: Step,
    ) -> Step {
        let part = row[usize::from(at)];
        let way = Way {
            met: vec![(at, part, part)],
            queue: VecDeque::from([(at, op)]),
            fairness,
            ..Way::default()
        };
        self.go(local, row, way, known)
    }

    fn go<W: Parts>(
        &mut self,
        local: &mut Local<'_, W>,
        row: &[u32],
        mut way: Way,
        known: Step,
    ) -> Step {
        while let Some(&(at, op)) = way.queue.front() {
            let Some(part) = way.part(at) else {
                return self.go_on(local, row, way, known, at);
            };
            way.queue.pop_front();
            let outcomes = local.outcomes(usize::from(at), part, op);
            match outcomes.count {
                0 => return Step::NOWHERE,
                1 => way.take(local, at, outcomes.first),
                count => {
                    let first = if let Next::Either(index) = known.next() {
                        self.either(index).0
                    } else {
                        self.choose(count)
                    };
                    for choice in 0..count {
                        let mut branch = way.clone();
                        branch.take(local, at, outcomes.first + choice);
                        let index = (first + choice) as usize;
                        self.choices[index] = self.go(local, row, branch, self.choices[index]);
                    }
                    let is_new = known.next() == Next::Unknown;
                    if is_new {
                        self.either.push((first, first + count));
                    }
                    return if is_new { Step::either(self.either.len() - 1) } else { known };
                }
            }
        }
        if known == Step::UNKNOWN { self.arrive(local, &way) } else { known }
    }

    fn choose(&mut self, count: u32) -> u32 {
        let first = self.choices.len();
        self.choices.resize(first + count as usize, Step::UNKNOWN);
        u32::try_from(first).expect("a tree is cut down before")
    }

    /// Meets a part that this action has not met.
    fn go_on<W: Parts>(
        &mut self,
        local: &mut Local<'_, W>,
        row: &[u32],
        mut way: Way,
        known: Step,
        at: u16,
    ) -> Step {
        let part = row[usize::from(at)];
        way.met.push((at, part, part));
        let (fork, before) = if let Next::Fork(fork) = known.next() {
            (fork, self.look_up(fork, part))
        } else {
            self.forks.push(Fork { place: at, part: u32::MAX, step: Step::UNKNOWN });
            let fork = u32::try_from(self.forks.len() - 1).expect("a tree is cut down before");
            (fork, Step::UNKNOWN)
        };
        let step = self.go(local, row, way, before);
        if before == Step::UNKNOWN {
            self.steps.insert(fork, part, step.word());
            let known = &mut self.forks[fork as usize];
            (known.part, known.step) = (part, step);
        }
        Step::fork(fork as usize)
    }

    /// Comes to the end.
    fn arrive<W: Parts>(&mut self, local: &mut Local<'_, W>, way: &Way) -> Step {
        for mark in way.taken.iter().flat_map(|&index| local.marks(index)) {
            let mark = *mark as usize;
            if mark >= self.marks.len() {
                self.marks.resize(mark + 1, false);
            }
            self.marks[mark] = true;
        }
        let changed = way.met.iter().filter(|(_, was, now)| was != now);
        let (mut sum, mut is_numbered) = (0u64, false);
        let begin = self.changes.len();
        for &(at, was, now) in changed {
            let place = usize::from(at);
            self.changes.push(Change::new(place, now));
            sum = sum.wrapping_add(local.sum(place, now)).wrapping_sub(local.sum(place, was));
            // Where the same numbers stand in the same order, each is replaced by itself.
            is_numbered |= local.numbers(place, now) != local.numbers(place, was);
        }
        let count = self.changes.len() - begin;
        let (label, does_relieve) = local.label(way.fairness, &way.taken);
        if count == 0 {
            return if does_relieve { Step::stays(label) } else { Step::NOWHERE };
        }
        self.courses.push(Course {
            sum,
            begin: u32::try_from(begin).expect("a tree is cut down before"),
            count: u16::try_from(count).expect("at most PLACES_MAX"),
            label,
        });
        self.is_numbered.push(is_numbered);
        self.does_relieve.push(does_relieve);
        Step::course(self.courses.len() - 1)
    }

    /// The marks of all operations that were part of an action.
    pub(super) fn marks(&self) -> impl Iterator<Item = u32> {
        (0..).zip(&self.marks).filter(|(_, is_used)| **is_used).map(|(mark, _)| mark)
    }

    /// Bytes allocated, about.
    pub(super) fn bytes(&self) -> usize {
        self.forks.capacity() * size_of::<Fork>()
            + self.steps.bytes()
            + self.courses.capacity() * (size_of::<Course>() + 2)
            + self.changes.capacity() * size_of::<Change>()
            + self.choices.capacity() * size_of::<Step>()
    }
}

//! What one thread knows: a copy of the part of the store it has met, laid out for speed.
//!
//! Numbers are the store's. Nothing is decided here; what is not known is asked of [`Shared`].

use std::collections::HashMap;
use std::sync::Arc;

use crate::fingerprint::BuildStable;
use crate::interned::cells::Cells;
use crate::interned::shared::Shared;
use crate::interned::step::Step;
use crate::interned::store::{Carried, Number, Offered};
use crate::label::Label;
use crate::parts::Parts;

/// A state that an operation may lead to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Done {
    /// The part now.
    pub(super) to: u32,
    /// What is added to a state's sum.
    pub(super) sum: u64,
    /// What it asks of other places, from here on in [`Local::thens`].
    pub(super) then: u32,
    /// And so many.
    pub(super) thens: u16,
}

/// The outcomes of an operation: so many, from here on in [`Local::dones`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Outcomes {
    pub(super) first: u32,
    pub(super) count: u32,
}

impl Outcomes {
    fn word(self) -> u64 {
        u64::from(self.first) << u32::BITS | u64::from(self.count)
    }

    #[expect(clippy::cast_possible_truncation, reason = "two halves of a word")]
    fn of(word: u64) -> Self {
        Self { first: (word >> u32::BITS) as u32, count: word as u32 }
    }
}

/// What is read of a part each time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    /// Its fingerprint in its place.
    pub(super) sum: u64,
    /// Where its offers begin in [`Local::steps`]; [`UNKNOWN`]: nobody has asked.
    pub(super) first: u32,
    /// And so many.
    pub(super) count: u32,
}

/// No place in a list.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// One place.
#[derive(Debug)]
struct Here<P> {
    parts: Vec<Arc<P>>,
    faces: Vec<Face>,
    numbers: Vec<Arc<[Number]>>,
    cells: Cells,
}

/// What one thread knows.
#[derive(Debug)]
pub(super) struct Local<'s, W: Parts> {
    pub(super) system: &'s W,
    store: &'s Shared<W>,
    /// Places whose offers of a loss are left out.
    without_loss: &'s [bool],
    places: Vec<Here<W::Part>>,
    /// How each offer of the parts met goes on.
    pub(super) steps: Vec<Step>,
    /// The operation of each offer, and how long it may be put off.
    pub(super) offers: Vec<(u32, u16)>,
    /// The outcomes of all operations met.
    pub(super) dones: Vec<Done>,
    /// Place and operation.
    pub(super) thens: Vec<(u16, u32)>,
    marks: Vec<Vec<u32>>,
    /// What each outcome relieves.
    relieves: Vec<Vec<u16>>,
    /// The labels met.
    labels: HashMap<Label, u16, BuildStable>,
}

impl<'s, W: Parts> Local<'s, W> {
    /// Nothing is known yet.
    pub(super) fn new(system: &'s W, store: &'s Shared<W>, without_loss: &'s [bool]) -> Self {
        let place = || Here {
            parts: Vec::new(),
            faces: Vec::new(),
            numbers: Vec::new(),
            cells: Cells::default(),
        };
        Self {
            system,
            store,
            without_loss,
            places: without_loss.iter().map(|_| place()).collect(),
            steps: Vec::new(),
            offers: Vec::new(),
            dones: Vec::new(),
            thens: Vec::new(),
            marks: Vec::new(),
            relieves: Vec::new(),
            labels: HashMap::default(),
        }
    }

    /// The fingerprint of a part in its place.
    #[inline]
    pub(super) fn sum(&self, place: usize, part: u32) -> u64 {
        self.places[place].faces[part as usize].sum
    }

    /// The value of a part.
    pub(super) fn part(&self, place: usize, part: u32) -> &W::Part {
        &self.places[place].parts[part as usize]
    }

    /// What is read of a part each time.
    #[inline]
    pub(super) fn face(&self, place: usize, part: u32) -> Face {
        self.places[place].faces[part as usize]
    }

    /// The number of a part.
    pub(super) fn number(&mut self, place: usize, part: W::Part) -> u32 {
        let number = self.store.part(self.system, place, part);
        self.refresh(place);
        number
    }

    /// What an operation does to a part.
    #[inline]
    pub(super) fn outcomes(&mut self, place: usize, part: u32, op: u32) -> Outcomes {
        match self.places[place].cells.word(part, op) {
            Some(word) => Outcomes::of(word),
            None => self.learn(place, part, op),
        }
    }

    /// How many parts of a place are known.
    #[inline]
    pub(super) fn known(&self, place: usize) -> usize {
        self.places[place].parts.len()
    }

    /// Copies the parts of a place that came to be known.
    pub(super) fn refresh(&mut self, place: usize) {
        let store = self.store.read();
        let (here, known) = (&mut self.places[place], &store.places[place]);
        for number in here.parts.len()..known.parts.len() {
            let part = u32::try_from(number).expect("numbers are small");
            here.parts.push(Arc::clone(known.parts.value(part)));
            here.faces.push(Face { sum: known.sums[number], first: UNKNOWN, count: 0 });
            here.numbers.push(Arc::clone(&known.numbers[number]));
        }
    }

    /// Asks for the offers of a part.
    #[cold]
    pub(super) fn learn_offers(&mut self, place: usize, part: u32) -> Face {
        let offers = self.store.offers(self.system, place, part);
        let first = index(self.offers.len());
        let is_followed = |offer: &&Offered| !(offer.is_loss && self.without_loss[place]);
        let followed = offers.iter().filter(is_followed);
        self.offers.extend(followed.map(|offer| (offer.op, offer.fairness)));
        self.steps.resize(self.offers.len(), Step::UNKNOWN);
        let face = &mut self.places[place].faces[part as usize];
        (face.first, face.count) = (first, index(self.offers.len()) - first);
        *face
    }

    /// Forgets how offers go on.
    pub(super) fn forget_steps(&mut self) {
        self.steps.fill(Step::UNKNOWN);
    }

    #[cold]
    fn learn(&mut self, place: usize, part: u32, op: u32) -> Outcomes {
        let answers = self.store.answers(self.system, place, part, op);
        self.refresh(place);
        let first = index(self.dones.len());
        for answer in answers.iter() {
            let then = index(self.thens.len());
            self.thens.extend(answer.then.iter().map(|&(place, op)| (place.0, op)));
            self.dones.push(Done {
                to: answer.to,
                sum: self.sum(place, answer.to).wrapping_sub(self.sum(place, part)),
                then,
                thens: u16::try_from(answer.then.len()).expect("at most CASCADE_MAX"),
            });
            self.marks.push(answer.marks.clone());
            self.relieves.push(answer.relieves.clone());
        }
        let outcomes = Outcomes { first, count: index(answers.len()) };
        self.places[place].cells.insert(part, op, outcomes.word());
        outcomes
    }

    /// A part with the members of a group changed about; from where to where it goes.
    #[cold]
    pub(super) fn renamed(
        &mut self,
        (from, place): (usize, usize),
        part: u32,
        group: usize,
        to: &Arc<[usize]>,
    ) -> u32 {
        let number = self.store.renamed(self.system, (from, place), part, group, to);
        self.refresh(place);
        number
    }

    /// The messages in flight in a part.
    #[cold]
    pub(super) fn cargo(&self, place: usize, part: u32) -> Arc<[Carried]> {
        self.store.cargo(self.system, place, part)
    }

    /// A part with other numbers.
    #[cold]
    pub(super) fn renumbered(&mut self, place: usize, part: u32, numbers: &[u64]) -> u32 {
        let number = self.store.renumbered(self.system, place, part, numbers);
        self.refresh(place);
        number
    }

    /// The numbers of a part that are replaced, in order.
    #[inline]
    pub(super) fn numbers(&self, place: usize, part: u32) -> &[Number] {
        &self.places[place].numbers[part as usize]
    }

    /// What a report wants to know of an outcome.
    pub(super) fn marks(&self, done: u32) -> &[u32] {
        &self.marks[done as usize]
    }

    /// The label of an action that may be put off as this says and had these outcomes, and whether
    /// one of them relieves something.
    pub(super) fn label(&mut self, begins: u16, outcomes: &[u32]) -> (u16, bool) {
        let all = outcomes.iter().flat_map(|&index| &self.relieves[index as usize]);
        let mut relieves: Vec<u16> = all.copied().collect();
        let does_relieve = !relieves.is_empty();
        relieves.sort_unstable();
        relieves.dedup();
        let label = Label { begins, relieves };
        let number = match self.labels.get(&label) {
            Some(&number) => number,
            None => {
                let number = self.store.label(label.clone());
                self.labels.insert(label, number);
                number
            }
        };
        (number, does_relieve)
    }

    /// Bytes allocated, about.
    pub(super) fn bytes(&self) -> usize {
        let of = |here: &Here<W::Part>| here.cells.bytes() + here.faces.len() * 40;
        self.places.iter().map(of).sum::<usize>() + self.dones.len() * 64
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).expect("far fewer operations are remembered")
}

//! What one thread knows: a copy of the part of the [`Store`] it has met, laid out for speed.
//!
//! Numbers are the store's. Nothing is decided here; what is not known is asked of the store.

use std::sync::{Arc, PoisonError, RwLock};

use crate::parts::Parts;
use crate::search::interned::cells::Cells;
use crate::search::interned::numbers::Number;
use crate::search::interned::store::{Carried, Store};

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
    /// Whether the part before or after has numbers that are to be replaced.
    pub(super) is_numbered: bool,
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

/// An offer that is followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offer {
    /// What its operation does.
    pub(super) outcomes: Outcomes,
    /// See [`super::store::Offered`].
    pub(super) fairness: u16,
}

/// One place.
#[derive(Debug)]
struct Here<P> {
    parts: Vec<Arc<P>>,
    sums: Vec<u64>,
    numbers: Vec<Arc<[Number]>>,
    /// Where a part's offers begin and end, once they are known.
    offers: Vec<Option<(u32, u32)>>,
    cells: Cells,
}

/// What one thread knows.
#[derive(Debug)]
pub(super) struct Local<'s, W: Parts> {
    system: &'s W,
    store: &'s RwLock<Store<W>>,
    /// Places whose offers of a loss are left out.
    without_loss: &'s [bool],
    places: Vec<Here<W::Part>>,
    /// The offers of all parts met.
    pub(super) offers: Vec<Offer>,
    /// The outcomes of all operations met.
    pub(super) dones: Vec<Done>,
    /// Place and operation.
    pub(super) thens: Vec<(u16, u32)>,
    marks: Vec<Vec<u32>>,
    /// Of each outcome, whether it was part of an action.
    pub(super) is_used: Vec<bool>,
}

impl<'s, W: Parts> Local<'s, W> {
    /// Nothing is known yet.
    pub(super) fn new(
        system: &'s W,
        store: &'s RwLock<Store<W>>,
        without_loss: &'s [bool],
    ) -> Self {
        let place = || Here {
            parts: Vec::new(),
            sums: Vec::new(),
            numbers: Vec::new(),
            offers: Vec::new(),
            cells: Cells::default(),
        };
        Self {
            system,
            store,
            without_loss,
            places: without_loss.iter().map(|_| place()).collect(),
            offers: Vec::new(),
            dones: Vec::new(),
            thens: Vec::new(),
            marks: Vec::new(),
            is_used: Vec::new(),
        }
    }

    /// The fingerprint of a part in its place.
    #[inline]
    pub(super) fn sum(&self, place: usize, part: u32) -> u64 {
        self.places[place].sums[part as usize]
    }

    /// The value of a part.
    pub(super) fn part(&self, place: usize, part: u32) -> &W::Part {
        &self.places[place].parts[part as usize]
    }

    /// Where the offers of a part begin and end in [`Local::offers`].
    #[inline]
    pub(super) fn offers(&mut self, place: usize, part: u32) -> (u32, u32) {
        match self.places[place].offers[part as usize] {
            Some(range) => range,
            None => self.learn_offers(place, part),
        }
    }

    /// The number of a part.
    pub(super) fn number(&mut self, place: usize, part: W::Part) -> u32 {
        let number = {
            let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
            store.part(self.system, place, part)
        };
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
        let store = self.store.read().unwrap_or_else(PoisonError::into_inner);
        let (here, known) = (&mut self.places[place], &store.places[place]);
        for number in here.parts.len()..known.parts.len() {
            let part = u32::try_from(number).expect("numbers are small");
            here.parts.push(Arc::clone(known.parts.value(part)));
            here.sums.push(known.sums[number]);
            here.numbers.push(Arc::clone(&known.numbers[number]));
            here.offers.push(None);
        }
    }

    #[cold]
    fn learn_offers(&mut self, place: usize, part: u32) -> (u32, u32) {
        let offers = {
            let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
            store.offers(self.system, place, part)
        };
        let followed: Vec<Offer> = offers
            .iter()
            .filter(|offer| !(offer.is_loss && self.without_loss[place]))
            .map(|offer| Offer {
                outcomes: self.outcomes(place, part, offer.op),
                fairness: offer.fairness,
            })
            .collect();
        let first = index(self.offers.len());
        self.offers.extend(followed);
        let range = (first, index(self.offers.len()));
        self.places[place].offers[part as usize] = Some(range);
        range
    }

    #[cold]
    fn learn(&mut self, place: usize, part: u32, op: u32) -> Outcomes {
        let answers = {
            let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
            store.answers(self.system, place, part, op)
        };
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
                is_numbered: self.is_numbered(place, part) || self.is_numbered(place, answer.to),
            });
            self.marks.push(answer.marks.clone());
            self.is_used.push(false);
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
        let number = {
            let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
            store.renamed(self.system, (from, place), part, group, to)
        };
        self.refresh(place);
        number
    }

    /// The messages in flight in a part.
    #[cold]
    pub(super) fn cargo(&self, place: usize, part: u32) -> Arc<[Carried]> {
        let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
        store.cargo(self.system, place, part)
    }

    /// A part with other numbers.
    #[cold]
    pub(super) fn renumbered(&mut self, place: usize, part: u32, numbers: &[u64]) -> u32 {
        let number = {
            let mut store = self.store.write().unwrap_or_else(PoisonError::into_inner);
            store.renumbered(self.system, place, part, numbers)
        };
        self.refresh(place);
        number
    }

    /// The numbers of a part that are replaced, in order.
    #[inline]
    pub(super) fn numbers(&self, place: usize, part: u32) -> &[Number] {
        &self.places[place].numbers[part as usize]
    }

    fn is_numbered(&self, place: usize, part: u32) -> bool {
        !self.numbers(place, part).is_empty()
    }

    /// The marks of all outcomes that were part of an action.
    pub(super) fn used_marks(&self) -> impl Iterator<Item = u32> {
        let used = self.marks.iter().zip(&self.is_used).filter(|(_, is_used)| **is_used);
        used.flat_map(|(marks, _)| marks.iter().copied())
    }
}

fn index(length: usize) -> u32 {
    u32::try_from(length).expect("far fewer operations are remembered")
}

//! What all threads of a search know together: every part and operation met so far, by number, and
//! what each operation did to each part.
//!
//! An operation runs here once for each part it meets, however often a search asks. Threads copy
//! what they need ([`super::local`]) and come here only for what they have not met.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use turnstile_core::number::Class;

use crate::parts::{Fairness, Parts, Place};
use crate::search::fingerprint::{self, BuildStable};
use crate::search::interned::numbers::Number;
use crate::search::space::NUMBER_BITS;

/// Values by number and numbers by value.
#[derive(Debug)]
pub(super) struct Interner<T> {
    values: Vec<Arc<T>>,
    numbers: HashMap<Arc<T>, u32, BuildStable>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: HashMap::default() }
    }
}

impl<T: Eq + Hash> Interner<T> {
    /// The number of a value: the next one if it is new.
    pub(super) fn number(&mut self, value: T) -> u32 {
        if let Some(&number) = self.numbers.get(&value) {
            return number;
        }
        let number = u32::try_from(self.values.len()).expect("far fewer than NUMBER_BITS allow");
        assert!(number < 1 << NUMBER_BITS, "a place has too many different parts");
        let value = Arc::new(value);
        self.values.push(Arc::clone(&value));
        self.numbers.insert(value, number);
        number
    }

    /// The value of a number.
    pub(super) fn value(&self, number: u32) -> &Arc<T> {
        &self.values[number as usize]
    }

    /// Values in all.
    pub(super) fn len(&self) -> usize {
        self.values.len()
    }
}

/// What an operation did to a part, in numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    /// The part now.
    pub(super) to: u32,
    /// What is asked of other places.
    pub(super) then: Vec<(Place, u32)>,
    /// What a report wants to know.
    pub(super) marks: Vec<u32>,
}

/// An offer in numbers.
#[derive(Clone, Debug)]
pub(super) struct Offered {
    /// The operation.
    pub(super) op: u32,
    /// How long it may be put off, by its place in [`Store::fairness`].
    pub(super) fairness: u16,
    /// Whether it is nothing but a loss.
    pub(super) is_loss: bool,
}

/// A message in flight, in numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    /// Who is to get it.
    pub(super) to: u16,
    /// What its delivery asks of the receiver.
    pub(super) input: u32,
    /// What takes it away.
    pub(super) discard: u32,
}

/// What is known of one place.
#[derive(Debug)]
pub(super) struct Known<W: Parts + ?Sized> {
    /// Its parts.
    pub(super) parts: Interner<W::Part>,
    /// What is done to them.
    pub(super) ops: Interner<W::Op>,
    /// The fingerprint of each part in this place.
    pub(super) sums: Vec<u64>,
    /// The numbers of each part.
    pub(super) numbers: Vec<Arc<[Number]>>,
    offers: Vec<Option<Arc<[Offered]>>>,
    cargo: HashMap<u32, Arc<[Carried]>, BuildStable>,
    answers: HashMap<(u32, u32), Arc<[Answer]>, BuildStable>,
    renamed: HashMap<(u32, usize, Arc<[usize]>), u32, BuildStable>,
}

impl<W: Parts + ?Sized> Default for Known<W> {
    fn default() -> Self {
        Self {
            parts: Interner::default(),
            ops: Interner::default(),
            sums: Vec::new(),
            numbers: Vec::new(),
            offers: Vec::new(),
            cargo: HashMap::default(),
            answers: HashMap::default(),
            renamed: HashMap::default(),
        }
    }
}

/// What is known of all places.
#[derive(Debug)]
pub(super) struct Store<W: Parts + ?Sized> {
    /// Each place.
    pub(super) places: Vec<Known<W>>,
    /// What reports want to know.
    pub(super) marks: Interner<W::Mark>,
    /// How actions may be put off.
    pub(super) fairness: Interner<Fairness>,
    /// The classes of numbers.
    classes: Interner<Class>,
    /// Operations that were run.
    pub(super) runs: usize,
}

impl<W: Parts> Store<W> {
    /// Nothing is known yet of so many places.
    pub(super) fn new(places: usize) -> Self {
        Self {
            places: (0..places).map(|_| Known::default()).collect(),
            marks: Interner::default(),
            fairness: Interner::default(),
            classes: Interner::default(),
            runs: 0,
        }
    }

    /// The number of a part in its place.
    pub(super) fn part(&mut self, system: &W, place: usize, mut part: W::Part) -> u32 {
        let mut numbers = Vec::new();
        let classes = &mut self.classes;
        system.numbers(at(place), &mut part, &mut |class, &mut value| {
            let index = classes.number(class) as usize;
            numbers.push(Number { class, index, value });
        });
        let known = &mut self.places[place];
        let before = known.parts.len();
        let sum = fingerprint::of_part(place, &part);
        let number = known.parts.number(part);
        if known.parts.len() > before {
            known.sums.push(sum);
            known.numbers.push(numbers.into());
            known.offers.push(None);
        }
        number
    }

    /// What may begin at a part.
    pub(super) fn offers(&mut self, system: &W, place: usize, part: u32) -> Arc<[Offered]> {
        let known = &mut self.places[place];
        if let Some(offers) = &known.offers[part as usize] {
            return Arc::clone(offers);
        }
        let offers = system.offers(at(place), known.parts.value(part));
        let offers: Arc<[Offered]> = offers
            .into_iter()
            .map(|offer| Offered {
                op: known.ops.number(offer.op),
                fairness: u16::try_from(self.fairness.number(offer.fairness))
                    .expect("far fewer actions have a fairness of their own"),
                is_loss: offer.is_loss,
            })
            .collect();
        known.offers[part as usize] = Some(Arc::clone(&offers));
        offers
    }

    /// The messages in flight in a part.
    pub(super) fn cargo(&mut self, system: &W, place: usize, part: u32) -> Arc<[Carried]> {
        if let Some(cargo) = self.places[place].cargo.get(&part) {
            return Arc::clone(cargo);
        }
        let cargo = system.cargo(at(place), self.places[place].parts.value(part));
        let carried = cargo.into_iter().map(|cargo| Carried {
            to: cargo.to.0,
            input: self.places[cargo.to.index()].ops.number(cargo.input),
            discard: self.places[place].ops.number(cargo.discard),
        });
        let cargo: Arc<[Carried]> = carried.collect();
        self.places[place].cargo.insert(part, Arc::clone(&cargo));
        cargo
    }

    /// What an operation does to a part.
    pub(super) fn answers(
        &mut self,
        system: &W,
        place: usize,
        part: u32,
        op: u32,
    ) -> Arc<[Answer]> {
        if let Some(answers) = self.places[place].answers.get(&(part, op)) {
            return Arc::clone(answers);
        }
        let answers: Arc<[Answer]> = self.run(system, place, part, op).into();
        self.places[place].answers.insert((part, op), Arc::clone(&answers));
        answers
    }

    fn run(&mut self, system: &W, place: usize, part: u32, op: u32) -> Vec<Answer> {
        self.runs += 1;
        let known = &self.places[place];
        let dones = system.apply(at(place), known.parts.value(part), known.ops.value(op));
        let answers = dones.into_iter().map(|done| Answer {
            to: self.part(system, place, done.part),
            then: done
                .then
                .into_iter()
                .map(|(place, op)| (place, self.places[place.index()].ops.number(op)))
                .collect(),
            marks: done.marks.into_iter().map(|mark| self.marks.number(mark)).collect(),
        });
        answers.collect()
    }

    /// The part with its numbers replaced, in the order in which they are visited.
    pub(super) fn renumbered(
        &mut self,
        system: &W,
        place: usize,
        part: u32,
        numbers: &[u64],
    ) -> u32 {
        let mut value = W::Part::clone(self.places[place].parts.value(part));
        let mut numbers = numbers.iter();
        system.numbers(at(place), &mut value, &mut |_, number| {
            *number = *numbers.next().expect("a part's numbers are as many as before");
        });
        self.part(system, place, value)
    }

    /// The part with the members of a group changed about. `place` is where it is to stand.
    pub(super) fn renamed(
        &mut self,
        system: &W,
        (from, place): (usize, usize),
        part: u32,
        group: usize,
        to: &Arc<[usize]>,
    ) -> u32 {
        let key = (part, group, Arc::clone(to));
        if let Some(&number) = self.places[from].renamed.get(&key) {
            return number;
        }
        let value = system.renamed(at(from), self.places[from].parts.value(part), group, to);
        let number = self.part(system, place, value);
        self.places[from].renamed.insert(key, number);
        number
    }

    /// Runs about so many of the remembered operations again. The first that does something else
    /// than it did before: the core is not pure, and no verdict counts.
    pub(super) fn impure(&mut self, system: &W, sample: usize) -> Option<String> {
        let mut keys: Vec<(usize, u32, u32)> = Vec::new();
        for (place, known) in self.places.iter().enumerate() {
            keys.extend(known.answers.keys().map(|&(part, op)| (place, part, op)));
        }
        keys.sort_unstable();
        let step = keys.len().div_ceil(sample).max(1);
        keys.into_iter().step_by(step).find_map(|(place, part, op)| {
            let again = self.run(system, place, part, op);
            let known = &self.places[place];
            let differs = known.answers[&(part, op)][..] != again[..];
            differs.then(|| format!("{:?} on {:?}", known.ops.value(op), known.parts.value(part)))
        })
    }

    /// Bytes, about.
    pub(super) fn bytes(&self) -> usize {
        let part = 2 * size_of::<W::Part>() + 64;
        let of = |known: &Known<W>| {
            known.parts.len() * part
                + known.ops.len() * (2 * size_of::<W::Op>() + 32)
                + known.answers.len() * 96
        };
        self.places.iter().map(of).sum()
    }
}

/// A place by its index.
pub(super) fn at(place: usize) -> Place {
    Place(u16::try_from(place).expect("at most PLACES_MAX places"))
}

//! What all threads of a search know together: every part and operation met so far, by number, and
//! what each operation did to each part.
//!
//! Nothing runs here: what is kept was made ready elsewhere ([`super::shared`]).

use std::collections::HashMap;
use std::sync::Arc;

use turnstile_step::IdClass;

use crate::fingerprint::BuildStable;
use crate::interned::interner::{Hashed, Interner};
use crate::interned::made::{self, Part};
use crate::label::{Label, Labels};
use crate::parts::{Fairness, Parts, Place};

/// A number of a part: its class by place in the store's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) class: IdClass,
    pub(super) index: usize,
    pub(super) value: u64,
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
    /// What is relieved, by its place in [`Store::fairness`].
    pub(super) relieves: Vec<u16>,
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
pub(super) struct Known<W: Parts> {
    /// Its parts.
    pub(super) parts: Interner<W::Part>,
    /// What is done to them.
    pub(super) ops: Interner<W::Op>,
    /// The fingerprint of each part in this place.
    pub(super) sums: Vec<u64>,
    /// The numbers of each part.
    pub(super) numbers: Vec<Arc<[Number]>>,
    /// What may begin at each part, if that was asked.
    pub(super) offers: Vec<Option<Arc<[Offered]>>>,
    /// By part.
    pub(super) cargo: HashMap<u32, Arc<[Carried]>, BuildStable>,
    /// By part and operation.
    pub(super) answers: HashMap<(u32, u32), Arc<[Answer]>, BuildStable>,
    /// By part, group and where its members go.
    pub(super) renamed: HashMap<(u32, usize, Arc<[usize]>), u32, BuildStable>,
}

impl<W: Parts> Default for Known<W> {
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
pub(super) struct Store<W: Parts> {
    /// Each place.
    pub(super) places: Vec<Known<W>>,
    /// What reports want to know.
    pub(super) marks: Interner<W::Mark>,
    /// How actions may be put off.
    fairness: Interner<Fairness>,
    /// What transitions have to do with it.
    labels: Interner<Label>,
    /// The classes of numbers.
    classes: Vec<IdClass>,
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
            labels: Interner::default(),
            classes: Vec::new(),
            runs: 0,
        }
    }

    /// The number of a part in its place.
    pub(super) fn part(&mut self, place: usize, part: Part<W::Part>) -> u32 {
        let known = &mut self.places[place];
        let before = known.parts.len();
        let number = known.parts.number(part.value);
        if known.parts.len() > before {
            known.sums.push(part.sum);
            let numbers = part.numbers.into_iter();
            let classes = &mut self.classes;
            let number = |(class, value)| Number { class, index: index_of(classes, class), value };
            known.numbers.push(numbers.map(number).collect());
            known.offers.push(None);
        }
        number
    }

    /// Keeps what may begin at a part.
    pub(super) fn keep_offers(
        &mut self,
        place: usize,
        part: u32,
        offers: Vec<made::Offer<W>>,
    ) -> Arc<[Offered]> {
        let known = &mut self.places[place];
        let offered = |offer: made::Offer<W>| Offered {
            op: known.ops.number(offer.op),
            fairness: small(self.fairness.number(offer.fairness)),
            is_loss: offer.is_loss,
        };
        let offers: Arc<[Offered]> = offers.into_iter().map(offered).collect();
        known.offers[part as usize] = Some(Arc::clone(&offers));
        offers
    }

    /// Keeps the messages in flight in a part.
    pub(super) fn keep_cargo(
        &mut self,
        place: usize,
        part: u32,
        cargo: Vec<made::Cargo<W>>,
    ) -> Arc<[Carried]> {
        let carried = cargo.into_iter().map(|cargo| Carried {
            to: cargo.to.0,
            input: self.places[cargo.to.index()].ops.number(cargo.input),
            discard: self.places[place].ops.number(cargo.discard),
        });
        let cargo: Arc<[Carried]> = carried.collect();
        self.places[place].cargo.insert(part, Arc::clone(&cargo));
        cargo
    }

    /// Keeps what an operation did to a part. Who ran it first is believed.
    pub(super) fn keep_answers(
        &mut self,
        (place, part, op): (usize, u32, u32),
        outcomes: Vec<made::Outcome<W>>,
    ) -> Arc<[Answer]> {
        if let Some(answers) = self.places[place].answers.get(&(part, op)) {
            return Arc::clone(answers);
        }
        self.runs += 1;
        let answers: Arc<[Answer]> = self.answers(place, outcomes).into();
        self.places[place].answers.insert((part, op), Arc::clone(&answers));
        answers
    }

    fn answers(&mut self, place: usize, outcomes: Vec<made::Outcome<W>>) -> Vec<Answer> {
        let answers = outcomes.into_iter().map(|outcome| Answer {
            to: self.part(place, outcome.part),
            then: outcome
                .then
                .into_iter()
                .map(|(place, op)| (place, self.places[place.index()].ops.number(op)))
                .collect(),
            marks: outcome.marks.into_iter().map(|mark| self.marks.number(mark)).collect(),
            relieves: outcome
                .relieves
                .into_iter()
                .map(|one| small(self.fairness.number(one)))
                .collect(),
        });
        answers.collect()
    }

    /// The number of a label.
    pub(super) fn label(&mut self, label: Hashed<Label>) -> u16 {
        small(self.labels.number(label))
    }

    /// What the labels so far say.
    pub(super) fn labels(&self) -> Labels {
        let numbers = |len: usize| 0..u32::try_from(len).expect("they are few");
        let fairness = numbers(self.fairness.len()).map(|one| self.fairness.value(one));
        let labels = numbers(self.labels.len()).map(|one| self.labels.value(one));
        Labels::new(
            &fairness.map(|one| Fairness::clone(one)).collect::<Vec<_>>(),
            &labels.map(|one| Label::clone(one)).collect::<Vec<_>>(),
        )
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
            let known = &self.places[place];
            let (value, operation) = (known.parts.value(part), known.ops.value(op));
            let outcomes = made::Outcome::run(system, place, value, operation);
            let again = self.answers(place, outcomes);
            let known = &self.places[place];
            let differs = known.answers[&(part, op)][..] != again[..];
            differs.then(|| format!("{:?} on {:?}", known.ops.value(op), known.parts.value(part)))
        })
    }

    /// Visits the numbers of about so many parts. The first that is another one afterwards although
    /// no number was replaced: the visit does more than show numbers, and might put right what a
    /// step did wrong, so no verdict counts.
    pub(super) fn changed_by_a_look(&self, system: &W, sample: usize) -> Option<String> {
        let parts = self.places.iter().enumerate().flat_map(|(place, known)| {
            let numbers = 0..u32::try_from(known.parts.len()).expect("parts are numbered by u32");
            numbers.map(move |number| (Place::of(place), known.parts.value(number)))
        });
        let all: usize = self.places.iter().map(|known| known.parts.len()).sum();
        let step = all.div_ceil(sample).max(1);
        parts.into_iter().step_by(step).find_map(|(place, part)| {
            let mut seen = W::Part::clone(part);
            system.numbers(place, &mut seen, &mut |_, _| {});
            (seen != **part).then(|| format!("a visit to the numbers of {part:?} leaves {seen:?}"))
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

/// A number of a fairness or of a label.
fn small(number: u32) -> u16 {
    u16::try_from(number).expect("far fewer actions have a fairness of their own")
}

/// The place of a class in the list, where it is added if it is new.
fn index_of(classes: &mut Vec<IdClass>, class: IdClass) -> usize {
    classes.iter().position(|known| *known == class).unwrap_or_else(|| {
        classes.push(class);
        classes.len() - 1
    })
}

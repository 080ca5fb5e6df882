//! Dead messages: those to which their receiver does not react, now or in any state that it can
//! still come to. A row without them stands for all rows with them.
//!
//! Sound for properties that read no messages: such a message changes nothing but itself. What
//! "can still come to" means is found by letting every message that is ever sent meet every state
//! of its receiver, which is more than can happen and never less.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::fingerprint::BuildStable;
use crate::interned::shared::Shared;
use crate::interned::store::Answer;
use crate::parts::{Kind, Parts, Place};

/// Operations tried before this is given up.
const TRIED_MAX: usize = 2_000_000;

/// Which inputs a node still reacts to.
#[derive(Debug, Default)]
pub(super) struct Live {
    /// Node, part, input: it reacts now or later.
    reacts: HashSet<(u16, u32, u32), BuildStable>,
    /// Parts known when this was worked out; a later one reacts to everything.
    known: Vec<usize>,
}

impl Live {
    /// Whether a node with this part may still react to this input.
    pub(super) fn reacts(&self, node: u16, part: u32, input: u32) -> bool {
        part as usize >= self.known[usize::from(node)] || self.reacts.contains(&(node, part, input))
    }
}

/// What is found on the way.
#[derive(Default)]
struct Closure {
    /// What may be done to each place.
    ops: BTreeMap<u16, BTreeSet<u32>>,
    /// The messages that may come to each place.
    inputs: BTreeMap<u16, BTreeSet<u32>>,
    tried: HashSet<(u16, u32, u32), BuildStable>,
    /// The parts that a part may become.
    next: HashMap<(u16, u32), BTreeSet<u32>, BuildStable>,
    /// The inputs to which a part reacts at once.
    reacts: HashMap<(u16, u32), BTreeSet<u32>, BuildStable>,
}

/// Works out which inputs each node still reacts to. `None`: there are too many to try, or every
/// node reacts to all that may ever come, so that there is nothing to leave out.
///
/// A call waits for exactly one answer, and that there was one frees its slot: a link of calls has
/// no cargo, even where nobody reacts to the answer. What a World's watch is told of counts as a
/// reaction, too.
pub(super) fn live<W: Parts>(system: &W, store: &Shared<W>) -> Option<Live> {
    let mut closure = Closure::default();
    let width = store.read().places.len();
    loop {
        let before = closure.tried.len();
        for place in 0..width {
            match system.kind(Place::of(place)) {
                Kind::Node => closure.node(system, store, place),
                Kind::Link => closure.link(system, store, place),
                Kind::Record => {}
            }
            if closure.tried.len() > TRIED_MAX {
                return None;
            }
        }
        if closure.tried.len() == before {
            break;
        }
    }
    let known: Vec<usize> = store.read().places.iter().map(|known| known.parts.len()).collect();
    let inputs = std::mem::take(&mut closure.inputs);
    let reacts = closure.spread();
    let is_dead = |&(&place, inputs): &(&u16, &BTreeSet<u32>)| {
        let parts = 0..u32::try_from(known[usize::from(place)]).expect("numbers are small");
        let met = parts.flat_map(|part| inputs.iter().map(move |&input| (place, part, input)));
        met.into_iter().any(|met| !reacts.contains(&met))
    };
    let has_dead = inputs.iter().any(|each| is_dead(&each));
    has_dead.then_some(Live { reacts, known })
}

impl Closure {
    /// Tries everything on every part of a node.
    fn node<W: Parts>(&mut self, system: &W, store: &Shared<W>, place: usize) {
        let number = Place::of(place).0;
        let mut part = 0;
        while (part as usize) < store.read().places[place].parts.len() {
            let offers = store.offers(system, place, part);
            let offered = offers.iter().map(|offer| offer.op);
            let asked = self.ops.get(&number).into_iter().flatten().copied();
            let ops: BTreeSet<u32> = offered.chain(asked).collect();
            for op in ops {
                if self.tried.insert((number, part, op)) {
                    let answers = store.answers(system, place, part, op);
                    self.note(number, part, op, &answers);
                }
            }
            part += 1;
        }
    }

    fn note(&mut self, place: u16, part: u32, op: u32, answers: &[Answer]) {
        let stays = |answer: &Answer| answer.to == part && answer.then.is_empty();
        if answers.is_empty() || !answers.iter().all(stays) {
            self.reacts.entry((place, part)).or_default().insert(op);
        }
        for answer in answers {
            self.next.entry((place, part)).or_default().insert(answer.to);
            for &(Place(to), op) in &answer.then {
                self.ops.entry(to).or_default().insert(op);
            }
        }
    }

    /// Puts every message onto the link as it is in the beginning, and notes whom it may reach.
    fn link<W: Parts>(&mut self, system: &W, store: &Shared<W>, place: usize) {
        const EMPTY: u32 = 0;
        let number = Place::of(place).0;
        let ops: Vec<u32> = self.ops.get(&number).into_iter().flatten().copied().collect();
        for op in ops {
            if !self.tried.insert((number, EMPTY, op)) {
                continue;
            }
            for answer in store.answers(system, place, EMPTY, op).iter() {
                for cargo in store.cargo(system, place, answer.to).iter() {
                    self.ops.entry(cargo.to).or_default().insert(cargo.input);
                    self.inputs.entry(cargo.to).or_default().insert(cargo.input);
                }
                for offer in store.offers(system, place, answer.to).iter() {
                    for moved in store.answers(system, place, answer.to, offer.op).iter() {
                        for &(Place(to), op) in &moved.then {
                            self.ops.entry(to).or_default().insert(op);
                        }
                    }
                }
            }
        }
    }

    /// Inputs to which a part reacts at once or after becoming another.
    fn spread(mut self) -> HashSet<(u16, u32, u32), BuildStable> {
        loop {
            let mut is_done = true;
            for (&(place, part), next) in &self.next {
                let later: BTreeSet<u32> = next
                    .iter()
                    .filter_map(|&next| self.reacts.get(&(place, next)))
                    .flatten()
                    .copied()
                    .collect();
                let now = self.reacts.entry((place, part)).or_default();
                let before = now.len();
                now.extend(later);
                is_done &= now.len() == before;
            }
            if is_done {
                break;
            }
        }
        let all = self.reacts.iter();
        all.flat_map(|(&(place, part), ops)| ops.iter().map(move |&op| (place, part, op))).collect()
    }
}

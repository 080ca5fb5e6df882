//! Random walks through a system that is too large to search: they find violations and witnesses,
//! and prove nothing.

use std::collections::HashSet;
use std::time::Instant;

use crate::bounds::{Limits, ProgressSnapshot, Reductions};
use crate::breadth_first::Truncation;
use crate::interned::{Expander, Interned, StateSpace};
use crate::judgement::{Judgement, Verdict};
use crate::property_batch::PropertyBatch;
use crate::successors::Successors;
use crate::trail::Trail;
use crate::transition_system::{Property, PropertyKind, TransitionSystem};

use super::outcome::CheckOutcome;
use super::request::CheckRequest;

/// The walks of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walks {
    /// How many.
    pub count: u64,
    /// The most steps of each.
    pub steps: u64,
    /// The seed: equal seeds walk equally, on any machine.
    pub seed: u64,
}

/// The steps between two looks at the limits.
const POLL: u64 = 1024;

/// Walks through a system at random. Each step is one of the enabled actions, each as likely as any
/// other; a walk ends where there is none. Nothing that needs every state is decided.
#[must_use]
pub fn simulate<W: TransitionSystem + ?Sized>(
    system: &W,
    walks: Walks,
    request: CheckRequest<'_>,
) -> CheckOutcome<W::Tag> {
    let mut batches = PropertyBatch::all(&system.properties()).into_iter();
    let first = batches.next().expect("there is a batch even without properties");
    let mut outcome = walk_for(system, first, walks, request);
    for batch in batches {
        outcome.add(walk_for(system, batch, walks, request));
    }
    outcome
}

/// The walks for a batch of properties: the same for every batch.
fn walk_for<W: TransitionSystem + ?Sized>(
    system: &W,
    batch: PropertyBatch,
    walks: Walks,
    request: CheckRequest<'_>,
) -> CheckOutcome<W::Tag> {
    let interned = Interned::new(system);
    let space = interned.space(batch.propositions.clone(), Reductions::NONE);
    walk_in(&space, &batch, walks, request).of(&interned)
}

fn walk_in(
    space: &StateSpace<'_>,
    batch: &PropertyBatch,
    walks: Walks,
    request: CheckRequest<'_>,
) -> CheckOutcome<u32> {
    let PropertyBatch { properties, deciding_bits, .. } = batch;
    let began = Instant::now();
    let mut walker = Walker::new(space, walks.seed);
    let mut truncation = Truncation::Walks;
    for _ in 0..walks.count {
        if let Some(limit) = walker.walk(walks.steps, request) {
            truncation = limit;
            break;
        }
    }
    // The expander adds its coverage to the space's when it is dropped.
    let Walker { expander, visited, transitions, depth, first, bytes, .. } = walker;
    drop(expander);
    let judge = |(property, bit): (&Property, &Option<usize>)| {
        let trail = bit.and_then(|bit| first[bit].clone()).map(Trail::of);
        match (property.kind, trail) {
            (PropertyKind::Always(_), Some(trail)) => Judgement::with_trail(Verdict::Fails, trail),
            (PropertyKind::Sometimes(_), Some(trail)) => {
                Judgement::with_trail(Verdict::Holds, trail)
            }
            (
                PropertyKind::Always(_)
                | PropertyKind::Sometimes(_)
                | PropertyKind::CanReach(..)
                | PropertyKind::Eventually(_)
                | PropertyKind::LeadsTo(..),
                _,
            ) => Judgement::plain(Verdict::Incomplete),
        }
    };
    CheckOutcome {
        judgements: properties.iter().zip(deciding_bits).map(judge).collect(),
        explored: began.elapsed(),
        judging: std::time::Duration::ZERO,
        reductions: Vec::new(),
        refused: Vec::new(),
        reduced: Reductions::NONE,
        impure: space.impure(),
        tags: space.covered(),
        runs: space.runs(),
        states: visited.len(),
        transitions,
        depth,
        truncation: Some(truncation),
        peak_bytes: bytes,
    }
}

struct Walker<'s> {
    space: &'s StateSpace<'s>,
    expander: Expander<'s>,
    found: Successors,
    random: u64,
    /// The fingerprints of the states so far.
    visited: HashSet<u64>,
    transitions: usize,
    depth: usize,
    /// By bit: the shortest walk so far to a state where the proposition holds.
    first: Vec<Option<Vec<u64>>>,
    bytes: usize,
}

impl<'s> Walker<'s> {
    fn new(space: &'s StateSpace<'_>, seed: u64) -> Self {
        let mut expander = Expander::new(space);
        expander.keep_all_deltas();
        Self {
            space,
            expander,
            found: Successors::default(),
            random: seed,
            visited: HashSet::new(),
            transitions: 0,
            depth: 0,
            first: vec![None; 64],
            bytes: 0,
        }
    }

    /// One walk; the limit that it reached, if one of the request.
    fn walk(&mut self, steps: u64, request: CheckRequest<'_>) -> Option<Truncation> {
        let mut vector = vec![0; self.space.width()];
        let mut path = Vec::new();
        for step in 0..=steps {
            self.found.clear();
            self.expander.begin();
            if step == 0 {
                self.expander.initial(&mut self.found);
            } else {
                self.expander.expand(&vector, &mut self.found);
            }
            let Some(place) = self.below(self.found.kept().len()) else { break };
            let next = self.found.kept()[place];
            self.expander.apply(next.delta, &mut vector);
            path.push(next.fingerprint);
            self.visited.insert(next.fingerprint);
            self.transitions += usize::from(step > 0);
            self.depth = self.depth.max(path.len() - 1);
            self.note(&vector, &path);
            if step % POLL == 0
                && let Some(limit) = self.limit(request)
            {
                return Some(limit);
            }
        }
        None
    }

    /// Keeps the walk for each proposition that holds, if it is the shortest.
    fn note(&mut self, vector: &[u32], path: &[u64]) {
        let mut bits = self.expander.evaluate(vector);
        while bits != 0 {
            let first = &mut self.first[bits.trailing_zeros() as usize];
            if first.as_ref().is_none_or(|first| first.len() > path.len()) {
                *first = Some(path.to_vec());
            }
            bits &= bits - 1;
        }
    }

    fn limit(&mut self, request: CheckRequest<'_>) -> Option<Truncation> {
        let Limits { max_states, max_memory, deadline } = request.limits;
        let set = self.visited.capacity() * size_of::<u64>() * 2;
        self.bytes = self.space.bytes() + self.expander.bytes() + set;
        let states = self.visited.len() as u64;
        request.progress.update(ProgressSnapshot {
            states,
            memory: self.bytes as u64,
            ..ProgressSnapshot::default()
        });
        if request.progress.is_stopped() {
            return Some(Truncation::Stopped);
        }
        if max_states.is_some_and(|most| states >= most) {
            return Some(Truncation::States);
        }
        if max_memory.is_some_and(|most| self.bytes as u64 > most) {
            return Some(Truncation::Memory);
        }
        deadline.filter(|deadline| Instant::now() >= *deadline).map(|_| Truncation::Timeout)
    }

    /// A number below a bound, or none below 0: splitmix64, whose sequence no library may change,
    /// and the high bits of a product.
    fn below(&mut self, bound: usize) -> Option<usize> {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.random;
        word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^= word >> 31;
        let place = (u128::from(word) * bound as u128) >> 64;
        usize::try_from(place).ok().filter(|_| bound > 0)
    }
}

//! The reduction of dead messages: a message is dead if its receiver does not react to it in its
//! state or in any state reachable from there. The state without dead messages is the
//! representative.
//!
//! Sound for properties that read no messages: delivering a dead message changes nothing else.
//! Reachability is over-approximated by delivering every message that is ever sent in every state
//! of its receiver.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::fingerprint::BuildStableHasher;
use crate::interned::indexed::IndexedSystem;
use crate::interned::tables::StoredOutcome;
use crate::transition_system::{PartKind, Place};

/// The most operations tried; with more, the reduction is not made.
const TRIED_MAX: usize = 2_000_000;

/// The inputs that are live in each state of a node.
#[derive(Debug, Default)]
pub(super) struct LiveInputs {
    /// Node, part, input: the node reacts now or later.
    reacts: HashSet<(u16, u32, u32), BuildStableHasher>,
    /// By place: the number of parts analysed; every input is live in a part interned later.
    analysed: Vec<usize>,
}

impl LiveInputs {
    /// Whether a node in this state may still react to this input.
    pub(super) fn reacts(&self, node: u16, part: u32, input: u32) -> bool {
        part as usize >= self.analysed[usize::from(node)]
            || self.reacts.contains(&(node, part, input))
    }
}

/// The over-approximation, as far as it is computed.
#[derive(Default)]
struct Closure {
    /// By place: the operations that may be triggered on it.
    ops: BTreeMap<u16, BTreeSet<u32>>,
    /// By place: the messages that may be delivered to it.
    inputs: BTreeMap<u16, BTreeSet<u32>>,
    /// Place, part and operation.
    tried: HashSet<(u16, u32, u32), BuildStableHasher>,
    /// By place and part: its successors.
    next: HashMap<(u16, u32), BTreeSet<u32>, BuildStableHasher>,
    /// By place and part: the inputs it reacts to.
    reacts: HashMap<(u16, u32), BTreeSet<u32>, BuildStableHasher>,
}

/// Computes the live inputs of each node. `None`: there are too many operations to try, or no
/// message is ever dead.
///
/// A reply frees the slot of its call even where the caller does not react to it, so a link of
/// calls lists no message in flight. An observation by the monitor counts as a reaction.
pub(super) fn live_inputs(system: &dyn IndexedSystem, width: usize) -> Option<LiveInputs> {
    let mut closure = Closure::default();
    loop {
        let before = closure.tried.len();
        for place in 0..width {
            match system.part_kind(place) {
                PartKind::Node => closure.node(system, place),
                PartKind::Link => closure.link(system, place),
                PartKind::Passive => {}
            }
            if closure.tried.len() > TRIED_MAX {
                return None;
            }
        }
        if closure.tried.len() == before {
            break;
        }
    }
    let analysed: Vec<usize> = (0..width).map(|place| parts(system, place)).collect();
    let inputs = std::mem::take(&mut closure.inputs);
    let reacts = closure.propagate();
    let is_dead = |&(&place, inputs): &(&u16, &BTreeSet<u32>)| {
        let parts = 0..u32::try_from(analysed[usize::from(place)]).expect("indices are small");
        let met = parts.flat_map(|part| inputs.iter().map(move |&input| (place, part, input)));
        met.into_iter().any(|met| !reacts.contains(&met))
    };
    let has_dead = inputs.iter().any(|each| is_dead(&each));
    has_dead.then_some(LiveInputs { reacts, analysed })
}

/// The number of parts of a place.
fn parts(system: &dyn IndexedSystem, place: usize) -> usize {
    let mut parts = 0;
    system.read(&mut |tables| parts = tables.places[place].len());
    parts
}

impl Closure {
    /// Tries every operation on every part of a node.
    fn node(&mut self, system: &dyn IndexedSystem, place: usize) {
        let at = Place::of(place).0;
        let mut part = 0;
        while (part as usize) < parts(system, place) {
            let enabled = system.enabled(place, part);
            let own = enabled.iter().map(|enabled| enabled.op);
            let triggered = self.ops.get(&at).into_iter().flatten().copied();
            let ops: BTreeSet<u32> = own.chain(triggered).collect();
            for op in ops {
                if self.tried.insert((at, part, op)) {
                    let outcomes = system.outcomes(place, part, op);
                    self.add(at, part, op, &outcomes);
                }
            }
            part += 1;
        }
    }

    fn add(&mut self, place: u16, part: u32, op: u32, outcomes: &[StoredOutcome]) {
        let is_unchanged =
            |outcome: &StoredOutcome| outcome.to == part && outcome.triggers.is_empty();
        if outcomes.is_empty() || !outcomes.iter().all(is_unchanged) {
            self.reacts.entry((place, part)).or_default().insert(op);
        }
        for outcome in outcomes {
            self.next.entry((place, part)).or_default().insert(outcome.to);
            for &(Place(to), op) in &outcome.triggers {
                self.ops.entry(to).or_default().insert(op);
            }
        }
    }

    /// Puts every message onto the empty link, and adds the operations its delivery may trigger.
    fn link(&mut self, system: &dyn IndexedSystem, place: usize) {
        const EMPTY: u32 = 0;
        let at = Place::of(place).0;
        let ops: Vec<u32> = self.ops.get(&at).into_iter().flatten().copied().collect();
        for op in ops {
            if !self.tried.insert((at, EMPTY, op)) {
                continue;
            }
            for outcome in system.outcomes(place, EMPTY, op).iter() {
                for message in system.in_flight(place, outcome.to).iter() {
                    self.ops.entry(message.to).or_default().insert(message.input);
                    self.inputs.entry(message.to).or_default().insert(message.input);
                }
                for enabled in system.enabled(place, outcome.to).iter() {
                    for moved in system.outcomes(place, outcome.to, enabled.op).iter() {
                        for &(Place(to), op) in &moved.triggers {
                            self.ops.entry(to).or_default().insert(op);
                        }
                    }
                }
            }
        }
    }

    /// Propagates reactions backwards along successors, to a fixed point.
    fn propagate(mut self) -> HashSet<(u16, u32, u32), BuildStableHasher> {
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

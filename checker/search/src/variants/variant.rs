//! A variant of a recorded system, judged by what differs: only states with a changed operation are
//! expanded again, and those that are new.
//!
//! First come the states whose recorded path is one of the variant, too: what is found from them is
//! reachable, so that a violated invariant decides at once. Where a recorded transition is lost,
//! all reachable states are visited from the initial ones, by the recorded transitions and the new
//! ones. The verdicts are those of a search of the variant from nothing.

mod affected;
mod judged;
mod verdict;

use std::collections::{BTreeSet, HashMap};

use crate::fingerprint::BuildStableHasher;
use crate::interned::expander::Expander;
use crate::interned::predicates::PredicateCache;
use crate::interned::space::StateSpace;
use crate::interned::system::Interned;
use crate::interned::tables::Tables;
use crate::successors::Successors;
use crate::transition_system::TransitionSystem;
use crate::variants::changes::Changes;
use crate::variants::recording::{RecordedSearch, Recording, caches, number};

use affected::Affected;
pub use judged::{Judged, Tags, VariantLimits, VariantOutcome};

/// Recorded successors of a state that a variant may lack before its next one.
const SKIPPED_MAX: usize = 3;

/// Why there is no judgement that every property holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// A property fails, or is vacuous.
    Fails,
    /// A limit is reached.
    Limit,
}

/// The transitions of a state of the variant.
#[derive(Clone, Copy, Debug)]
struct Row {
    begin: u32,
    end: u32,
    self_loops_begin: u32,
    self_loops_end: u32,
}

/// A variant while its states are found. States of the recording keep their numbers; new ones have
/// the next ones.
struct Variant<'r, 's> {
    recording: &'r RecordedSearch,
    /// The tables of the recording.
    tables: &'r Tables,
    space: &'s StateSpace<'s>,
    expander: Expander<'s>,
    predicates: Vec<PredicateCache>,
    limits: VariantLimits<'r>,
    /// The recorded states with changed operations.
    affected: Affected,
    /// The propositions that hold in the recorded states, if the variant's predicates differ.
    other_holding: Option<&'r [u64]>,
    /// By batch: the bits that violate an invariant.
    violations: Vec<u64>,
    /// The new states by fingerprint.
    new: HashMap<u64, u32, BuildStableHasher>,
    new_vectors: Vec<u32>,
    new_holding: Vec<u64>,
    /// The states expanded, and their rows.
    rows: HashMap<u32, Row, BuildStableHasher>,
    to: Vec<u32>,
    labels: Vec<u16>,
    self_loops: Vec<u16>,
    /// The first new state that is not expanded.
    next: u32,
    /// By recorded state: whether the variant does not have the transition that found it.
    is_lost: Vec<bool>,
    /// Whether there is such a state.
    has_lost: bool,
    found: Successors,
    vector: Vec<u32>,
}

impl<W: TransitionSystem + ?Sized> Recording<W> {
    /// Judges a variant of the system by its changes. `holding`: the propositions that hold in the
    /// recorded states, if the predicates are others.
    #[must_use]
    pub fn judge(
        &self,
        variant: &W,
        (changes, holding): (&Changes, Option<&[u64]>),
        limits: VariantLimits<'_>,
        tags: Tags<'_, W::Tag>,
    ) -> Judged<W> {
        let mut store = self.store.clone();
        changes.operations.iter().for_each(|&id| store.tables.forget(id));
        let interned = Interned::with(variant, store);
        let space = interned.space(Vec::new(), self.search.reduce);
        let recording = (&self.search, &self.store.tables);
        let found = Variant::new(recording, &space, (changes, holding), limits);
        let is_same_graph = changes.is_of_tags && holding.is_none();
        let is_wanted = |tag| (tags.is_wanted)(self.store.tags.value(tag));
        let outcome = match found.judge(is_same_graph, &is_wanted) {
            Ok(found) => {
                let found = interned.tags(found);
                match found.iter().any(tags.is_incomplete) {
                    true => VariantOutcome::Open,
                    false => VariantOutcome::Holds { tags: found },
                }
            }
            Err(End::Fails) => VariantOutcome::Fails,
            Err(End::Limit) => VariantOutcome::Open,
        };
        drop(space);
        Judged::new(outcome, interned.into_store())
    }

    /// The propositions that hold in the recorded states by the predicates of a variant.
    #[must_use]
    pub fn holding_by(&self, variant: &W) -> Vec<u64> {
        let interned = Interned::with(variant, self.store.clone());
        self.search.holding_in(&interned.space(Vec::new(), self.search.reduce))
    }

    /// Whether these are the propositions that hold in the recorded states.
    #[must_use]
    pub fn is_holding(&self, holding: &[u64]) -> bool {
        self.search.recorded.holding == holding
    }
}

impl RecordedSearch {
    /// The propositions that hold in the recorded states by the predicates of a space with the same
    /// indices.
    fn holding_in(&self, space: &StateSpace<'_>) -> Vec<u64> {
        let mut expander = Expander::new(space);
        let mut predicates = caches(space, &self.batches);
        let mut holding = Vec::with_capacity(self.recorded.holding.len());
        for state in 0..self.states() {
            for predicates in &mut predicates {
                holding.push(expander.evaluate_by(predicates, self.vector(state)));
            }
        }
        holding
    }
}

impl<'r, 's> Variant<'r, 's> {
    fn new(
        (recording, tables): (&'r RecordedSearch, &'r Tables),
        space: &'s StateSpace<'s>,
        (changes, other_holding): (&Changes, Option<&'r [u64]>),
        limits: VariantLimits<'r>,
    ) -> Self {
        Self {
            recording,
            tables,
            space,
            expander: Expander::new(space),
            predicates: caches(space, &recording.batches),
            limits,
            affected: Affected::by(recording, tables, &changes.operations),
            other_holding,
            violations: recording.batches.iter().map(|batch| batch.violations(|_| true)).collect(),
            new: HashMap::default(),
            new_vectors: Vec::new(),
            new_holding: Vec::new(),
            rows: HashMap::default(),
            to: Vec::new(),
            labels: Vec::new(),
            self_loops: Vec::new(),
            next: number(recording.states()),
            is_lost: vec![false; recording.states()],
            has_lost: false,
            found: Successors::default(),
            vector: Vec::new(),
        }
    }

    /// The tags of its actions: all that are wanted, perhaps more.
    fn judge(
        mut self,
        is_same_graph: bool,
        is_wanted: &dyn Fn(u32) -> bool,
    ) -> Result<BTreeSet<u32>, End> {
        self.explore()?;
        let reached = self.reach()?;
        if !is_same_graph && !self.does_hold(&reached) {
            return Err(End::Fails);
        }
        self.find_tags(&reached, is_wanted)?;
        Ok(self.tags(&reached))
    }

    /// Whether a recorded state may have other transitions.
    fn is_changed(&self, state: usize) -> bool {
        self.affected.includes(self.recording.vector(state))
    }

    /// The propositions that hold in a state, by batch.
    fn holding(&self, state: usize) -> &[u64] {
        let recorded = self.recording.states();
        let (all, index) = match state.checked_sub(recorded) {
            Some(new) => (&self.new_holding[..], new),
            None => (self.other_holding.unwrap_or(&self.recording.recorded.holding), state),
        };
        &all[index * self.violations.len()..][..self.violations.len()]
    }

    fn is_violated(&self, state: usize) -> bool {
        self.holding(state).iter().zip(&self.violations).any(|(holds, bad)| holds & bad != 0)
    }

    /// The number of states known: those recorded and the new ones.
    fn len(&self) -> u32 {
        number(self.recording.states() + self.new.len())
    }

    /// Finds the states that are reachable for sure, until an invariant is violated; and if some
    /// recorded transition is lost, exactly the reachable ones.
    fn explore(&mut self) -> Result<(), End> {
        let recorded = self.recording.states();
        let mut is_sure = vec![true; recorded];
        for state in 0..recorded {
            let parent = self.recording.recorded.parents[state] as usize;
            is_sure[state] = parent == state || is_sure[parent] && !self.is_lost[state];
            if !is_sure[state] {
                continue;
            }
            if self.other_holding.is_some() && self.is_violated(state) {
                return Err(End::Fails);
            }
            if self.is_changed(state) {
                self.expand(number(state))?;
                self.note_lost(state);
                self.expand_new()?;
            }
        }
        while self.next < self.len() {
            self.expand_new()?;
        }
        Ok(())
    }

    /// Notes the recorded first transitions that a state does not have.
    fn note_lost(&mut self, state: usize) {
        let recording = self.recording;
        let begin = match state {
            0 => number(recording.recorded.initial),
            _ => recording.recorded.children_ends[state - 1],
        };
        let row = self.rows[&number(state)];
        let to = &self.to[row.begin as usize..row.end as usize];
        for child in begin..recording.recorded.children_ends[state] {
            if !to.contains(&child) {
                self.is_lost[child as usize] = true;
                self.has_lost = true;
            }
        }
    }

    /// Expands the next new state that is not expanded, if there is one.
    fn expand_new(&mut self) -> Result<(), End> {
        if self.next < self.len() {
            let state = self.next;
            self.next += 1;
            self.expand(state)?;
        }
        Ok(())
    }

    /// Finds the successors of a state.
    fn find_successors(&mut self, state: u32) {
        let (recording, width) = (self.recording, self.recording.width);
        self.vector.clear();
        match (state as usize).checked_sub(recording.states()) {
            None => self.vector.extend_from_slice(recording.vector(state as usize)),
            Some(new) => self.vector.extend_from_slice(&self.new_vectors[new * width..][..width]),
        }
        self.expander.begin();
        self.found.clear();
        self.expander.expand(&self.vector, &mut self.found);
    }

    /// Finds the transitions of a state.
    fn expand(&mut self, state: u32) -> Result<(), End> {
        self.find_successors(state);
        let recording = self.recording;
        let mut row = Row {
            begin: number(self.to.len()),
            end: 0,
            self_loops_begin: number(self.self_loops.len()),
            self_loops_end: 0,
        };
        let graph = &recording.recorded.graph;
        // Most successors are the recorded ones, in their order: these need no look-up.
        let mut recorded = match (state as usize) < recording.states() {
            true => graph.transitions().successors(state),
            false => &[],
        };
        if recorded.is_empty() {
            graph.prefetch(self.found.kept());
        }
        let mut result = Ok(());
        for index in 0..self.found.kept().len() {
            let one = self.found.kept()[index];
            let is_it = |to: &u32| graph.fingerprint(*to) == one.fingerprint;
            let known = match recorded.iter().take(SKIPPED_MAX).position(is_it) {
                Some(skipped) => {
                    let to = recorded[skipped];
                    recorded = &recorded[skipped + 1..];
                    Some(to)
                }
                None => graph.find(one.fingerprint),
            };
            let to = match known.or_else(|| self.new.get(&one.fingerprint).copied()) {
                Some(known) => known,
                None => {
                    let new = self.add(one.fingerprint, one.delta);
                    if self.is_violated(new as usize) {
                        result = Err(End::Fails);
                    }
                    new
                }
            };
            self.to.push(to);
            self.labels.push(self.expander.label(one.delta));
        }
        for (_, label) in self.found.self_loops() {
            if !self.self_loops[row.self_loops_begin as usize..].contains(label) {
                self.self_loops.push(*label);
            }
        }
        row.end = number(self.to.len());
        row.self_loops_end = number(self.self_loops.len());
        self.rows.insert(state, row);
        let is_over = self.new.len() > self.limits.new_states
            || self.rows.len().is_multiple_of(1024) && self.limits.progress.is_stopped();
        if is_over { result.and(Err(End::Limit)) } else { result }
    }

    /// Adds a new state, found from the state being expanded.
    fn add(&mut self, fingerprint: u64, delta: u32) -> u32 {
        let state = self.len();
        self.new.insert(fingerprint, state);
        let begin = self.new_vectors.len();
        self.new_vectors.extend_from_slice(&self.vector);
        self.expander.apply(delta, &mut self.new_vectors[begin..]);
        for predicates in &mut self.predicates {
            let vector = &self.new_vectors[begin..];
            self.new_holding.push(self.expander.evaluate_by(predicates, vector));
        }
        state
    }
}

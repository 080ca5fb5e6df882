//! A recorded search: the complete state graph of a system, its state vectors, and its memoised
//! operations. A [variant](super::variant) of the system is judged by what differs.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::time::Instant;

use crate::bounds::{Limits, Progress, Reductions};
use crate::engine;
use crate::interned::expander::Expander;
use crate::interned::predicates::PredicateCache;
use crate::interned::space::StateSpace;
use crate::interned::store::Store;
use crate::interned::system::Interned;
use crate::interned::tables::{OperationId, Tables};
use crate::property_batch::PropertyBatch;
use crate::storage::state_graph::StateGraph;
use crate::successors::Successors;
use crate::transition_system::{Place, TransitionSystem};

/// States between two looks at the limits.
const BETWEEN_LOOKS: usize = 1 << 12;
/// States expanded before their successors are looked up, so that the look-ups overlap.
const AT_ONCE: usize = 1 << 5;
/// States kept of each tag in which an operation with it is part of an action.
const WITNESSES: usize = 64;

/// The complete state graph of a system. States are numbered in breadth-first order.
#[derive(Debug)]
pub struct Recording<W: TransitionSystem + ?Sized> {
    pub(super) store: Store<W>,
    pub(super) search: RecordedSearch,
}

/// A recording without the values of parts.
#[derive(Debug)]
pub(super) struct RecordedSearch {
    pub(super) width: usize,
    pub(super) reduce: Reductions,
    pub(super) batches: Vec<PropertyBatch>,
    pub(super) recorded: RecordedGraph,
    pub(super) triggers: Triggers,
}

/// By place and operation: the parts that have an operation that triggers it. `None`: such an
/// operation is applied to a part that the same action has changed before.
pub(super) type Triggers = BTreeMap<(u16, u32), Option<Vec<(u16, u32)>>>;

/// The states and transitions of a recording.
#[derive(Debug, Default)]
pub(super) struct RecordedGraph {
    /// The state vectors, one behind the other.
    pub(super) vectors: Vec<u32>,
    pub(super) graph: StateGraph,
    /// By state and batch of properties: the propositions that hold, as bits.
    pub(super) holding: Vec<u64>,
    /// By state: its parent, and for an initial state itself.
    pub(super) parents: Vec<u32>,
    /// By state: the end of the states first found from it, which are numbered in a row.
    pub(super) children_ends: Vec<u32>,
    /// The number of initial states.
    pub(super) initial: usize,
    /// By tag: some states in which an operation with it is part of an action.
    pub(super) witnesses: Vec<Vec<u32>>,
    /// Operations applied to a part that the same action had changed before.
    pub(super) reapplied: BTreeSet<OperationId>,
}

impl<W: TransitionSystem + ?Sized> Recording<W> {
    /// Searches a system. Of the reductions, symmetry and loss are made where they are sound; which
    /// messages are dead would depend on the variant. `None`: the search was stopped by a limit.
    #[must_use]
    pub fn of(
        system: &W,
        reduce: Reductions,
        limits: Limits,
        progress: &dyn Progress,
    ) -> Option<Self> {
        let properties = system.properties();
        let batches = PropertyBatch::all(&properties);
        let propositions = batches.iter().flat_map(|batch| &batch.propositions);
        let (reduce, _) = engine::sound(&properties, &system.predicates(), propositions, reduce);
        let reduce = Reductions { dead: false, ..reduce };
        let interned = Interned::new(system);
        let space = interned.space(Vec::new(), reduce);
        let width = space.width();
        let recorded = Recorder::new(&space, &batches).record(limits, progress)?;
        drop(space);
        let store = interned.into_store();
        let triggers = triggers(&store.tables, &recorded.reapplied);
        let search = RecordedSearch { width, reduce, batches, recorded, triggers };
        Some(Self { store, search })
    }

    /// The number of states.
    #[must_use]
    pub fn states(&self) -> usize {
        self.search.states()
    }

    /// The number of transitions.
    #[must_use]
    pub fn transitions(&self) -> usize {
        self.search.recorded.graph.transition_count()
    }

    /// The tags of all operations that were part of an action.
    pub fn tags(&self) -> impl Iterator<Item = &W::Tag> {
        self.search.tags().map(|tag| &**self.store.tags.value(tag))
    }
}

impl RecordedSearch {
    /// The number of states.
    pub(super) fn states(&self) -> usize {
        self.recorded.parents.len()
    }

    /// The tags of all operations that were part of an action.
    pub(super) fn tags(&self) -> impl Iterator<Item = u32> {
        let tags = (0..).zip(&self.recorded.witnesses);
        tags.filter(|(_, witnesses)| !witnesses.is_empty()).map(|(tag, _)| tag)
    }

    /// The vector of a state.
    pub(super) fn vector(&self, state: usize) -> &[u32] {
        &self.recorded.vectors[state * self.width..][..self.width]
    }
}

/// What a recording is made of, while it grows.
struct Recorder<'s> {
    expander: Expander<'s>,
    predicates: Vec<PredicateCache>,
    width: usize,
    recorded: RecordedGraph,
    found: Successors,
    /// Of each state expanded at once: the end of its successors.
    ends: Vec<u32>,
    labels: Vec<u16>,
    vector: Vec<u32>,
}

impl<'s> Recorder<'s> {
    fn new(space: &'s StateSpace<'_>, batches: &[PropertyBatch]) -> Self {
        let mut expander = Expander::new(space);
        expander.growth();
        Self {
            expander,
            predicates: caches(space, batches),
            width: space.width(),
            recorded: RecordedGraph::default(),
            found: Successors::default(),
            ends: Vec::new(),
            labels: Vec::new(),
            vector: Vec::new(),
        }
    }

    /// Records every state. `None`: a limit was reached.
    fn record(mut self, limits: Limits, progress: &dyn Progress) -> Option<RecordedGraph> {
        self.start();
        let (mut next, mut look) = (0, BETWEEN_LOOKS);
        while next < self.recorded.parents.len() {
            let end = self.recorded.parents.len().min(next + AT_ONCE);
            self.expand(next..end);
            next = end;
            let states = self.recorded.parents.len() as u64;
            let is_over = || {
                limits.max_states.is_some_and(|most| states > most)
                    || limits.deadline.is_some_and(|end| Instant::now() >= end)
                    || progress.is_stopped()
            };
            if next >= look {
                look = next + BETWEEN_LOOKS;
                if is_over() {
                    return None;
                }
            }
        }
        let states = self.recorded.parents.len() as u64;
        limits.max_states.is_none_or(|most| states <= most).then_some(self.recorded)
    }

    /// Adds the initial states.
    fn start(&mut self) {
        self.expander.begin();
        self.found.clear();
        self.expander.initial(&mut self.found);
        self.vector = vec![0; self.width];
        self.add_new(None, 0..self.found.kept().len());
        self.recorded.initial = self.recorded.parents.len();
    }

    /// Adds the transitions of some states, and their new successors.
    fn expand(&mut self, states: Range<usize>) {
        self.expander.begin();
        self.found.clear();
        self.ends.clear();
        for state in states.clone() {
            self.take_vector(state);
            self.expander.expand(&self.vector, &mut self.found);
            self.ends.push(number(self.found.kept().len()));
            self.note_growth(state);
        }
        self.recorded.graph.prefetch(self.found.kept());
        let mut begin = 0;
        for state in states.clone() {
            self.take_vector(state);
            let end = self.ends[state - states.start] as usize;
            self.add_new(Some(state), begin..end);
            begin = end;
        }
        let Self { expander, found, ends, labels, .. } = self;
        labels.clear();
        labels.extend(found.kept().iter().map(|one| expander.label(one.delta)));
        self.recorded.graph.add_transitions(found.kept(), ends, labels);
        self.recorded.graph.add_self_loops(found.self_loops());
    }

    fn take_vector(&mut self, state: usize) {
        self.vector.clear();
        self.vector.extend_from_slice(&self.recorded.vectors[state * self.width..][..self.width]);
    }

    /// Adds those of the successors that are found for the first time, from the vector of their
    /// parent.
    fn add_new(&mut self, parent: Option<usize>, found: Range<usize>) {
        for one in &self.found.kept()[found] {
            if self.recorded.graph.find(one.fingerprint).is_some() {
                continue;
            }
            self.recorded.graph.add_state(one.fingerprint);
            let begin = self.recorded.vectors.len();
            self.recorded.vectors.extend_from_slice(&self.vector);
            self.expander.apply(one.delta, &mut self.recorded.vectors[begin..]);
            for predicates in &mut self.predicates {
                let vector = &self.recorded.vectors[begin..];
                self.recorded.holding.push(self.expander.evaluate_by(predicates, vector));
            }
            self.recorded.parents.push(number(parent.unwrap_or(self.recorded.parents.len())));
        }
        if parent.is_some() {
            self.recorded.children_ends.push(number(self.recorded.parents.len()));
        }
    }

    fn note_growth(&mut self, state: usize) {
        let notes = self.expander.growth();
        for tag in notes.tags.drain(..) {
            let tag = tag as usize;
            if tag >= self.recorded.witnesses.len() {
                self.recorded.witnesses.resize(tag + 1, Vec::new());
            }
            let witnesses = &mut self.recorded.witnesses[tag];
            if witnesses.len() < WITNESSES && witnesses.last() != Some(&number(state)) {
                witnesses.push(number(state));
            }
        }
        let reapplied = std::mem::take(&mut notes.reapplied).into_iter();
        let reapplied =
            reapplied.map(|(place, part, op)| OperationId { place, part, op: Some(op) });
        self.recorded.reapplied.extend(reapplied);
    }
}

fn triggers(tables: &Tables, reapplied: &BTreeSet<OperationId>) -> Triggers {
    let mut triggers = Triggers::new();
    for (place, table) in tables.places.iter().enumerate() {
        let place = Place::of(place).0;
        for (&(part, op), outcomes) in &table.outcomes {
            let is_reapplied = reapplied.contains(&OperationId { place, part, op: Some(op) });
            for &(to, triggered) in outcomes.iter().flat_map(|outcome| &outcome.triggers) {
                let of = triggers.entry((to.0, triggered)).or_insert_with(|| Some(Vec::new()));
                match of {
                    _ if is_reapplied => *of = None,
                    Some(parts) => parts.push((place, part)),
                    None => {}
                }
            }
        }
    }
    triggers
}

/// Evaluators of the propositions of each batch.
pub(super) fn caches(space: &StateSpace<'_>, batches: &[PropertyBatch]) -> Vec<PredicateCache> {
    let predicates = &space.system.predicates();
    batches.iter().map(|batch| PredicateCache::new(predicates, &batch.propositions)).collect()
}

pub(super) fn number(state: usize) -> u32 {
    u32::try_from(state).expect("states are numbered by u32")
}

//! The state graph of a world, recorded during stateright's breadth-first search.
//!
//! Stateright keeps no edges, and reports the last state found that violates a property, not the
//! nearest. So each expansion is recorded here, for shortest counterexamples and backward
//! reachability on the finished graph.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use stateright::{Model, Property as Stateright};

use turnstile_world::World;
use turnstile_world::monitor::Violation;
use turnstile_world::parts::Tag;
use turnstile_world::property::Evaluation;
use turnstile_world::state::State;

/// The number of a state, in the order of expansion.
pub(crate) type StateIndex = u32;

/// An action, by its number in the state, and its successor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edge {
    number: u16,
    to: State,
}

/// What is recorded of a search.
#[derive(Debug, Default)]
pub(crate) struct RecordedSearch {
    index: HashMap<u64, StateIndex>,
    /// By state and property: the values of the antecedent and of the formula.
    evaluations: Vec<Evaluation>,
    /// By state: its first edge.
    begin: Vec<usize>,
    edges: Vec<(u16, u64)>,
    /// Whether the limit of states was exceeded.
    pub(crate) is_full: bool,
    /// The coverage.
    pub(crate) tags: BTreeSet<Tag>,
    /// By violation: a state that has it.
    pub(crate) violations: BTreeMap<Violation, StateIndex>,
}

/// A world as a stateright model whose search is recorded.
pub(crate) struct RecordingModel {
    pub(crate) world: Arc<World>,
    pub(crate) recorded: Arc<Mutex<RecordedSearch>>,
    pub(crate) stop: Arc<AtomicBool>,
    /// The limit of states; one more stops the search.
    pub(crate) states_max: usize,
}

pub(crate) fn fingerprint(state: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    state.hash(&mut hasher);
    hasher.finish()
}

impl RecordingModel {
    /// Records a state and its edges.
    fn expand(&self, state: &State) -> Vec<Edge> {
        let mut tags = BTreeSet::new();
        let mut edges_out = Vec::new();
        for (number, action) in (0..).zip(self.world.actions_of(state)) {
            let Some(reached) = self.world.reached(state, &action) else { continue };
            tags.extend(reached.tags);
            let to = State(reached.state);
            if to != *state {
                edges_out.push(Edge { number, to });
            }
        }
        let evaluations: Vec<Evaluation> = self.world.view(&state.0, |view| {
            self.world.named_properties().iter().map(|property| property.evaluate(view)).collect()
        });
        let fingerprint_of = fingerprint(state);
        let edges: Vec<_> =
            edges_out.iter().map(|edge| (edge.number, fingerprint(&edge.to))).collect();
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        if recorded.begin.len() == self.states_max {
            recorded.is_full = true;
            self.stop.store(true, Ordering::Relaxed);
            return Vec::new();
        }
        let index =
            StateIndex::try_from(recorded.begin.len()).expect("fewer states than fit in u32");
        recorded.index.insert(fingerprint_of, index);
        recorded.evaluations.extend(evaluations);
        let begin = recorded.edges.len();
        recorded.begin.push(begin);
        recorded.edges.extend(edges);
        recorded.tags.append(&mut tags);
        if let Some(violation) = &state.monitor().violation {
            recorded.violations.entry(violation.clone()).or_insert(index);
        }
        edges_out
    }
}

impl Model for RecordingModel {
    type State = State;
    type Action = Edge;

    fn init_states(&self) -> Vec<State> {
        self.world.initial_states()
    }

    fn actions(&self, state: &State, actions: &mut Vec<Edge>) {
        if !self.stop.load(Ordering::Relaxed) {
            actions.extend(self.expand(state));
        }
    }

    fn next_state(&self, _state: &State, edge: Edge) -> Option<State> {
        Some(edge.to)
    }

    fn properties(&self) -> Vec<Stateright<Self>> {
        vec![Stateright::always("exhaustive", |_, _| true)]
    }
}

/// A finished graph.
#[derive(Debug)]
pub(crate) struct Graph {
    /// What the search recorded.
    pub(crate) recorded: RecordedSearch,
    /// By state: the numbers of its actions and their successors.
    next: Vec<Vec<(u16, StateIndex)>>,
    /// The states in breadth-first order.
    pub(crate) order: Vec<StateIndex>,
    /// By state: the action and the state from which it was found.
    parent: Vec<Option<(u16, StateIndex)>>,
    /// The greatest distance from an initial state.
    pub(crate) depth: u64,
}

impl Graph {
    /// The graph recorded, with the shortest path to each state.
    #[must_use]
    pub(crate) fn of(recorded: RecordedSearch, initial: &[u64]) -> Self {
        let count = recorded.begin.len();
        let mut next = Vec::with_capacity(count);
        for state in 0..count {
            let end = recorded.begin.get(state + 1).copied().unwrap_or(recorded.edges.len());
            let edges = &recorded.edges[recorded.begin[state]..end];
            let known = |(number, to): &(u16, u64)| Some((*number, *recorded.index.get(to)?));
            next.push(edges.iter().filter_map(known).collect::<Vec<_>>());
        }
        let mut graph =
            Self { recorded, next, order: Vec::new(), parent: vec![None; count], depth: 0 };
        let index = |state: &u64| graph.recorded.index.get(state).copied();
        let initial: Vec<StateIndex> = initial.iter().filter_map(index).collect();
        graph.find_distances(initial);
        graph
    }

    fn find_distances(&mut self, mut level: Vec<StateIndex>) {
        let mut met = vec![false; self.next.len()];
        level.retain(|state| !std::mem::replace(&mut met[*state as usize], true));
        loop {
            let mut deeper = Vec::new();
            for state in &level {
                for (number, to) in &self.next[*state as usize] {
                    if !std::mem::replace(&mut met[*to as usize], true) {
                        self.parent[*to as usize] = Some((*number, *state));
                        deeper.push(*to);
                    }
                }
            }
            self.order.append(&mut level);
            if deeper.is_empty() {
                return;
            }
            self.depth += 1;
            level = deeper;
        }
    }

    /// The value of a property in a state.
    #[must_use]
    pub(crate) fn evaluation(&self, property: usize, state: StateIndex) -> Evaluation {
        // Every state has one value for each property.
        let properties = self.recorded.evaluations.len() / self.recorded.begin.len();
        self.recorded.evaluations[state as usize * properties + property]
    }

    /// Whether a state is the one with this number.
    #[must_use]
    pub(crate) fn is(&self, number: StateIndex, state: &State) -> bool {
        self.recorded.index.get(&fingerprint(state)) == Some(&number)
    }

    /// The number of edges.
    #[must_use]
    pub(crate) fn edges(&self) -> u64 {
        self.next.iter().map(|edges| edges.len() as u64).sum()
    }

    /// A shortest path to a state: the initial state from which it leads, and the numbers of its
    /// actions.
    #[must_use]
    pub(crate) fn path(&self, mut state: StateIndex) -> (StateIndex, Vec<u16>) {
        let mut path = Vec::new();
        while let Some((number, before)) = self.parent[state as usize] {
            path.push(number);
            state = before;
        }
        path.reverse();
        (state, path)
    }

    /// By state: whether a state that `is_goal` is reachable from it.
    #[must_use]
    pub(crate) fn reaching(&self, is_goal: impl Fn(StateIndex) -> bool) -> Vec<bool> {
        let mut back: Vec<Vec<StateIndex>> = vec![Vec::new(); self.next.len()];
        for (from, edges) in (0..).zip(&self.next) {
            edges.iter().for_each(|(_, to)| back[*to as usize].push(from));
        }
        let mut open: Vec<StateIndex> =
            self.order.iter().copied().filter(|s| is_goal(*s)).collect();
        let mut reaches = vec![false; self.next.len()];
        open.iter().for_each(|state| reaches[*state as usize] = true);
        while let Some(state) = open.pop() {
            for from in &back[state as usize] {
                if !std::mem::replace(&mut reaches[*from as usize], true) {
                    open.push(*from);
                }
            }
        }
        reaches
    }
}

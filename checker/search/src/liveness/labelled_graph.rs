//! The state graph with the parent of each state and the fairness labels of its transitions.

use std::ops::Range;

use crate::fairness_label::FairnessLabels;
use crate::liveness::enabled_pairs::EnabledPairs;
use crate::storage::discovery_log::DiscoveryLog;
use crate::storage::state_graph::StateGraph;
use crate::storage::transitions::Transitions;
use crate::trail::Trail;

/// The parent of an initial state.
const NO_PARENT: u32 = u32::MAX;

/// The graph. States are numbered in breadth-first order.
#[derive(Debug)]
pub struct LabelledGraph {
    graph: StateGraph,
    /// By state: its parent, or [`NO_PARENT`].
    parents: Vec<u32>,
    labels: FairnessLabels,
    enabled: EnabledPairs,
}

impl LabelledGraph {
    /// The graph that a search recorded, with its log and its labels.
    #[must_use]
    pub fn of(graph: StateGraph, log: &DiscoveryLog, labels: FairnessLabels) -> Self {
        let parents: Vec<u32> = log.parents().map(|parent| parent.unwrap_or(NO_PARENT)).collect();
        assert_eq!(parents.len(), graph.state_count(), "the log has every state");
        Self { enabled: EnabledPairs::of(graph.transitions(), &labels), graph, parents, labels }
    }

    /// A graph without the paths to its states, of which the first `initial` are initial: for
    /// verdicts without counterexamples.
    #[must_use]
    pub(crate) fn without_paths(graph: StateGraph, initial: usize, labels: FairnessLabels) -> Self {
        let parent = |state: usize| if state < initial { NO_PARENT } else { 0 };
        let parents = (0..graph.state_count()).map(parent).collect();
        Self { enabled: EnabledPairs::of(graph.transitions(), &labels), graph, parents, labels }
    }

    /// An estimate of the bytes allocated.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.graph.bytes() + self.parents.capacity() * size_of::<u32>() + self.enabled.bytes()
    }

    /// The number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.graph.state_count()
    }

    /// Whether the graph is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.graph.state_count() == 0
    }

    /// All states.
    pub fn states(&self) -> Range<u32> {
        0..u32::try_from(self.graph.state_count()).expect("states are numbered by u32")
    }

    /// The propositions that hold in a state, as bits.
    #[must_use]
    pub fn holding(&self, state: u32) -> u64 {
        self.graph.holding(state)
    }

    /// Whether the state is initial.
    #[must_use]
    pub fn is_initial(&self, state: u32) -> bool {
        self.parents[state as usize] == NO_PARENT
    }

    /// The transitions, self-loops excluded.
    #[inline]
    pub(super) fn transitions(&self) -> &Transitions {
        self.graph.transitions()
    }

    /// The fairness labels.
    #[inline]
    pub(super) fn labels(&self) -> &FairnessLabels {
        &self.labels
    }

    /// The labels of the self-loops of a state that discharge a pair.
    #[inline]
    pub(super) fn self_loops(&self, state: u32) -> &[u16] {
        self.graph.self_loops(state)
    }

    /// The pairs whose action is enabled in a state and changes it.
    #[inline]
    pub(super) fn enabled(&self) -> &EnabledPairs {
        &self.enabled
    }

    /// By state: whether a state that `is_goal` is reachable from it.
    ///
    /// States are numbered in breadth-first order, so most successors have higher numbers, and one
    /// or two alternating passes decide nearly all states, without a list of predecessors.
    pub(super) fn backward_reachable(&self, is_goal: impl Fn(u32) -> bool) -> Vec<bool> {
        let mut reaches: Vec<bool> = self.states().map(is_goal).collect();
        let mut open: Vec<u32> =
            self.states().filter(|&state| !reaches[state as usize]).rev().collect();
        loop {
            let before = open.len();
            open.retain(|&state| {
                let does =
                    self.transitions().successors(state).iter().any(|&to| reaches[to as usize]);
                reaches[state as usize] = does;
                !does
            });
            if open.len() == before {
                return reaches;
            }
            open.reverse();
        }
    }

    /// A shortest path from an initial state, both ends included.
    pub(super) fn shortest_path(&self, state: u32) -> Vec<u32> {
        let mut path = vec![state];
        while let Some(&state) = path.last()
            && !self.is_initial(state)
        {
            path.push(self.parents[state as usize]);
        }
        path.reverse();
        path
    }

    /// A shortest path to each state that is one of these, in the order of discovery.
    pub(crate) fn trails(&self, is_one: impl Fn(u32) -> bool) -> impl Iterator<Item = Trail> {
        let states = self.states().filter(move |&state| is_one(state));
        states.map(|state| self.trail(&self.shortest_path(state), None))
    }

    /// States as a trail.
    pub(super) fn trail(&self, states: &[u32], loop_from: Option<usize>) -> Trail {
        let of = |&state: &u32| self.graph.fingerprint(state);
        let fingerprints = states.iter().map(of).collect();
        Trail { loop_from, ..Trail::of(fingerprints) }
    }
}

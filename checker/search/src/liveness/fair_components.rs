//! Strongly connected components that contain a fair cycle.
//!
//! If a weakly fair action is enabled in all states of a component and nothing in the component
//! discharges it, no cycle of the component is fair. If a strongly fair action is enabled in some
//! states and nothing in the component discharges it, a fair cycle avoids those states: the
//! components of the remainder are examined in turn (the algorithm for Streett pairs). An action is
//! discharged by its own transitions and by those that restart or disarm its timer, self-loops
//! included, so a single state may contain a fair cycle.
//!
//! The assumptions do not change the components, only which of them are fair. So the components and
//! their obligations are computed once, and so are the remainders for each set of actions avoided.

use std::collections::{BTreeMap, HashMap};

use crate::fingerprint::BuildStableHasher;
use crate::liveness::components::{Components, Found};
use crate::liveness::labelled_graph::LabelledGraph;
use crate::liveness::obligations::{ComponentObligations, Obligations, obligations};
use crate::storage::transitions::Transitions;
use crate::transition_system::Fairness;

/// The fairness assumptions: by pair of a graph, whether it is assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assumptions(Vec<bool>);

impl Assumptions {
    /// No fairness.
    pub(super) fn none(graph: &LabelledGraph) -> Self {
        Self(vec![false; graph.labels().pairs().len()])
    }

    /// All pairs.
    pub(super) fn all(graph: &LabelledGraph) -> Self {
        Self(vec![true; graph.labels().pairs().len()])
    }

    /// The names of the pairs assumed, sorted.
    pub(super) fn names(&self, graph: &LabelledGraph) -> Vec<String> {
        let assumed = graph.labels().pairs().iter().zip(&self.0).filter(|(_, assumed)| **assumed);
        let mut names: Vec<String> = assumed.filter_map(|(fairness, _)| name(fairness)).collect();
        names.sort();
        names
    }

    /// Whether a pair is assumed.
    pub(super) fn has(&self, pair: u16) -> bool {
        self.0[usize::from(pair)]
    }

    /// Removes each assumption in turn if the property still holds without it, up to
    /// [`STATES_VISITED_MAX`].
    pub(super) fn minimize(&mut self, classes: &mut ComponentClasses<'_>) {
        for pair in 0..self.0.len() {
            if classes.states_visited > STATES_VISITED_MAX * classes.graph.len() {
                return;
            }
            self.0[pair] = false;
            if classes.find_fair(self).is_some() {
                self.0[pair] = true;
            }
        }
    }
}

/// The most states visited to minimize the assumptions, as a multiple of the states of the graph.
/// Beyond it, the remaining assumptions count as needed.
const STATES_VISITED_MAX: usize = 16;

/// The group of a component, before it is asked for.
const UNKNOWN: u32 = u32::MAX - 1;
/// The group of a component without a cycle.
const NO_CYCLE: u32 = u32::MAX;

/// The components with the same obligations, which are judged as one.
#[derive(Debug)]
struct ComponentClass {
    /// The component nearest to an initial state.
    first: Vec<u32>,
    /// The states of all its components, in ascending order.
    states: Vec<u32>,
    obligations: Obligations,
    /// By the pairs whose actions are avoided: the classes of the remainder.
    remainders: BTreeMap<Vec<u16>, Vec<usize>>,
}

/// The component classes of a subgraph, and those of their remainders, computed on demand.
#[derive(Debug)]
pub(super) struct ComponentClasses<'g> {
    graph: &'g LabelledGraph,
    components: Components,
    /// The transitions inside the components of the subgraph: its remainders have no others.
    inside: Transitions,
    all: Vec<ComponentClass>,
    /// The classes of the whole subgraph.
    first: Vec<usize>,
    /// The first state where a path may end: no action with a fairness condition is enabled.
    stop: Option<u32>,
    /// States visited to compute remainders.
    states_visited: usize,
}

impl<'g> ComponentClasses<'g> {
    /// The classes of the subgraph reachable from `sources`, which are sorted, through states that
    /// are `is_open`.
    pub(super) fn of(
        graph: &'g LabelledGraph,
        sources: &[u32],
        is_open: impl Fn(u32) -> bool,
    ) -> Self {
        let stops = |state: &u32| graph.enabled().words(*state).iter().all(|word| *word == 0);
        let mut classes = Self {
            graph,
            components: Components::new(graph.len()),
            inside: Transitions::default(),
            all: Vec::new(),
            first: Vec::new(),
            stop: None,
            states_visited: 0,
        };
        let open = graph.states().filter(|&state| is_open(state));
        let found = classes.components.of(graph.transitions(), sources.iter().copied(), open);
        classes.stop = found.states.iter().copied().find(stops);
        classes.inside =
            graph.transitions().inside(&found.states, |state| classes.components.component(state));
        classes.first = classes.classify(&found);
        classes
    }

    /// A component, or a component of a remainder, with a fair cycle; the first in a fixed order.
    pub(super) fn find_fair(&mut self, assumed: &Assumptions) -> Option<Vec<u32>> {
        let mut found = self.stop.map(|state| vec![state]);
        let mut classes = self.first.clone();
        // What is left to be looked at. It is searched when its turn comes: it may not.
        let mut remainders = Vec::new();
        loop {
            for class in classes {
                let ComponentClass { first, obligations, .. } = &self.all[class];
                let is_near = found.as_ref().is_none_or(|other: &Vec<u32>| first[0] < other[0]);
                match self.judge(assumed, obligations) {
                    FairCycle::Exists if is_near => found = Some(first.clone()),
                    FairCycle::Exists | FairCycle::None => {}
                    FairCycle::OnlyAvoiding(avoided) => remainders.push((class, avoided)),
                }
            }
            if found.is_some() {
                return found;
            }
            let (class, avoided) = remainders.pop()?;
            classes = self.remainder(class, avoided);
        }
    }

    /// Groups the components found last that have a cycle by their obligations; returns their
    /// classes. A single state has a cycle if a self-loop discharges a pair, as that of a heartbeat
    /// that changes nothing; any other self-loop is equivalent to the end of the path, see `stop`.
    /// Components of a class can be judged as one, since no path leads from one to another and
    /// back.
    fn classify(&mut self, found: &Found) -> Vec<usize> {
        let (graph, components) = (self.graph, &self.components);
        let obliged = ComponentObligations::of(graph, &self.inside, components, found);
        let index = |state: u32| found.index(components.component(state));
        let has_cycle = |component: usize, state: u32| {
            found.sizes[component] > 1 || !graph.self_loops(state).is_empty()
        };
        let mut groups = vec![UNKNOWN; found.sizes.len()];
        let mut same: HashMap<&[u64], u32, BuildStableHasher> = HashMap::default();
        let mut states: Vec<Vec<u32>> = Vec::new();
        for &state in &found.states {
            let component = index(state);
            if groups[component] == UNKNOWN {
                groups[component] = if has_cycle(component, state) {
                    *same.entry(obliged.words(component)).or_insert_with(|| {
                        states.push(Vec::new());
                        u32::try_from(states.len() - 1).expect("fewer than states")
                    })
                } else {
                    NO_CYCLE
                };
            }
            if let Some(states) = states.get_mut(groups[component] as usize) {
                states.push(state);
            }
        }
        let same: BTreeMap<Obligations, Vec<u32>> = same
            .into_iter()
            .map(|(words, group)| (obligations(words), std::mem::take(&mut states[group as usize])))
            .collect();
        let first = self.all.len();
        self.all.extend(same.into_iter().map(|(obligations, states)| {
            let nearest = components.component(states[0]);
            let is_of_it = |state: &u32| components.component(*state) == nearest;
            let size = found.sizes[found.index(nearest)] as usize;
            ComponentClass {
                first: states.iter().copied().filter(is_of_it).take(size).collect(),
                states,
                obligations,
                remainders: BTreeMap::new(),
            }
        }));
        (first..self.all.len()).collect()
    }

    /// The classes of the remainder of a class that avoids the states where one of the pairs is
    /// enabled.
    fn remainder(&mut self, class: usize, avoided: Vec<u16>) -> Vec<usize> {
        if let Some(remainder) = self.all[class].remainders.get(&avoided) {
            return remainder.clone();
        }
        let graph = self.graph;
        let enabled = graph.enabled();
        let bits = enabled.bits(&avoided);
        let enables_avoided = |state: u32| {
            enabled.words(state).iter().zip(&bits).any(|(one, other)| one & other != 0)
        };
        let states = self.all[class].states.iter().copied();
        let kept: Vec<u32> = states.filter(|&state| !enables_avoided(state)).collect();
        self.states_visited += kept.len();
        let kept = kept.iter().copied();
        let found = self.components.of(&self.inside, kept.clone(), kept);
        let remainder = self.classify(&found);
        self.all[class].remainders.insert(avoided, remainder.clone());
        remainder
    }

    fn judge(&self, assumed: &Assumptions, obligations: &Obligations) -> FairCycle {
        let mut avoid = Vec::new();
        for &(pair, is_everywhere) in obligations.iter().filter(|(pair, _)| assumed.has(*pair)) {
            match self.graph.labels().pairs()[usize::from(pair)] {
                Fairness::Weak(_) | Fairness::Strong(_) if is_everywhere => {
                    return FairCycle::None;
                }
                Fairness::Strong(_) => avoid.push(pair),
                Fairness::Weak(_) | Fairness::None => {}
            }
        }
        if avoid.is_empty() { FairCycle::Exists } else { FairCycle::OnlyAvoiding(avoid) }
    }
}

/// Whether a component has a fair cycle.
enum FairCycle {
    /// It has a fair cycle.
    Exists,
    /// It has none.
    None,
    /// Every fair cycle avoids the states where an action of these pairs is enabled.
    OnlyAvoiding(Vec<u16>),
}

/// The name of a pair in the assumptions of a verdict.
fn name(fairness: &Fairness) -> Option<String> {
    match fairness {
        Fairness::None => None,
        Fairness::Weak(what) => Some(format!("weakly fair: {what}")),
        Fairness::Strong(what) => Some(format!("strongly fair: {what}")),
    }
}

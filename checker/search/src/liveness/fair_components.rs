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
use crate::liveness::components::Components;
use crate::liveness::labelled_graph::LabelledGraph;
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

/// The components with the same obligations, which are judged as one.
#[derive(Debug)]
struct ComponentClass {
    /// The component nearest to an initial state.
    first: Vec<u32>,
    /// The states of all its components.
    states: Vec<u32>,
    obligations: Obligations,
    /// By the pairs whose actions are avoided: the classes of the remainder.
    remainders: BTreeMap<Vec<u16>, Vec<usize>>,
}

/// The pairs enabled in a component that nothing in it discharges, and whether each is enabled in
/// all its states.
type Obligations = Vec<(u16, bool)>;

/// A pair in a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// The component; that of another one is out of date.
    component: u32,
    /// States where its action is enabled; not counted further once it is discharged.
    enabled: usize,
    /// The last state counted, plus one.
    counted: usize,
    /// Whether a transition in the component discharges it.
    is_discharged: bool,
}

/// In place of a component, for a label that neither enables nor discharges a pair.
const NO_FAIRNESS: u32 = u32::MAX;

/// The component classes of a subgraph, and those of their remainders, computed on demand.
#[derive(Debug)]
pub(super) struct ComponentClasses<'g> {
    graph: &'g LabelledGraph,
    components: Components,
    all: Vec<ComponentClass>,
    /// The classes of the whole subgraph.
    first: Vec<usize>,
    /// The first state where a path may end: no action with a fairness condition is enabled.
    stop: Option<u32>,
    tallies: Vec<Tally>,
    /// The pairs with a tally of the component examined last.
    tallied: Vec<u16>,
    /// By label: the component in which it was visited last, or [`NO_FAIRNESS`].
    met: Vec<u32>,
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
        let labels = graph.labels();
        let is_fair = |label: u16| labels.action(label).is_some();
        let stops = |state: &u32| !graph.out(*state).any(|(_, label)| is_fair(label));
        let met = |label| if labels.discharges(label).is_empty() { NO_FAIRNESS } else { 0 };
        let mut classes = Self {
            graph,
            components: Components::new(graph.len()),
            all: Vec::new(),
            first: Vec::new(),
            stop: None,
            tallies: vec![Tally::default(); labels.pairs().len()],
            tallied: Vec::new(),
            met: labels.all().map(met).collect(),
            states_visited: 0,
        };
        let open = graph.states().filter(|&state| is_open(state));
        let found = classes.components.of(graph, sources.iter().copied(), open);
        classes.stop = found.0.iter().copied().filter(stops).min();
        classes.first = classes.classify(&found);
        classes
    }

    /// A component, or a component of a remainder, with a fair cycle; the first in a fixed order.
    pub(super) fn find_fair(&mut self, assumed: &Assumptions) -> Option<Vec<u32>> {
        let mut found = self.stop.map(|state| vec![state]);
        let mut work = vec![self.first.clone()];
        while let Some(classes) = work.pop() {
            let mut remainder = Vec::new();
            for class in classes {
                let ComponentClass { first, obligations, .. } = &self.all[class];
                let is_near = found.as_ref().is_none_or(|other: &Vec<u32>| first[0] < other[0]);
                match self.judge(assumed, obligations) {
                    FairCycle::Exists if is_near => found = Some(first.clone()),
                    FairCycle::Exists | FairCycle::None => {}
                    FairCycle::OnlyAvoiding(avoided) => remainder.push((class, avoided)),
                }
            }
            if found.is_some() {
                return found;
            }
            work.extend(
                remainder.into_iter().map(|(class, avoided)| self.remainder(class, avoided)),
            );
        }
        None
    }

    /// Groups the components that have a cycle by their obligations; returns their classes. A
    /// single state has a cycle if a self-loop discharges a pair other than its action's; any other
    /// self-loop is equivalent to the end of the path, see `stop`. Components of a class can be
    /// judged as one, since no path leads from one to another and back.
    fn classify(&mut self, (states, ends): &(Vec<u32>, Vec<usize>)) -> Vec<usize> {
        let begins = [0].into_iter().chain(ends.iter().copied());
        let components = begins.zip(ends.iter().copied()).map(|(begin, end)| &states[begin..end]);
        let mut same: HashMap<Obligations, Vec<&[u32]>, BuildStableHasher> = HashMap::default();
        let graph = self.graph;
        let discharges_another = |&label: &u16| graph.labels().discharges_another(label);
        let has_cycle = |component: &&[u32]| {
            component.len() > 1 || graph.self_loops(component[0]).iter().any(discharges_another)
        };
        for component in components.filter(has_cycle) {
            same.entry(self.obligations(component)).or_default().push(component);
        }
        let first = self.all.len();
        let same: BTreeMap<_, _> = same.into_iter().collect();
        self.all.extend(same.into_iter().map(|(obligations, components)| ComponentClass {
            first: components.iter().min().expect("at least one").to_vec(),
            states: components.concat(),
            obligations,
            remainders: BTreeMap::new(),
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
        let labels = graph.labels();
        let is_avoided =
            |label: u16| labels.action(label).is_some_and(|one| avoided.contains(&one));
        let is_avoided: Vec<bool> = labels.all().map(is_avoided).collect();
        let enables_avoided =
            |state: u32| graph.out(state).any(|(_, label)| is_avoided[usize::from(label)]);
        let states = self.all[class].states.iter().copied();
        let kept: Vec<u32> = states.filter(|&state| !enables_avoided(state)).collect();
        self.states_visited += kept.len();
        let kept = kept.iter().copied();
        let found = self.components.of(graph, kept.clone(), kept);
        let remainder = self.classify(&found);
        self.all[class].remainders.insert(avoided, remainder.clone());
        remainder
    }

    fn judge(&self, assumed: &Assumptions, obligations: &Obligations) -> FairCycle {
        let mut avoid = Vec::new();
        for &(pair, is_everywhere) in obligations.iter().filter(|(pair, _)| assumed.has(*pair)) {
            match self.graph.labels().pairs()[usize::from(pair)] {
                Fairness::Weak(_) if is_everywhere => return FairCycle::None,
                Fairness::Strong(_) => avoid.push(pair),
                Fairness::Weak(_) | Fairness::None => {}
            }
        }
        if avoid.is_empty() { FairCycle::Exists } else { FairCycle::OnlyAvoiding(avoid) }
    }

    /// The obligations of the component found last that has these states.
    fn obligations(&mut self, states: &[u32]) -> Obligations {
        let Self { graph, components, tallies, tallied, met, .. } = self;
        let labels = graph.labels();
        let component = components.component(states[0]);
        tallied.clear();
        let mut tallies = Tallies { tallies, tallied, component };
        for &label in states.iter().flat_map(|&state| graph.self_loops(state)) {
            if std::mem::replace(&mut met[usize::from(label)], component) != component {
                tallies.discharge(labels.discharges(label));
            }
        }
        for &state in states {
            for (to, label) in graph.out(state) {
                let met = &mut met[usize::from(label)];
                // True of most transitions; their targets need not be looked up.
                if *met == component || *met == NO_FAIRNESS {
                    continue;
                }
                if let Some(pair) = labels.action(label) {
                    tallies.enable(pair, state);
                }
                if components.component(to) == component {
                    *met = component;
                    tallies.discharge(labels.discharges(label));
                }
            }
        }
        tallied.sort_unstable();
        let tally = |&pair: &u16| (pair, self.tallies[usize::from(pair)]);
        let open = self.tallied.iter().map(tally);
        open.filter(|(_, tally)| tally.enabled > 0 && !tally.is_discharged)
            .map(|(pair, tally)| (pair, tally.enabled == states.len()))
            .collect()
    }
}

/// The pairs in one component.
struct Tallies<'a> {
    tallies: &'a mut [Tally],
    tallied: &'a mut Vec<u16>,
    component: u32,
}

impl Tallies<'_> {
    fn of(&mut self, pair: u16) -> &mut Tally {
        let tally = &mut self.tallies[usize::from(pair)];
        if tally.component != self.component {
            *tally = Tally { component: self.component, ..Tally::default() };
            self.tallied.push(pair);
        }
        tally
    }

    /// The action of a pair is enabled in a state.
    fn enable(&mut self, pair: u16, state: u32) {
        let tally = self.of(pair);
        if tally.counted != state as usize + 1 {
            tally.counted = state as usize + 1;
            tally.enabled += 1;
        }
    }

    fn discharge(&mut self, pairs: &[u16]) {
        pairs.iter().for_each(|&pair| self.of(pair).is_discharged = true);
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

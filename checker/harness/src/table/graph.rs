//! The state graph of an environment, breadth-first, so that the first path to each configuration
//! is a shortest one.
//!
//! The graphs of this level are small: without reductions, and without fingerprints. Properties are
//! judged elsewhere.

use std::collections::{HashMap, HashSet};

use turnstile_search::bounds::ProgressSnapshot;
use turnstile_spec::table::{EventId, StateId};
use turnstile_world::state::State;

use crate::options::Options;
use crate::plain::cell::CellOutcome;
use crate::plain::rules::{MAX_LEAKED, MAX_OF_A_KIND};

use super::environment::{Configuration, Environment, Occurrence};

/// The state graph.
#[derive(Clone, Debug, Default)]
pub(super) struct Graph {
    /// The configurations in breadth-first order.
    pub(super) configurations: Vec<State>,
    /// The first transition to each; `None` for the initial ones.
    parents: Vec<Option<(usize, Occurrence)>>,
    /// The depth of each.
    depths: Vec<u64>,
    /// The source and target of every transition.
    edges: Vec<(usize, usize)>,
    /// Whether a row is enabled in the configuration; an ignored event does not count.
    pub goes_on: Vec<bool>,
    /// Whether a step from the configuration was left out because of a bound.
    pub(super) clipped: Vec<bool>,
    /// The first transition of each class of a cell and each outcome, in breadth-first order: its
    /// source and its occurrence.
    pub(super) firsts: Vec<(usize, Occurrence)>,
    met: HashSet<(StateId, EventId, u16, CellOutcome, Vec<usize>)>,
    /// States of the machine with its resources: the configurations in which no trace has ended.
    pub(super) states: u64,
    /// Transitions followed.
    pub(super) transitions: u64,
    /// The longest of the shortest paths to a state.
    pub(super) depth: u64,
    /// The reason why the graph is truncated, if it is.
    pub(super) cut: Option<String>,
}

impl Graph {
    /// Explores the graph exhaustively, or up to a bound.
    #[must_use]
    pub(super) fn explore(environment: &Environment<'_>, options: &Options<'_>) -> Self {
        let Some(world) = environment.world() else { return Self::default() };
        Self::from(environment, world.initial_states(), options)
    }

    /// The same from other states.
    #[must_use]
    pub(super) fn from(
        environment: &Environment<'_>,
        first: Vec<State>,
        options: &Options<'_>,
    ) -> Self {
        let mut graph = Self::default();
        let mut places = HashMap::new();
        for state in first {
            graph.place(&mut places, state, None);
        }
        let mut next = 0;
        while next < graph.configurations.len() {
            graph.tell(next, options);
            if let Some(cut) = options.bound(graph.configurations.len() as u64) {
                graph.cut = Some(cut);
                graph.clipped[next..].fill(true);
                return graph;
            }
            for step in environment.steps(&graph.configurations[next]) {
                graph.follow(environment, &mut places, next, step, options);
            }
            if graph.cut.is_some() {
                graph.clipped[next..].fill(true);
                return graph;
            }
            next += 1;
        }
        if graph.clipped.contains(&true) {
            graph.cut = Some(format!(
                "at more than {MAX_OF_A_KIND} of a resource or more than {MAX_LEAKED} leaked ones"
            ));
        }
        graph
    }

    /// One transition.
    fn follow(
        &mut self,
        environment: &Environment<'_>,
        places: &mut HashMap<State, usize>,
        from: usize,
        (action, to): (Occurrence, State),
        options: &Options<'_>,
    ) {
        let state = self.at(from).state;
        let Occurrence { event, number, outcome, ref settled, .. } = action;
        if self.met.insert((state, event, number, outcome, settled.clone())) {
            self.firsts.push((from, action.clone()));
        }
        if environment.is_beyond(&to) {
            self.clipped[from] = true;
            return;
        }
        let is_full = options.is_full(self.configurations.len() as u64);
        if is_full && !places.contains_key(&to) {
            self.cut = options.bound(self.configurations.len() as u64 + 1);
            return;
        }
        let is_row = matches!(outcome, CellOutcome::Row(_));
        let to = self.place(places, to, Some((from, action)));
        self.edges.push((from, to));
        self.goes_on[from] |= is_row && !self.at(to).is_over();
        self.transitions += 1;
    }

    /// A configuration.
    #[must_use]
    pub(super) fn at(&self, place: usize) -> Configuration<'_> {
        Configuration::of(&self.configurations[place])
    }

    /// Every configuration with its index.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, Configuration<'_>)> {
        self.configurations.iter().map(Configuration::of).enumerate()
    }

    /// The index of a configuration, which is added if it is new.
    fn place(
        &mut self,
        places: &mut HashMap<State, usize>,
        configuration: State,
        parent: Option<(usize, Occurrence)>,
    ) -> usize {
        if let Some(place) = places.get(&configuration) {
            return *place;
        }
        let place = self.configurations.len();
        let depth = parent.as_ref().map_or(0, |(from, _)| self.depths[*from] + 1);
        if !Configuration::of(&configuration).is_over() {
            self.states += 1;
            self.depth = self.depth.max(depth);
        }
        self.depths.push(depth);
        self.parents.push(parent);
        self.clipped.push(false);
        self.goes_on.push(false);
        self.configurations.push(configuration.clone());
        places.insert(configuration, place);
        place
    }

    /// Reports the progress.
    fn tell(&self, next: usize, options: &Options<'_>) {
        options.progress.update(ProgressSnapshot {
            states: self.configurations.len() as u64,
            level: self.depths.get(next).copied().unwrap_or(0),
            frontier: Some((self.configurations.len() - next) as u64),
            growth: 0.0,
            memory: options.progress.allocated(),
        });
    }

    /// The steps of a shortest path to a configuration: the source and the occurrence of each.
    #[must_use]
    pub(super) fn path(&self, to: usize) -> Vec<(usize, Occurrence)> {
        let mut steps = Vec::new();
        let mut at = to;
        while let Some(step) = &self.parents[at] {
            steps.push(step.clone());
            at = step.0;
        }
        steps.reverse();
        steps
    }

    /// The configurations from which one of the given ones can be reached.
    #[must_use]
    pub(super) fn reaching(&self, goals: &[bool]) -> Vec<bool> {
        let mut sources: Vec<Vec<usize>> = vec![Vec::new(); self.configurations.len()];
        for (from, to) in &self.edges {
            sources[*to].push(*from);
        }
        let mut reaching = goals.to_vec();
        let mut open: Vec<usize> = (0..goals.len()).filter(|place| goals[*place]).collect();
        while let Some(at) = open.pop() {
            for from in &sources[at] {
                if !reaching[*from] {
                    reaching[*from] = true;
                    open.push(*from);
                }
            }
        }
        reaching
    }
}

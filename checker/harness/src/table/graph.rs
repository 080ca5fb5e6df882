//! The whole graph of an environment, breadth first, so that every first path is a shortest one.
//!
//! The graphs of this level are small: no reduction, no fingerprints. [`super::verdict`] judges the
//! configurations.

use std::collections::{HashMap, HashSet};

use turnstile_search::bounds::ProgressSnapshot;
use turnstile_spec::table::{EventId, StateId};

use crate::options::Options;

use super::cell::CellOutcome;
use super::environment::{Configuration, Environment, MAX_LEAKED, MAX_OF_A_KIND, Occurrence};

/// Everything that can happen.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    /// In the order found: no path to an earlier one is longer than that to a later one.
    pub configurations: Vec<Configuration>,
    /// How each was first reached; nothing for the initial ones.
    parents: Vec<Option<(usize, Occurrence)>>,
    /// Steps to each.
    depths: Vec<u64>,
    /// From and to, of every transition.
    edges: Vec<(usize, usize)>,
    /// Configurations from which a row leads on. An event that is ignored does not.
    pub goes_on: Vec<bool>,
    /// Configurations from which a step was left out, because of a bound.
    pub clipped: Vec<bool>,
    /// The first transition of each class of a cell and each outcome, in the order found: where it
    /// starts, and what happens.
    pub firsts: Vec<(usize, Occurrence)>,
    met: HashSet<(StateId, EventId, u16, CellOutcome)>,
    /// States of the machine with its resources: the configurations in which no trace has ended.
    pub states: u64,
    /// Transitions followed.
    pub transitions: u64,
    /// The longest of the shortest paths to a state.
    pub depth: u64,
    /// Why it is not the whole graph, if it is not.
    pub cut: Option<String>,
}

impl Graph {
    /// Follows every transition, exhaustively or up to a bound.
    #[must_use]
    pub fn explore(environment: &Environment<'_>, options: &Options<'_>) -> Self {
        let mut graph = Self::default();
        let mut places = HashMap::new();
        for configuration in environment.initial() {
            graph.place(&mut places, configuration, None);
        }
        let mut next = 0;
        let mut actions = Vec::new();
        while next < graph.configurations.len() {
            graph.tell(next, options);
            if let Some(cut) = options.bound(graph.configurations.len() as u64) {
                graph.cut = Some(cut);
                graph.clipped[next..].fill(true);
                return graph;
            }
            environment.enabled_events(&graph.configurations[next], &mut actions);
            for action in actions.drain(..) {
                graph.follow(environment, &mut places, next, action, options);
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
        places: &mut HashMap<Configuration, usize>,
        from: usize,
        action: Occurrence,
        options: &Options<'_>,
    ) {
        let to = environment.after(&self.configurations[from], action);
        let state = self.configurations[from].state;
        if self.met.insert((state, action.event, action.number, action.outcome)) {
            self.firsts.push((from, action));
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
        let to = self.place(places, to, Some((from, action)));
        self.edges.push((from, to));
        let is_row = matches!(action.outcome, CellOutcome::Row(_));
        self.goes_on[from] |= is_row && !self.configurations[to].is_over();
        self.transitions += 1;
    }

    /// The place of a configuration, which is a new one if it was never met.
    fn place(
        &mut self,
        places: &mut HashMap<Configuration, usize>,
        configuration: Configuration,
        parent: Option<(usize, Occurrence)>,
    ) -> usize {
        if let Some(place) = places.get(&configuration) {
            return *place;
        }
        let place = self.configurations.len();
        let depth = parent.map_or(0, |(from, _)| self.depths[from] + 1);
        if !configuration.is_over() {
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

    /// Says how far the search is.
    fn tell(&self, next: usize, options: &Options<'_>) {
        options.progress.update(ProgressSnapshot {
            states: self.configurations.len() as u64,
            level: self.depths.get(next).copied().unwrap_or(0),
            frontier: Some((self.configurations.len() - next) as u64),
            growth: 0.0,
            memory: options.progress.allocated(),
        });
    }

    /// The steps of a shortest path to a configuration: where each starts, and what happens.
    #[must_use]
    pub fn path(&self, to: usize) -> Vec<(usize, Occurrence)> {
        let mut steps = Vec::new();
        let mut at = to;
        while let Some(step) = self.parents[at] {
            steps.push(step);
            at = step.0;
        }
        steps.reverse();
        steps
    }

    /// The configurations from which one of the given ones can be reached.
    #[must_use]
    pub fn reaching(&self, goals: &[bool]) -> Vec<bool> {
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

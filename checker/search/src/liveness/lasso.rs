//! A fair path as a lasso: a stem and a cycle.
//!
//! The cycle stays in a component with a fair cycle and discharges every pair that fairness
//! demands. It is short, but not necessarily the shortest. A step may be a self-loop: a timer is
//! restarted.

use std::collections::{HashMap, VecDeque};

use crate::fingerprint::BuildStableHasher;
use crate::liveness::fair_components::Assumptions;
use crate::liveness::labelled_graph::LabelledGraph;
use crate::trail::Trail;
use crate::transition_system::Fairness;

/// The lasso from a source through states that are open to a cycle in the component.
pub(super) fn trail(
    graph: &LabelledGraph,
    sources: &[u32],
    is_open: impl Fn(u32) -> bool,
    component: &[u32],
    assumed: &Assumptions,
) -> Trail {
    let is_inside = |state: u32| component.binary_search(&state).is_ok();
    let open_sources: Vec<u32> = sources.iter().copied().filter(|&state| is_open(state)).collect();
    let path = shortest_path(graph, &open_sources, &is_open, is_inside)
        .expect("the component is reachable from a source");
    let mut states = graph.shortest_path(path[0]);
    states.extend(&path[1..]);
    let loop_from = states.len() - 1;
    let entry = states[loop_from];
    let cycle = cycle(graph, entry, component, assumed);
    states.extend(&cycle.states[1..]);
    let discharged = |&label: &u16| -> Vec<Fairness> {
        let pairs = graph.labels().discharges(label).iter();
        pairs.map(|&pair| graph.labels().pairs()[usize::from(pair)].clone()).collect()
    };
    let discharges = (loop_from..).zip(cycle.labels.iter().map(discharged)).collect();
    Trail { discharges, ..graph.trail(&states, Some(loop_from)) }
}

/// A path: its states, and the label of each of its steps.
struct Path {
    states: Vec<u32>,
    labels: Vec<u16>,
}

impl Path {
    fn last(&self) -> u32 {
        *self.states.last().expect("a path is not empty")
    }

    fn step(&mut self, (to, label): (u32, u16)) {
        self.states.push(to);
        self.labels.push(label);
    }

    /// Appends a path of states that begins at the last state.
    fn extend(&mut self, graph: &LabelledGraph, path: &[u32]) {
        for &to in &path[1..] {
            let step = graph.transitions().out(self.last()).find(|&(other, _)| other == to);
            self.step(step.expect("a path follows transitions"));
        }
    }
}

/// A cycle through a state that discharges every pair that fairness demands; the state alone if it
/// has no transition inside the component.
fn cycle(graph: &LabelledGraph, entry: u32, component: &[u32], assumed: &Assumptions) -> Path {
    let is_inside = |state: u32| component.binary_search(&state).is_ok();
    let self_loops = |state: u32| graph.self_loops(state).iter().map(move |&label| (state, label));
    let moves = |state: u32| graph.transitions().out(state).filter(move |&(to, _)| is_inside(to));
    let steps = |state: u32| moves(state).chain(self_loops(state));
    let mut path = Path { states: vec![entry], labels: Vec::new() };
    let Some(first) = steps(entry).next() else { return path };
    let go = |path: &mut Path, is_end: &dyn Fn(u32) -> bool| {
        let there = shortest_path(graph, &[path.last()], is_inside, is_end);
        path.extend(
            graph,
            &there.expect("the component is strongly connected and has a fair cycle"),
        );
    };
    path.step(first);
    go(&mut path, &|state| state == entry);
    while let Some(pair) = undischarged(graph, &path, assumed) {
        let discharges =
            |&(_, label): &(u32, u16)| graph.labels().discharges(label).contains(&pair);
        let has = |state: u32| steps(state).any(|step| discharges(&step));
        if component.iter().any(|&state| has(state)) {
            go(&mut path, &has);
            let step = steps(path.last()).find(discharges);
            path.step(step.expect("the path ends where the step is enabled"));
        } else {
            // Weakly fair and not discharged inside: it is disabled in some state of the component.
            go(&mut path, &|state| !graph.enabled().has(state, pair));
        }
        go(&mut path, &|state| state == entry);
    }
    path
}

/// A pair to which the cycle is unfair, if there is one.
fn undischarged(graph: &LabelledGraph, path: &Path, assumed: &Assumptions) -> Option<u16> {
    let discharges = |pair: u16| {
        path.labels.iter().any(|&label| graph.labels().discharges(label).contains(&pair))
    };
    let cycle = &path.states[1..];
    let is_unfair = |&(pair, fairness): &(u16, &Fairness)| {
        let enables = |&state: &u32| graph.enabled().has(state, pair);
        assumed.has(pair)
            && !discharges(pair)
            && match fairness {
                Fairness::None => false,
                Fairness::Weak(_) => cycle.iter().all(enables),
                Fairness::Strong(_) => cycle.iter().any(enables),
            }
    };
    (0u16..).zip(graph.labels().pairs()).find(is_unfair).map(|(pair, _)| pair)
}

/// A shortest path from one of these states to one that `is_end`, through states that are
/// `is_allowed`.
fn shortest_path(
    graph: &LabelledGraph,
    from: &[u32],
    is_allowed: impl Fn(u32) -> bool,
    is_end: impl Fn(u32) -> bool,
) -> Option<Vec<u32>> {
    // The first state of the path is its own predecessor.
    let mut predecessor: HashMap<u32, u32, BuildStableHasher> =
        from.iter().map(|&state| (state, state)).collect();
    let mut queue: VecDeque<u32> = from.iter().copied().collect();
    while let Some(state) = queue.pop_front() {
        if is_end(state) {
            let mut path = vec![state];
            while let Some(&last) = path.last()
                && predecessor[&last] != last
            {
                path.push(predecessor[&last]);
            }
            path.reverse();
            return Some(path);
        }
        for (to, _) in graph.transitions().out(state).filter(|&(to, _)| is_allowed(to)) {
            predecessor.entry(to).or_insert_with(|| {
                queue.push_back(to);
                state
            });
        }
    }
    None
}

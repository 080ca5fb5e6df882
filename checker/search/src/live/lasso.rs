//! A fair run as a stem and a loop.
//!
//! The loop goes round inside a component that holds a fair run, and relieves on its way every
//! action that it would be unfair to leave out. It is short, not the shortest. A step may lead to
//! where it began: the clock of a timer is started anew.

use std::collections::{HashMap, VecDeque};

use crate::fingerprint::BuildStable;
use crate::live::fair::Assumed;
use crate::live::graph::Graph;
use crate::parts::Fairness;
use crate::replay::Trail;

/// The run that begins at a source, stays where it is open and ends going round in the component.
pub(super) fn trail(
    graph: &Graph,
    sources: &[u32],
    is_open: impl Fn(u32) -> bool,
    component: &[u32],
    assumed: &Assumed,
) -> Trail {
    let is_inside = |state: u32| component.binary_search(&state).is_ok();
    let begins: Vec<u32> = sources.iter().copied().filter(|&state| is_open(state)).collect();
    let way = path(graph, &begins, &is_open, is_inside).expect("open is what sources reach");
    let mut states = graph.stem(way[0]);
    states.extend(&way[1..]);
    let loop_from = states.len() - 1;
    let entry = states[loop_from];
    let round = round(graph, entry, component, assumed);
    states.extend(&round.states[1..]);
    let relieved = |&label: &u16| -> Vec<Fairness> {
        let pairs = graph.labels().relieves(label).iter();
        pairs.map(|&pair| graph.labels().pairs()[usize::from(pair)].clone()).collect()
    };
    let relieves = (loop_from..).zip(round.labels.iter().map(relieved)).collect();
    Trail { relieves, ..graph.trail(&states, Some(loop_from)) }
}

/// A run so far: its states, and by which label each of its steps goes.
struct Way {
    states: Vec<u32>,
    labels: Vec<u16>,
}

impl Way {
    fn last(&self) -> u32 {
        *self.states.last().expect("it begins somewhere")
    }

    fn step(&mut self, (to, label): (u32, u16)) {
        self.states.push(to);
        self.labels.push(label);
    }

    /// Goes on along a path from where it is.
    fn walk(&mut self, graph: &Graph, path: &[u32]) {
        for &to in &path[1..] {
            let step = graph.out(self.last()).find(|&(other, _)| other == to);
            self.step(step.expect("a path follows transitions"));
        }
    }
}

/// A way round from a state to itself through all that fairness demands; the state alone where it
/// cannot move inside the component.
fn round(graph: &Graph, entry: u32, component: &[u32], assumed: &Assumed) -> Way {
    let is_inside = |state: u32| component.binary_search(&state).is_ok();
    let stays = |state: u32| graph.stays(state).iter().map(move |&label| (state, label));
    let moves = |state: u32| graph.out(state).filter(move |&(to, _)| is_inside(to));
    let steps = |state: u32| moves(state).chain(stays(state));
    let mut way = Way { states: vec![entry], labels: Vec::new() };
    let Some(first) = steps(entry).next() else { return way };
    let go = |way: &mut Way, is_end: &dyn Fn(u32) -> bool| {
        let there = path(graph, &[way.last()], is_inside, is_end);
        way.walk(graph, &there.expect("a component is connected, and fair"));
    };
    way.step(first);
    go(&mut way, &|state| state == entry);
    while let Some(pair) = owed(graph, &way, assumed) {
        let relieves = |&(_, label): &(u32, u16)| graph.labels().relieves(label).contains(&pair);
        let has = |state: u32| steps(state).any(|step| relieves(&step));
        if component.iter().any(|&state| has(state)) {
            go(&mut way, &has);
            let step = steps(way.last()).find(relieves);
            way.step(step.expect("the path ends where it can be taken"));
        } else {
            // Weakly fair and never relieved inside: somewhere in here it is not enabled.
            go(&mut way, &|state| !graph.enables(state, pair));
        }
        go(&mut way, &|state| state == entry);
    }
    way
}

/// A pair that the loop does not keep, if there is one.
fn owed(graph: &Graph, way: &Way, assumed: &Assumed) -> Option<u16> {
    let relieves =
        |pair: u16| way.labels.iter().any(|&label| graph.labels().relieves(label).contains(&pair));
    let round = &way.states[1..];
    let is_owed = |&(pair, fairness): &(u16, &Fairness)| {
        let enables = |&state: &u32| graph.enables(state, pair);
        assumed.has(pair)
            && !relieves(pair)
            && match fairness {
                Fairness::Never => false,
                Fairness::Weak(_) => round.iter().all(enables),
                Fairness::Strong(_) => round.iter().any(enables),
            }
    };
    (0u16..).zip(graph.labels().pairs()).find(is_owed).map(|(pair, _)| pair)
}

/// The shortest way from one of these states to one that `is_end`, through states that are
/// `is_allowed`.
fn path(
    graph: &Graph,
    from: &[u32],
    is_allowed: impl Fn(u32) -> bool,
    is_end: impl Fn(u32) -> bool,
) -> Option<Vec<u32>> {
    // A state is its own parent where the way begins.
    let mut before: HashMap<u32, u32, BuildStable> =
        from.iter().map(|&state| (state, state)).collect();
    let mut queue: VecDeque<u32> = from.iter().copied().collect();
    while let Some(state) = queue.pop_front() {
        if is_end(state) {
            let mut way = vec![state];
            while let Some(&last) = way.last()
                && before[&last] != last
            {
                way.push(before[&last]);
            }
            way.reverse();
            return Some(way);
        }
        for (to, _) in graph.out(state).filter(|&(to, _)| is_allowed(to)) {
            before.entry(to).or_insert_with(|| {
                queue.push_back(to);
                state
            });
        }
    }
    None
}

//! A fair run as a stem and a loop.
//!
//! The loop goes round inside a component that holds a fair run, and takes on its way every action
//! that it would be unfair to leave out. It is short, not the shortest.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::parts::Fairness;
use crate::search::fingerprint::BuildStable;
use crate::search::live::fair::Assumed;
use crate::search::live::graph::Graph;
use crate::search::replay::Trail;

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
    states.extend(&round(graph, entry, component, assumed)[1..]);
    graph.trail(&states, Some(loop_from))
}

/// A way round from a state to itself through all that fairness demands; the state alone where it
/// cannot move inside the component.
fn round(graph: &Graph, entry: u32, component: &[u32], assumed: &Assumed) -> Vec<u32> {
    let is_inside = |state: u32| component.binary_search(&state).is_ok();
    let inside = |state: u32| graph.out(state).filter(move |&(to, _)| is_inside(to));
    let mut way = vec![entry];
    let Some((first, _)) = inside(entry).next() else { return way };
    way.push(first);
    let back = |way: &mut Vec<u32>| {
        let last = *way.last().expect("it begins at the entry");
        let rest = path(graph, &[last], is_inside, |state| state == entry);
        way.extend(&rest.expect("a component is strongly connected")[1..]);
    };
    back(&mut way);
    while let Some(label) = owed(graph, &way, assumed) {
        let has = |state: u32| inside(state).any(|(_, other)| other == label);
        let there = path(graph, &[entry], is_inside, has);
        match there {
            Some(there) => {
                way.extend(&there[1..]);
                let last = *way.last().expect("not empty");
                let step = inside(last).find(|&(_, other)| other == label);
                way.push(step.expect("the path ends where it can be taken").0);
            }
            None => {
                // Weakly fair and never taken inside: somewhere in here it is not enabled.
                let off = |state: u32| graph.out(state).all(|(_, other)| other != label);
                let there = path(graph, &[entry], is_inside, off);
                way.extend(&there.expect("the component would not be fair")[1..]);
            }
        }
        back(&mut way);
    }
    way
}

/// An action that the loop treats unfairly, if there is one.
fn owed(graph: &Graph, way: &[u32], assumed: &Assumed) -> Option<u16> {
    let mut enabled: BTreeMap<u16, usize> = BTreeMap::new();
    let mut taken: Vec<u16> = Vec::new();
    for pair in way.windows(2) {
        let mut labels: Vec<u16> = graph.out(pair[0]).map(|(_, label)| label).collect();
        labels.sort_unstable();
        labels.dedup();
        labels.into_iter().for_each(|label| *enabled.entry(label).or_default() += 1);
        taken.extend(graph.out(pair[0]).filter(|&(to, _)| to == pair[1]).map(|(_, label)| label));
    }
    let steps = way.len() - 1;
    let is_owed = |&(&label, &count): &(&u16, &usize)| {
        assumed.has(label)
            && !taken.contains(&label)
            && match graph.fairness()[usize::from(label)] {
                Fairness::Never => false,
                Fairness::Weak(_) => count == steps,
                Fairness::Strong(_) => true,
            }
    };
    enabled.iter().find(is_owed).map(|(&label, _)| label)
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

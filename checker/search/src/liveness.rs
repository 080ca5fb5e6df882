//! Liveness under fairness, on the complete state graph.
//!
//! A path that avoids the goal forever violates a property. It ends in a strongly connected
//! component that contains a fair cycle; the counterexample is a lasso, a stem and a cycle. A
//! truncated search has no graph, so its liveness properties are incomplete.
//!
//! A path may end only where no action with a fairness condition is enabled, even if the condition
//! is not assumed. A property that needs no other assumption holds; one that needs more holds under
//! fairness, with a small set of assumptions.

mod components;
mod enabled_pairs;
mod fair_components;
mod labelled_graph;
mod lasso;
mod obligations;

use crate::judgement::{Judgement, Verdict};
use crate::liveness::fair_components::{Assumptions, ComponentClasses};
pub use crate::liveness::labelled_graph::LabelledGraph;

/// From every state where `from` holds, one where `goal` holds is reachable. Both are bit masks of
/// [`LabelledGraph::holding`]. `every`: the paths to all other states where it does not, too.
#[must_use]
pub fn can_reach(graph: &LabelledGraph, from: u64, goal: u64, every: bool) -> Judgement {
    let reaches = graph.backward_reachable(|state| graph.holding(state) & goal != 0);
    let is_stuck = |state: u32| graph.holding(state) & from != 0 && !reaches[state as usize];
    let mut stuck = graph.trails(is_stuck);
    match stuck.next() {
        Some(trail) => {
            let others = if every { stuck.collect() } else { Vec::new() };
            Judgement { others, ..Judgement::with_trail(Verdict::Fails, trail) }
        }
        None if graph.states().any(|state| graph.holding(state) & from != 0) => {
            Judgement::plain(Verdict::Holds)
        }
        None => Judgement::plain(Verdict::Vacuous),
    }
}

/// Whether [`can_reach`] has the verdict `holds`.
pub(crate) fn does_reach(graph: &LabelledGraph, from: u64, goal: u64) -> bool {
    let reaches = graph.backward_reachable(|state| graph.holding(state) & goal != 0);
    let mut sources = graph.states().filter(|&state| graph.holding(state) & from != 0).peekable();
    sources.peek().is_some() && sources.all(|state| reaches[state as usize])
}

/// Whether [`leads_to`] has the verdict `holds` or `holds under fairness`: without the assumptions
/// and the counterexample, which cost more.
pub(crate) fn does_lead(graph: &LabelledGraph, from: Option<u64>, goal: u64) -> bool {
    let sources = sources(graph, from);
    let is_open = |state: u32| graph.holding(state) & goal == 0;
    !sources.is_empty()
        && ComponentClasses::of(graph, &sources, is_open)
            .find_fair(&Assumptions::all(graph))
            .is_none()
}

/// The states where `from` holds; for `None`, the initial ones.
fn sources(graph: &LabelledGraph, from: Option<u64>) -> Vec<u32> {
    let is_source = |state: u32| match from {
        Some(from) => graph.holding(state) & from != 0,
        None => graph.is_initial(state),
    };
    graph.states().filter(|&state| is_source(state)).collect()
}

/// On every fair path, `goal` follows each state where `from` holds; for `None`, each initial
/// state.
#[must_use]
pub fn leads_to(graph: &LabelledGraph, from: Option<u64>, goal: u64) -> Judgement {
    let sources = sources(graph, from);
    if sources.is_empty() {
        return Judgement::plain(Verdict::Vacuous);
    }
    let is_open = |state: u32| graph.holding(state) & goal == 0;
    let none = Assumptions::none(graph);
    let mut classes = ComponentClasses::of(graph, &sources, is_open);
    let Some(unfair) = classes.find_fair(&none) else {
        let not_needed = Assumptions::all(graph).names(graph);
        return Judgement { not_needed, ..Judgement::plain(Verdict::Holds) };
    };
    let mut assumed = Assumptions::all(graph);
    if let Some(fair) = classes.find_fair(&assumed) {
        let assumptions = assumed.names(graph);
        let trail = lasso::trail(graph, &sources, is_open, &fair, &assumed);
        return Judgement { assumptions, ..Judgement::with_trail(Verdict::Fails, trail) };
    }
    let all = assumed.names(graph);
    assumed.minimize(&mut classes);
    let assumptions = assumed.names(graph);
    let not_needed = all.into_iter().filter(|name| !assumptions.contains(name)).collect();
    let trail = lasso::trail(graph, &sources, is_open, &unfair, &none);
    let judgement = Judgement::with_trail(Verdict::HoldsUnderFairness, trail);
    Judgement { assumptions, not_needed, ..judgement }
}

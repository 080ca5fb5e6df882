//! Liveness: what every fair run does in the end.
//!
//! A property is broken by a run that stays for ever where the goal is open. Such a run ends in a
//! component of the graph whose actions can be fair to each other; it is shown as a stem and a
//! loop. Only a whole graph says that there is none: one cut by a bound is never asked.
//!
//! A run may stop only where nothing fair is enabled, whatever else is assumed: a property that
//! needs no more than that holds; one that needs fairness holds fairly, with what it needs.

mod components;
mod fair;
mod graph;
mod lasso;

use crate::judged::{Judged, Verdict};
use crate::live::fair::{Assumed, Knots};
pub use crate::live::graph::Graph;

/// From every state with `from` one with `goal` can be reached. Both are bits of [`Graph::noted`].
#[must_use]
pub fn can_reach(graph: &Graph, from: u64, goal: u64) -> Judged {
    let reaches = graph.backwards(|state| graph.noted(state) & goal != 0);
    let is_stuck = |&state: &u32| graph.noted(state) & from != 0 && !reaches[state as usize];
    match graph.states().find(is_stuck) {
        Some(state) => Judged::shown(Verdict::Fails, graph.trail(&graph.stem(state), None)),
        None if graph.states().any(|state| graph.noted(state) & from != 0) => {
            Judged::plain(Verdict::Holds)
        }
        None => Judged::plain(Verdict::Vacuous),
    }
}

/// Every fair run from a state with `from` (from the initial ones for `None`) comes to one with
/// `goal`.
#[must_use]
pub fn leads_to(graph: &Graph, from: Option<u64>, goal: u64) -> Judged {
    let is_begun = |state: u32| match from {
        Some(from) => graph.noted(state) & from != 0,
        None => graph.is_initial(state),
    };
    let sources: Vec<u32> = graph.states().filter(|&state| is_begun(state)).collect();
    if sources.is_empty() {
        return Judged::plain(Verdict::Vacuous);
    }
    let is_open = |state: u32| graph.noted(state) & goal == 0;
    let none = Assumed::none(graph);
    let mut knots = Knots::of(graph, &sources, is_open);
    let Some(unfair) = knots.fair(&none) else {
        let not_needed = Assumed::all(graph).names(graph);
        return Judged { not_needed, ..Judged::plain(Verdict::Holds) };
    };
    let mut assumed = Assumed::all(graph);
    if let Some(fair) = knots.fair(&assumed) {
        let assumptions = assumed.names(graph);
        let trail = lasso::trail(graph, &sources, is_open, &fair, &assumed);
        return Judged { assumptions, ..Judged::shown(Verdict::Fails, trail) };
    }
    let all = assumed.names(graph);
    assumed.minimise(&mut knots);
    let assumptions = assumed.names(graph);
    let not_needed = all.into_iter().filter(|name| !assumptions.contains(name)).collect();
    let trail = lasso::trail(graph, &sources, is_open, &unfair, &none);
    let shown = Judged::shown(Verdict::FailsOnlyUnfairly, trail);
    Judged { assumptions, not_needed, ..shown }
}

//! Which components can hold a fair run.
//!
//! A component without any transition of a weakly fair action that is enabled in all its states
//! holds none, nor does any part of it. Where a strongly fair action is enabled in some states and
//! no transition of the component is one of its, a fair run avoids those states: the rest is
//! looked at again.

use crate::parts::Fairness;
use crate::search::live::components::Components;
use crate::search::live::graph::Graph;
use crate::search::live::name;

/// The assumptions that are made: for each label of a graph, whether its fairness is assumed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Assumed(Vec<bool>);

/// What the transitions of a component say of a label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tally {
    /// States where it is enabled: some transition has it, wherever that leads.
    enabled: usize,
    /// The last state counted, plus one.
    counted: usize,
    /// Whether a transition inside has it.
    is_taken: bool,
}

impl Assumed {
    /// No fairness.
    pub(super) fn none(graph: &Graph) -> Self {
        Self(vec![false; graph.fairness().len()])
    }

    /// All there is.
    pub(super) fn all(graph: &Graph) -> Self {
        Self(graph.fairness().iter().map(|fairness| *fairness != Fairness::Never).collect())
    }

    /// The names of what is assumed, sorted.
    pub(super) fn names(&self, graph: &Graph) -> Vec<String> {
        let assumed = graph.fairness().iter().zip(&self.0).filter(|(_, assumed)| **assumed);
        let mut names: Vec<String> = assumed.filter_map(|(fairness, _)| name(fairness)).collect();
        names.sort();
        names
    }

    /// Whether the fairness of a label is assumed.
    pub(super) fn has(&self, label: u16) -> bool {
        self.0[usize::from(label)]
    }

    /// Gives up one assumption after the other, by name, as long as no run in `open` becomes fair.
    pub(super) fn minimise(&mut self, graph: &Graph, open: &[u32]) {
        let mut order: Vec<usize> = (0..self.0.len()).filter(|&label| self.0[label]).collect();
        order.sort_by_key(|&label| &graph.fairness()[label]);
        for label in order {
            self.0[label] = false;
            if self.component(graph, open).is_some() {
                self.0[label] = true;
            }
        }
    }

    /// A component of these states, or a part of one, that holds a fair run; the first in a fixed
    /// order.
    pub(super) fn component(&self, graph: &Graph, open: &[u32]) -> Option<Vec<u32>> {
        let mut components = Components::new(graph.len());
        let mut work = vec![open.to_vec()];
        while let Some(states) = work.pop() {
            let mut rest = Vec::new();
            let mut found: Option<Vec<u32>> = None;
            let (all, ends) = components.of(graph, &states);
            let mut begin = 0;
            for end in ends {
                let component = &all[begin..end];
                begin = end;
                match self.judge(graph, &mut components, component) {
                    // The one nearest to the beginning.
                    Fate::Fair if found.as_ref().is_none_or(|other| component[0] < other[0]) => {
                        found = Some(component.to_vec());
                    }
                    Fate::Fair | Fate::Unfair => {}
                    Fate::Avoid(bad) => {
                        let has_bad =
                            |state: u32| graph.out(state).any(|(_, label)| bad.contains(&label));
                        let kept = component.iter().copied().filter(|&state| !has_bad(state));
                        rest.push(kept.collect::<Vec<u32>>());
                    }
                }
            }
            if found.is_some() {
                return found;
            }
            work.extend(rest);
        }
        None
    }

    fn judge(&self, graph: &Graph, components: &mut Components, component: &[u32]) -> Fate {
        if let &[state] = component {
            // No transition leads from a state to itself. A run may stop here only if nothing
            // fair could go on, whether that is assumed or not.
            let is_fair = |label: u16| graph.fairness()[usize::from(label)] != Fairness::Never;
            let stops = !graph.out(state).any(|(_, label)| is_fair(label));
            return if stops { Fate::Fair } else { Fate::Unfair };
        }
        let part = components.mark(component);
        let mut tallies = vec![Tally::default(); self.0.len()];
        for &state in component {
            for (to, label) in graph.out(state) {
                let tally = &mut tallies[usize::from(label)];
                if tally.counted != state as usize + 1 {
                    tally.counted = state as usize + 1;
                    tally.enabled += 1;
                }
                tally.is_taken |= components.is_in(to, part);
            }
        }
        let fairness = graph.fairness();
        let mut avoid = Vec::new();
        for (label, tally) in (0u16..).zip(&tallies) {
            if !self.has(label) || tally.is_taken {
                continue;
            }
            match fairness[usize::from(label)] {
                Fairness::Weak(_) if tally.enabled == component.len() => return Fate::Unfair,
                Fairness::Strong(_) if tally.enabled > 0 => avoid.push(label),
                Fairness::Weak(_) | Fairness::Strong(_) | Fairness::Never => {}
            }
        }
        if avoid.is_empty() { Fate::Fair } else { Fate::Avoid(avoid) }
    }
}

/// What comes of a component.
enum Fate {
    /// It holds a fair run.
    Fair,
    /// It holds none.
    Unfair,
    /// A fair run in it avoids the states where one of these is enabled.
    Avoid(Vec<u16>),
}

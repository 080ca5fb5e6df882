//! Strongly connected components of a subgraph: Tarjan's algorithm with an explicit stack, so that
//! a long path does not overflow the thread's.

use std::{mem, slice};

use crate::storage::transitions::Transitions;

/// The mark of a state that is not discovered yet.
const NEW: u32 = 0;
/// The mark of a state that no subgraph has contained.
const NONE: u32 = u32::MAX;

/// The state of the algorithm, reused for every subgraph.
#[derive(Debug)]
pub(super) struct Components {
    /// By state: [`NEW`], its order of discovery while its component is not complete, or the
    /// number of its component. Orders count up from 1, components down from [`NONE`], so that the
    /// number of a component is above every order.
    marks: Vec<u32>,
    /// The number of the component found last.
    last: u32,
}

/// The components of a subgraph.
#[derive(Debug)]
pub(super) struct Found {
    /// The states that are reachable, in ascending order.
    pub(super) states: Vec<u32>,
    /// By index of a component: how many states it has.
    pub(super) sizes: Vec<u32>,
    /// The number of the component found first, which is the greatest.
    first: u32,
}

impl Found {
    /// The index of a component among those found.
    #[inline]
    pub(super) fn index(&self, component: u32) -> usize {
        (self.first - component) as usize
    }
}

/// A state on the path of the depth-first search.
struct Frame<'t> {
    state: u32,
    order: u32,
    /// The low link: the least order in its component known to be reachable.
    low: u32,
    /// The successors not visited yet.
    successors: slice::Iter<'t, u32>,
}

impl Components {
    /// For a graph with this number of states.
    pub(super) fn new(states: usize) -> Self {
        Self { marks: vec![NONE; states], last: NONE }
    }

    /// The number of the component that a state was last found in; unique across subgraphs.
    #[inline]
    pub(super) fn component(&self, state: u32) -> u32 {
        self.marks[state as usize]
    }

    /// The components of the subgraph reachable from `roots` through `open` states only, which are
    /// in ascending order.
    pub(super) fn of(
        &mut self,
        transitions: &Transitions,
        roots: impl Iterator<Item = u32>,
        open: impl Iterator<Item = u32> + Clone,
    ) -> Found {
        // As many orders and as many components have room, or those of former subgraphs are
        // forgotten.
        if self.last as usize <= 2 * self.marks.len() {
            self.marks.fill(NONE);
            self.last = NONE;
        }
        let first = self.last - 1;
        open.clone().for_each(|state| self.marks[state as usize] = NEW);
        let mut search =
            Search { stack: Vec::new(), callers: Vec::new(), order: NEW, sizes: Vec::new() };
        for root in roots {
            if self.marks[root as usize] == NEW {
                search.visit(self, transitions, root);
            }
        }
        let is_reached = |&state: &u32| {
            let mark = &mut self.marks[state as usize];
            *mark != NEW || mem::replace(mark, NONE) != NEW
        };
        let states = open.filter(is_reached).collect();
        Found { states, sizes: search.sizes, first }
    }
}

/// A depth-first search.
struct Search<'t> {
    /// The states of components that are not complete.
    stack: Vec<u32>,
    /// The path to the state visited.
    callers: Vec<Frame<'t>>,
    /// The order of the state discovered last.
    order: u32,
    /// The sizes of the components found.
    sizes: Vec<u32>,
}

impl<'t> Search<'t> {
    /// Finds the components reachable from a state.
    fn visit(&mut self, components: &mut Components, transitions: &'t Transitions, root: u32) {
        let mut frame = self.enter(components, transitions, root);
        'state: loop {
            for &to in frame.successors.by_ref() {
                let mark = components.marks[to as usize];
                if mark == NEW {
                    let next = self.enter(components, transitions, to);
                    self.callers.push(mem::replace(&mut frame, next));
                    continue 'state;
                }
                // The number of a component that is complete is above every order.
                frame.low = frame.low.min(mark);
            }
            if frame.low == frame.order {
                self.leave(components, frame.state);
            }
            let Some(caller) = self.callers.pop() else { return };
            // No component that is complete lowers it: its root was discovered later.
            frame = Frame { low: caller.low.min(frame.low), ..caller };
        }
    }

    #[inline]
    fn enter(
        &mut self,
        components: &mut Components,
        transitions: &'t Transitions,
        state: u32,
    ) -> Frame<'t> {
        self.order += 1;
        components.marks[state as usize] = self.order;
        self.stack.push(state);
        let successors = transitions.successors(state).iter();
        Frame { state, order: self.order, low: self.order, successors }
    }

    /// Pops a component off the stack.
    fn leave(&mut self, components: &mut Components, root: u32) {
        components.last -= 1;
        let mut size = 0;
        loop {
            let state = self.stack.pop().expect("the root is on it");
            components.marks[state as usize] = components.last;
            size += 1;
            if state == root {
                break;
            }
        }
        self.sizes.push(size);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The components of the subgraph of some states, by index, reached from the first of them.
    fn found(
        components: &mut Components,
        transitions: &Transitions,
        open: &[u32],
    ) -> Vec<Vec<u32>> {
        let found = components.of(transitions, [open[0]].into_iter(), open.iter().copied());
        let mut by_index = vec![Vec::new(); found.sizes.len()];
        for &state in &found.states {
            by_index[found.index(components.component(state))].push(state);
        }
        by_index.sort();
        by_index
    }

    #[test]
    fn a_subgraph_knows_nothing_of_the_one_before() {
        let mut graph = Transitions::default();
        // Two rings of two, one that leads to the other, and a state that leads to both.
        for targets in [[1, 2], [0, 0], [3, 3], [2, 2], [0, 3]] {
            graph.add_row(targets.into_iter().map(|to| (to, 0)));
        }
        let mut components = Components::new(graph.states());
        for last in [NONE, 11, 10, 3] {
            components.last = last;
            assert_eq!(found(&mut components, &graph, &[0, 1, 2, 3, 4]), [[0, 1], [2, 3]]);
            // The last state was open and not reached; it is not open any more.
            assert_eq!(found(&mut components, &graph, &[2, 3]), [[2, 3]]);
            assert_eq!(found(&mut components, &graph, &[1, 2]), [[1]]);
            assert_eq!(components.component(4), NONE);
        }
        // Numbers are given again: no state has one of before.
        assert_eq!(found(&mut components, &graph, &[0, 1]), [[0, 1]]);
        components.last = 3;
        assert_eq!(found(&mut components, &graph, &[2, 3]), [[2, 3]]);
        assert_eq!(components.component(0), NONE);
    }
}

//! Strongly connected components of a subgraph: Tarjan's algorithm with an explicit stack, so that
//! a long path does not overflow the thread's.

use std::slice;

use crate::liveness::labelled_graph::LabelledGraph;

/// The order of a state that is not discovered yet.
const NEW: u32 = 0;
/// The order of a state outside of the subgraph, or whose component is complete.
const DONE: u32 = u32::MAX;

/// The state of the algorithm, reused for every subgraph.
#[derive(Debug)]
pub(super) struct Components {
    /// By state: its order of discovery, [`NEW`] or [`DONE`]; all are [`DONE`] between two calls.
    order: Vec<u32>,
    /// By state: the component it was last found in.
    component: Vec<u32>,
    /// Components found so far, in all subgraphs.
    count: u32,
}

/// A state on the path of the depth-first search.
struct Frame<'g> {
    state: u32,
    order: u32,
    /// The low link: the least order in its component known to be reachable.
    low: u32,
    /// The successors not visited yet.
    successors: slice::Iter<'g, u32>,
}

impl Components {
    /// For a graph with this number of states.
    pub(super) fn new(states: usize) -> Self {
        Self { order: vec![DONE; states], component: vec![0; states], count: 0 }
    }

    /// The number of the component that a state was last found in; unique across subgraphs.
    pub(super) fn component(&self, state: u32) -> u32 {
        self.component[state as usize]
    }

    /// The components of the subgraph reachable from `roots` through `open` states only: their
    /// states, each component sorted, one behind the other, and the end of each.
    pub(super) fn of(
        &mut self,
        graph: &LabelledGraph,
        roots: impl Iterator<Item = u32>,
        open: impl Iterator<Item = u32> + Clone,
    ) -> (Vec<u32>, Vec<usize>) {
        open.clone().for_each(|state| self.order[state as usize] = NEW);
        let before = self.count;
        let (mut stack, mut count) = (Vec::new(), NEW);
        for root in roots {
            if self.order[root as usize] == NEW {
                self.visit(graph, root, &mut stack, &mut count);
            }
        }
        self.gather(open, before)
    }

    /// Finds the components reachable from a state.
    fn visit(&mut self, graph: &LabelledGraph, root: u32, stack: &mut Vec<u32>, count: &mut u32) {
        let mut frames = vec![self.enter(graph, root, stack, count)];
        while let Some(frame) = frames.last_mut() {
            let Some(&to) = frame.successors.next() else {
                let Some(Frame { state, order, low, .. }) = frames.pop() else { return };
                if low == order {
                    self.leave(state, stack);
                } else if let Some(caller) = frames.last_mut() {
                    caller.low = caller.low.min(low);
                }
                continue;
            };
            match self.order[to as usize] {
                DONE => {}
                NEW => {
                    let next = self.enter(graph, to, stack, count);
                    frames.push(next);
                }
                order => frame.low = frame.low.min(order),
            }
        }
    }

    fn enter<'g>(
        &mut self,
        graph: &'g LabelledGraph,
        state: u32,
        stack: &mut Vec<u32>,
        count: &mut u32,
    ) -> Frame<'g> {
        *count += 1;
        self.order[state as usize] = *count;
        stack.push(state);
        Frame { state, order: *count, low: *count, successors: graph.successors(state).iter() }
    }

    /// Pops a component off the stack.
    fn leave(&mut self, root: u32, stack: &mut Vec<u32>) {
        self.count += 1;
        loop {
            let state = stack.pop().expect("the root is on it");
            self.order[state as usize] = DONE;
            self.component[state as usize] = self.count;
            if state == root {
                break;
            }
        }
    }

    /// The components found since `before`, in order; marks all open states as done.
    fn gather(
        &mut self,
        open: impl Iterator<Item = u32> + Clone,
        before: u32,
    ) -> (Vec<u32>, Vec<usize>) {
        let mut ends = vec![0; (self.count - before) as usize];
        let index = |component: u32| (component - before - 1) as usize;
        let reached =
            open.filter(|&state| std::mem::replace(&mut self.order[state as usize], DONE) == DONE);
        let reached: Vec<u32> = reached.collect();
        reached.iter().for_each(|&state| ends[index(self.component[state as usize])] += 1);
        let mut next = 0;
        for end in &mut ends {
            next += std::mem::replace(end, next);
        }
        let mut components = vec![0; reached.len()];
        for state in reached {
            let end = &mut ends[index(self.component[state as usize])];
            components[*end] = state;
            *end += 1;
        }
        (components, ends)
    }
}

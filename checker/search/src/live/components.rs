//! Strongly connected components of a part of a graph: Tarjan's algorithm with a stack of its own,
//! so that a long path does not end the process's.

use std::slice;

use crate::live::graph::Graph;

/// Not yet discovered.
const NEW: u32 = 0;
/// Not in the part looked at, or done with.
const DONE: u32 = u32::MAX;

/// Room for the algorithm, used again for every part.
#[derive(Debug)]
pub(super) struct Components {
    /// The order of discovery, [`NEW`] or [`DONE`]. Everything is done between two calls.
    order: Vec<u32>,
    /// The component that each state was last found in.
    part: Vec<u32>,
    parts: u32,
}

/// A state whose successors are being looked at.
struct Call<'g> {
    state: u32,
    order: u32,
    /// The first in order that can be reached from it and reaches it.
    low: u32,
    /// Those not looked at yet.
    successors: slice::Iter<'g, u32>,
}

impl Components {
    /// For a graph of so many states.
    pub(super) fn new(states: usize) -> Self {
        Self { order: vec![DONE; states], part: vec![0; states], parts: 0 }
    }

    /// The component that a state was last found in; a number that no other has.
    pub(super) fn part(&self, state: u32) -> u32 {
        self.part[state as usize]
    }

    /// The components of what can be reached from these states through `open` ones alone, sorted,
    /// one behind the other, and where each ends.
    pub(super) fn of(
        &mut self,
        graph: &Graph,
        roots: impl Iterator<Item = u32>,
        open: impl Iterator<Item = u32> + Clone,
    ) -> (Vec<u32>, Vec<usize>) {
        open.clone().for_each(|state| self.order[state as usize] = NEW);
        let before = self.parts;
        let (mut stack, mut count) = (Vec::new(), NEW);
        for root in roots {
            if self.order[root as usize] == NEW {
                self.visit(graph, root, &mut stack, &mut count);
            }
        }
        self.gather(open, before)
    }

    /// Finds the components of what a state reaches.
    fn visit(&mut self, graph: &Graph, root: u32, stack: &mut Vec<u32>, count: &mut u32) {
        let mut calls = vec![self.enter(graph, root, stack, count)];
        while let Some(call) = calls.last_mut() {
            let Some(&to) = call.successors.next() else {
                let Some(Call { state, order, low, .. }) = calls.pop() else { return };
                if low == order {
                    self.leave(state, stack);
                } else if let Some(caller) = calls.last_mut() {
                    caller.low = caller.low.min(low);
                }
                continue;
            };
            match self.order[to as usize] {
                DONE => {}
                NEW => {
                    let next = self.enter(graph, to, stack, count);
                    calls.push(next);
                }
                order => call.low = call.low.min(order),
            }
        }
    }

    fn enter<'g>(
        &mut self,
        graph: &'g Graph,
        state: u32,
        stack: &mut Vec<u32>,
        count: &mut u32,
    ) -> Call<'g> {
        *count += 1;
        self.order[state as usize] = *count;
        stack.push(state);
        Call { state, order: *count, low: *count, successors: graph.successors(state).iter() }
    }

    /// Takes a component off the stack.
    fn leave(&mut self, root: u32, stack: &mut Vec<u32>) {
        self.parts += 1;
        loop {
            let state = stack.pop().expect("the root is on it");
            self.order[state as usize] = DONE;
            self.part[state as usize] = self.parts;
            if state == root {
                break;
            }
        }
    }

    /// The parts made since, in the order in which they were made; ends what is still open.
    fn gather(
        &mut self,
        open: impl Iterator<Item = u32> + Clone,
        before: u32,
    ) -> (Vec<u32>, Vec<usize>) {
        let mut ends = vec![0; (self.parts - before) as usize];
        let index = |part: u32| (part - before - 1) as usize;
        let reached =
            open.filter(|&state| std::mem::replace(&mut self.order[state as usize], DONE) == DONE);
        let reached: Vec<u32> = reached.collect();
        reached.iter().for_each(|&state| ends[index(self.part[state as usize])] += 1);
        let mut next = 0;
        for end in &mut ends {
            next += std::mem::replace(end, next);
        }
        let mut components = vec![0; reached.len()];
        for state in reached {
            let end = &mut ends[index(self.part[state as usize])];
            components[*end] = state;
            *end += 1;
        }
        (components, ends)
    }
}

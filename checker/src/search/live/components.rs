//! Strongly connected components of a part of a graph: Tarjan's algorithm with a stack of its own,
//! so that a long path does not end the process's.

use crate::search::live::graph::Graph;

/// Room for the algorithm, used again for every part.
#[derive(Debug)]
pub(super) struct Components {
    /// The order of discovery; 0: not yet.
    order: Vec<u32>,
    low: Vec<u32>,
    is_on_stack: Vec<bool>,
    /// The part to which each state belongs now.
    part: Vec<u32>,
    parts: u32,
}

impl Components {
    /// For a graph of so many states.
    pub(super) fn new(states: usize) -> Self {
        Self {
            order: vec![0; states],
            low: vec![0; states],
            is_on_stack: vec![false; states],
            part: vec![0; states],
            parts: 0,
        }
    }

    /// Makes these states a part of their own.
    pub(super) fn mark(&mut self, states: &[u32]) -> u32 {
        self.parts += 1;
        states.iter().for_each(|&state| self.part[state as usize] = self.parts);
        self.parts
    }

    /// Whether a state belongs to a part.
    pub(super) fn is_in(&self, state: u32, part: u32) -> bool {
        self.part[state as usize] == part
    }

    /// The components of these states alone, one behind the other, and where each ends; each is
    /// sorted.
    pub(super) fn of(&mut self, graph: &Graph, states: &[u32]) -> (Vec<u32>, Vec<usize>) {
        let part = self.mark(states);
        states.iter().for_each(|&state| self.order[state as usize] = 0);
        let (mut stack, mut count) = (Vec::new(), 0);
        let (mut components, mut ends) = (Vec::with_capacity(states.len()), Vec::new());
        for &root in states {
            if self.order[root as usize] != 0 {
                continue;
            }
            let mut calls = vec![self.enter(graph, root, &mut stack, &mut count)];
            while let Some((state, out)) = calls.last_mut() {
                let state = *state;
                match out.next() {
                    Some(to) if !self.is_in(to, part) => {}
                    Some(to) if self.order[to as usize] == 0 => {
                        calls.push(self.enter(graph, to, &mut stack, &mut count));
                    }
                    Some(to) if self.is_on_stack[to as usize] => {
                        self.lower(state, self.order[to as usize]);
                    }
                    Some(_) => {}
                    None => {
                        calls.pop();
                        if let Some((caller, _)) = calls.last() {
                            self.lower(*caller, self.low[state as usize]);
                        }
                        if self.low[state as usize] == self.order[state as usize] {
                            self.leave(state, &mut stack, &mut components);
                            ends.push(components.len());
                        }
                    }
                }
            }
        }
        (components, ends)
    }

    fn enter<'g>(
        &mut self,
        graph: &'g Graph,
        state: u32,
        stack: &mut Vec<u32>,
        count: &mut u32,
    ) -> (u32, impl Iterator<Item = u32> + use<'g>) {
        *count += 1;
        self.order[state as usize] = *count;
        self.low[state as usize] = *count;
        self.is_on_stack[state as usize] = true;
        stack.push(state);
        (state, graph.out(state).map(|(to, _)| to))
    }

    fn lower(&mut self, state: u32, to: u32) {
        let low = &mut self.low[state as usize];
        *low = to.min(*low);
    }

    /// Takes a component off the stack.
    fn leave(&mut self, root: u32, stack: &mut Vec<u32>, components: &mut Vec<u32>) {
        let begin = components.len();
        loop {
            let state = stack.pop().expect("the root is on it");
            self.is_on_stack[state as usize] = false;
            components.push(state);
            if state == root {
                break;
            }
        }
        components[begin..].sort_unstable();
    }
}

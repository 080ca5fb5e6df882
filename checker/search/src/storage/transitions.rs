//! Transitions by state, in compressed sparse rows.

use std::ops::Range;

/// The most transitions at which more may be added, by a batch at a time.
const FULL: usize = u32::MAX as usize / 2;

/// The transitions of states that are numbered from 0.
#[derive(Debug)]
pub(crate) struct Transitions {
    /// By state: the first of its transitions; and the end of the last. Not of eight bytes: half of
    /// a depth-first search waits for them and for what they point at.
    bounds: Vec<u32>,
    /// By transition: its target.
    to: Vec<u32>,
    /// By transition: its fairness label.
    labels: Vec<u16>,
}

impl Default for Transitions {
    fn default() -> Self {
        Self { bounds: vec![0], to: Vec::new(), labels: Vec::new() }
    }
}

impl Transitions {
    /// Those of the same states that lead from one of `states`, which are in ascending order, to a
    /// state of the same group.
    pub(crate) fn inside(&self, states: &[u32], group: impl Fn(u32) -> u32) -> Self {
        let mut inside = Self { bounds: Vec::with_capacity(self.bounds.len()), ..Self::default() };
        inside.bounds.push(0);
        let mut end = 0;
        for &state in states {
            inside.bounds.resize(state as usize + 1, place(end));
            let row = self.bounds(state);
            if inside.to.len() < end + row.len() {
                let length = 2 * end + row.len() + 1;
                inside.to.resize(length, 0);
                inside.labels.resize(length, 0);
            }
            let here = group(state);
            let kept_to = &mut inside.to[end..end + row.len()];
            let kept_labels = &mut inside.labels[end..end + row.len()];
            // Each is written, and kept by what follows: a branch could not be predicted.
            let mut kept = 0;
            for (&to, &label) in self.to[row.clone()].iter().zip(&self.labels[row]) {
                (kept_to[kept], kept_labels[kept]) = (to, label);
                kept += usize::from(group(to) == here);
            }
            end += kept;
        }
        inside.bounds.resize(self.bounds.len(), place(end));
        inside.to.truncate(end);
        inside.labels.truncate(end);
        inside
    }

    /// Adds a transition of the next state.
    pub(crate) fn add_target(&mut self, to: u32) {
        self.to.push(to);
    }

    /// Adds the labels of the targets added last, and how many of those each of the next states
    /// has.
    pub(crate) fn end_rows(&mut self, labels: &[u16], ends: &[u32]) {
        let begin = place(self.labels.len());
        self.labels.extend_from_slice(labels);
        self.bounds.extend(ends.iter().map(|&end| begin + end));
    }

    /// Adds the next state.
    pub(crate) fn add_row(&mut self, transitions: impl Iterator<Item = (u32, u16)>) {
        for (to, label) in transitions {
            self.to.push(to);
            self.labels.push(label);
        }
        self.bounds.push(place(self.to.len()));
    }

    /// Whether no more may be added.
    pub(crate) fn is_full(&self) -> bool {
        self.to.len() > FULL
    }

    /// The number of states.
    pub(crate) fn states(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The number of transitions.
    pub(crate) fn len(&self) -> usize {
        self.to.len()
    }

    /// Bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        (self.bounds.capacity() + self.to.capacity()) * 4 + self.labels.capacity() * 2
    }

    /// The successors of a state.
    #[inline]
    pub(crate) fn successors(&self, state: u32) -> &[u32] {
        &self.to[self.bounds(state)]
    }

    /// The labels of a state's transitions.
    #[inline]
    pub(crate) fn labels(&self, state: u32) -> &[u16] {
        &self.labels[self.bounds(state)]
    }

    /// The transitions of a state: target and label.
    #[inline]
    pub(crate) fn out(&self, state: u32) -> impl Iterator<Item = (u32, u16)> + '_ {
        self.successors(state).iter().copied().zip(self.labels(state).iter().copied())
    }

    #[inline]
    fn bounds(&self, state: u32) -> Range<usize> {
        let state = state as usize;
        self.bounds[state] as usize..self.bounds[state + 1] as usize
    }
}

/// The place of a transition.
fn place(transition: usize) -> u32 {
    u32::try_from(transition).expect("no more are added to those that are full")
}

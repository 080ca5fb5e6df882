//! How each state was found, in two bytes: enough to walk back to the beginning.
//!
//! States are numbered in the order in which they are found, and found in the order of their
//! parents; so it is enough to note how many each state had, and which of its parent's successors
//! each one is. The log is only ever added to.

use std::collections::BTreeMap;

/// Written in place of a number that does not fit; the number is then in the margin.
const BEYOND: u8 = u8::MAX;

/// Small numbers, a byte each, with a margin for the few that are not small.
#[derive(Clone, Debug, Default)]
struct Bytes {
    bytes: Vec<u8>,
    margin: BTreeMap<usize, u32>,
}

impl Bytes {
    fn push(&mut self, number: u32) {
        let byte = u8::try_from(number).unwrap_or(BEYOND);
        if byte == BEYOND {
            self.margin.insert(self.bytes.len(), number);
        }
        self.bytes.push(byte);
    }

    fn at(&self, index: usize) -> u32 {
        match self.bytes[index] {
            BEYOND => self.margin[&index],
            byte => u32::from(byte),
        }
    }
}

/// The log.
#[derive(Clone, Debug, Default)]
pub struct Log {
    /// Of each state that was expanded, how many new states it led to.
    children: Bytes,
    /// Of each state, which of its parent's successors it is; of the first level, which of the
    /// initial states.
    ordinals: Bytes,
    /// The number of the first state of each level.
    levels: Vec<usize>,
}

impl Log {
    /// Begins a level: states noted from now on are one step further away.
    pub fn begin_level(&mut self) {
        self.levels.push(self.ordinals.bytes.len());
    }

    /// Notes a new state, by its place among the successors of its parent.
    pub fn note_state(&mut self, ordinal: u32) {
        self.ordinals.push(ordinal);
    }

    /// Notes that the next state in order has been expanded.
    pub fn note_children(&mut self, count: u32) {
        self.children.push(count);
    }

    /// Notes new states and how many of them came from each of the next that were expanded.
    pub fn note(&mut self, ordinals: &[u32], children: &[u32]) {
        ordinals.iter().for_each(|&ordinal| self.note_state(ordinal));
        children.iter().for_each(|&count| self.note_children(count));
    }

    /// States noted.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ordinals.bytes.len()
    }

    /// Whether nothing was noted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes allocated.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.children.bytes.capacity() + self.ordinals.bytes.capacity()
    }

    /// The parent of each state, if it has one.
    pub fn parents(&self) -> impl Iterator<Item = Option<u32>> {
        let initial = self.levels.get(1).copied().unwrap_or_default();
        let children = (0..self.children.bytes.len()).map(|parent| self.children.at(parent));
        let parents = (0u32..).zip(children);
        let parents =
            parents.flat_map(|(parent, count)| std::iter::repeat_n(Some(parent), count as usize));
        std::iter::repeat_n(None, initial).chain(parents)
    }

    /// How a state was found: which initial state, then which successor at each step.
    #[must_use]
    pub fn path(&self, state: usize) -> Vec<u32> {
        let mut path = vec![self.ordinals.at(state)];
        let mut level = self.levels.partition_point(|&first| first <= state) - 1;
        let mut state = state;
        while level > 0 {
            state = self.parent(level, state);
            level -= 1;
            path.push(self.ordinals.at(state));
        }
        path.reverse();
        path
    }

    /// The parent of a state of a level: the children of the level before, counted off.
    fn parent(&self, level: usize, state: usize) -> usize {
        let mut parent = self.levels[level - 1];
        let mut end = self.levels[level] + self.children.at(parent) as usize;
        while end <= state {
            parent += 1;
            end += self.children.at(parent) as usize;
        }
        parent
    }
}

#[cfg(test)]
mod tests {
    use super::Log;

    #[test]
    fn a_path_is_counted_off_level_by_level() {
        let mut log = Log::default();
        log.begin_level();
        log.note_state(0);
        log.begin_level();
        [3, 700].into_iter().for_each(|ordinal| log.note_state(ordinal));
        log.note_children(2);
        log.begin_level();
        (0..300).for_each(|ordinal| log.note_state(ordinal));
        log.note_children(299);
        log.note_children(1);
        assert_eq!(log.path(0), [0]);
        assert_eq!(log.path(2), [0, 700]);
        assert_eq!(log.path(3 + 298), [0, 3, 298]);
        assert_eq!(log.path(3 + 299), [0, 700, 299]);
    }
}

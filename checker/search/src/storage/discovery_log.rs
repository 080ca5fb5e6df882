//! The log of discoveries: two bytes a state, from which the path to any state is reconstructed.
//!
//! States are numbered in order of discovery, which is the order of their parents. So the number of
//! new states that each parent led to, and the index of each state among its parent's successors,
//! determine every path. The log is append-only.

use std::collections::BTreeMap;

/// The byte of a number of 255 or more, which is in the overflow map.
const OVERFLOW: u8 = u8::MAX;

/// A list of numbers, most of them below 255: one byte each, and an overflow map by index.
#[derive(Clone, Debug, Default)]
struct CompactNumbers {
    bytes: Vec<u8>,
    overflow: BTreeMap<usize, u32>,
}

impl CompactNumbers {
    fn push(&mut self, number: u32) {
        let byte = u8::try_from(number).unwrap_or(OVERFLOW);
        if byte == OVERFLOW {
            self.overflow.insert(self.bytes.len(), number);
        }
        self.bytes.push(byte);
    }

    fn at(&self, index: usize) -> u32 {
        match self.bytes[index] {
            OVERFLOW => self.overflow[&index],
            byte => u32::from(byte),
        }
    }
}

/// The log of a breadth-first search.
#[derive(Clone, Debug, Default)]
pub struct DiscoveryLog {
    /// By expanded state: the number of new states it led to.
    children: CompactNumbers,
    /// By state: its index among its parent's successors; in the first level, among the initial
    /// states.
    ordinals: CompactNumbers,
    /// By level: its first state.
    levels: Vec<usize>,
}

impl DiscoveryLog {
    /// Begins the next level.
    pub fn begin_level(&mut self) {
        self.levels.push(self.ordinals.bytes.len());
    }

    /// Adds a state, by its index among the successors of its parent.
    pub fn add_state(&mut self, ordinal: u32) {
        self.ordinals.push(ordinal);
    }

    /// Adds the number of new states that the next expanded state led to.
    pub fn add_children(&mut self, count: u32) {
        self.children.push(count);
    }

    /// Adds states, and the number of new states of each of the next expanded states.
    pub fn add_states(&mut self, ordinals: &[u32], children: &[u32]) {
        ordinals.iter().for_each(|&ordinal| self.add_state(ordinal));
        children.iter().for_each(|&count| self.add_children(count));
    }

    /// The number of states.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ordinals.bytes.len()
    }

    /// Whether the log is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes allocated.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.children.bytes.capacity() + self.ordinals.bytes.capacity()
    }

    /// By state: its parent; `None` for an initial state.
    pub fn parents(&self) -> impl Iterator<Item = Option<u32>> {
        let initial = self.levels.get(1).copied().unwrap_or_default();
        let children = (0..self.children.bytes.len()).map(|parent| self.children.at(parent));
        let parents = (0u32..).zip(children);
        let parents =
            parents.flat_map(|(parent, count)| std::iter::repeat_n(Some(parent), count as usize));
        std::iter::repeat_n(None, initial).chain(parents)
    }

    /// The path to a state: the index of the initial state, then that of the successor at each
    /// step.
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

    /// The parent of a state of a level, by counting the children of the level before.
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
    use crate::storage::discovery_log::DiscoveryLog;

    #[test]
    fn a_path_is_reconstructed_level_by_level() {
        let mut log = DiscoveryLog::default();
        log.begin_level();
        log.add_state(0);
        log.begin_level();
        [3, 700].into_iter().for_each(|ordinal| log.add_state(ordinal));
        log.add_children(2);
        log.begin_level();
        (0..300).for_each(|ordinal| log.add_state(ordinal));
        log.add_children(299);
        log.add_children(1);
        assert_eq!(log.path(0), [0]);
        assert_eq!(log.path(2), [0, 700]);
        assert_eq!(log.path(3 + 298), [0, 3, 298]);
        assert_eq!(log.path(3 + 299), [0, 700, 299]);
    }
}

//! The inner nodes of the decision tree, and their children by the part that an action reads.
//!
//! Each node has a hash table of its own in one array. Parts are numbered from 0, so a part is its
//! own hash, and what an action reads next is nearly always in the first slot.

use crate::interned::node_ref::NodeRef;

/// The part of an empty slot.
const NO_PART: u32 = u32::MAX;
/// Slots of a node at first.
const SLOTS_MIN: u32 = 4;

/// An inner node: the next part that the action reads is the one at this place.
#[derive(Clone, Copy, Debug)]
struct DecisionNode {
    place: u32,
    /// The first of its slots.
    offset: u32,
    /// The number of its slots, a power of two, less one.
    mask: u32,
    /// The number of its children; at most half of its slots.
    children: u32,
}

/// A child of a node.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// [`NO_PART`]: the slot is empty.
    part: u32,
    /// [`NodeRef::UNEXPLORED`] in an empty slot.
    child: NodeRef,
}

const EMPTY: Slot = Slot { part: NO_PART, child: NodeRef::UNEXPLORED };

/// The inner nodes of a tree.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    nodes: Vec<DecisionNode>,
    slots: Vec<Slot>,
}

impl Decisions {
    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node that reads the part at a place.
    pub(super) fn add(&mut self, place: u16) -> u32 {
        let offset = self.add_slots(SLOTS_MIN);
        let node = DecisionNode { place: place.into(), offset, mask: SLOTS_MIN - 1, children: 0 };
        self.nodes.push(node);
        u32::try_from(self.nodes.len() - 1).expect("the tree is pruned before")
    }

    /// The child of a node for the part in this vector.
    #[inline(always)]
    pub(super) fn child(&self, decision: u32, vector: &[u32]) -> NodeRef {
        let node = self.nodes[decision as usize];
        let part = vector[node.place as usize];
        let mut probe = part;
        loop {
            let slot = self.slots[(node.offset + (probe & node.mask)) as usize];
            if slot.part == part || slot.part == NO_PART {
                return slot.child;
            }
            probe = probe.wrapping_add(1);
        }
    }

    /// Adds the child of a node for a part that has none.
    pub(super) fn insert(&mut self, decision: u32, part: u32, child: NodeRef) {
        let mut node = self.nodes[decision as usize];
        node.children += 1;
        if node.children * 2 > node.mask + 1 {
            let before = node.offset as usize..(node.offset + node.mask + 1) as usize;
            node.mask = node.mask * 2 + 1;
            node.offset = self.add_slots(node.mask + 1);
            for slot in before {
                let slot = self.slots[slot];
                if slot.part != NO_PART {
                    self.put(node, slot);
                }
            }
        }
        self.nodes[decision as usize] = node;
        self.put(node, Slot { part, child });
    }

    fn put(&mut self, node: DecisionNode, slot: Slot) {
        let mut probe = slot.part;
        loop {
            let there = &mut self.slots[(node.offset + (probe & node.mask)) as usize];
            assert_ne!(there.part, slot.part, "a child is added once");
            if there.part == NO_PART {
                *there = slot;
                return;
            }
            probe = probe.wrapping_add(1);
        }
    }

    fn add_slots(&mut self, count: u32) -> u32 {
        let offset = u32::try_from(self.slots.len()).expect("the tree is pruned before");
        self.slots.extend((0..count).map(|_| EMPTY));
        offset
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<DecisionNode>()
            + self.slots.capacity() * size_of::<Slot>()
    }
}

#[cfg(test)]
mod tests {
    use super::Decisions;
    use crate::interned::node_ref::NodeRef;

    #[test]
    fn children_are_found_by_part_however_many_there_are() {
        let mut decisions = Decisions::default();
        let (first, second) = (decisions.add(0), decisions.add(1));
        // All in the same slots at first.
        let parts: Vec<u32> = (0..300).map(|number| number * 64).collect();
        for (number, &part) in parts.iter().enumerate() {
            decisions.insert(first, part, NodeRef::delta(number));
            decisions.insert(second, part, NodeRef::choice(number));
        }
        for (number, &part) in parts.iter().enumerate() {
            assert_eq!(decisions.child(first, &[part, 1]), NodeRef::delta(number));
            assert_eq!(decisions.child(second, &[1, part]), NodeRef::choice(number));
        }
        assert_eq!(decisions.child(first, &[63, 0]), NodeRef::UNEXPLORED);
    }
}

//! The inner nodes of the decision tree, and their children by the part that an action reads.

use crate::interned::node_ref::NodeRef;
use crate::interned::pair_map::PairMap;

/// An inner node: the next part that the action reads is the one at this place.
#[derive(Clone, Copy, Debug)]
struct DecisionNode {
    place: u16,
    /// The part found here last, and the child for it.
    part: u32,
    child: NodeRef,
}

/// The inner nodes of a tree.
#[derive(Debug, Default)]
pub(super) struct Decisions {
    nodes: Vec<DecisionNode>,
    /// By node and part: the child.
    children: PairMap,
}

impl Decisions {
    /// The number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node that reads the part at a place.
    pub(super) fn add(&mut self, place: u16) -> u32 {
        self.nodes.push(DecisionNode { place, part: u32::MAX, child: NodeRef::UNEXPLORED });
        u32::try_from(self.nodes.len() - 1).expect("the tree is pruned before")
    }

    /// The child of a node for the part in this vector.
    #[inline(always)]
    pub(super) fn child(&mut self, decision: u32, vector: &[u32]) -> NodeRef {
        let DecisionNode { place, part, child } = self.nodes[decision as usize];
        let there = vector[usize::from(place)];
        if there == part { child } else { self.look_up(decision, there) }
    }

    #[inline]
    fn look_up(&mut self, decision: u32, part: u32) -> NodeRef {
        let Some(word) = self.children.get(decision, part) else { return NodeRef::UNEXPLORED };
        let child = NodeRef::unpack(word);
        let node = &mut self.nodes[decision as usize];
        (node.part, node.child) = (part, child);
        child
    }

    /// Adds the child of a node for a part that has none.
    pub(super) fn insert(&mut self, decision: u32, part: u32, child: NodeRef) {
        self.children.insert(decision, part, child.pack());
        let node = &mut self.nodes[decision as usize];
        (node.part, node.child) = (part, child);
    }

    /// Bytes allocated.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<DecisionNode>() + self.children.bytes()
    }
}

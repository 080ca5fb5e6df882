//! Which locks overlap a range, in O(log n + k) for k of n: a priority search tree over their
//! first addresses, its heap over their last ones.
//!
//! An interval tree whose nodes know the greatest last address below them answers in O(k log n)
//! only: a node may be entered for one lock far below it. Here every node shows the lock that
//! reaches furthest among those below it that no node above shows already; a node is entered
//! because the one above it was shown, or on the way to the range's end. Insertion and removal
//! take O(log n) and, where a side has grown too heavy, a rebuilding of that side, O(log² n) an
//! operation amortised. Its shape depends on history, so two trees are never compared: an owner
//! compares the data that it was built from.

use alloc::vec::Vec;

use super::range::ByteRange;

/// The sort key of a lock: its first address, then its id.
type NodeKey<T> = (u64, T);

/// A lock in the tree: its range and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Interval<T> {
    range: ByteRange,
    id: T,
}

impl<T: Copy + Ord> Interval<T> {
    fn key(self) -> NodeKey<T> {
        (self.range.first(), self.id)
    }

    /// The order of the heap: the greater last address is higher.
    fn is_above(self, other: Self) -> bool {
        (self.range.last(), self.id) > (other.range.last(), other.id)
    }
}

/// A node of the tree. Every lock has a leaf, and is shown there or at a node above it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Node<T> {
    /// A leaf's own key; of any other node, the least key on its right.
    key: NodeKey<T>,
    /// Both children; none for a leaf.
    pub(super) below: Option<(u32, u32)>,
    /// How many leaves are below it; 1 for a leaf.
    pub(super) leaves: u32,
    /// The lock shown here. Where none is, none is below.
    top: Option<Interval<T>>,
}

impl<T: Copy + Ord> Node<T> {
    const fn leaf(key: NodeKey<T>) -> Self {
        Self { key, below: None, leaves: 1, top: None }
    }

    /// The child on the way to a key, and the other one.
    fn ways(&self, key: NodeKey<T>) -> Option<(u32, u32)> {
        let (left, right) = self.below?;
        Some(if key < self.key { (left, right) } else { (right, left) })
    }
}

/// An index of locks by range; `T` is the owner's id of a lock.
#[derive(Clone, Debug)]
pub struct IntervalIndex<T> {
    pub(super) nodes: Vec<Node<T>>,
    pub(super) free: Vec<u32>,
    pub(super) root: Option<u32>,
}

const OWN_LEAF: &str = "a lock has a leaf of its own";

impl<T> Default for IntervalIndex<T> {
    fn default() -> Self {
        Self { nodes: Vec::new(), free: Vec::new(), root: None }
    }
}

impl<T: Copy + Ord> IntervalIndex<T> {
    /// How many nodes are in use: one less than two for each lock.
    #[must_use]
    pub const fn nodes(&self) -> usize {
        self.nodes.len() - self.free.len()
    }

    /// The locks that overlap the range, each once, in unspecified order.
    #[must_use]
    pub fn over(&self, range: ByteRange) -> OverlapIter<'_, T> {
        let mut over = OverlapIter { tree: self, range, open: [0; OPEN_MAX], count: 0 };
        self.root.into_iter().for_each(|root| over.open(root));
        over
    }

    /// Inserts a lock, which must not be there yet.
    pub fn insert(&mut self, range: ByteRange, id: T) {
        let interval = Interval { range, id };
        let root = match self.root {
            Some(root) => {
                self.grow(root, interval.key());
                root
            }
            None => self.allocate(Node::leaf(interval.key())),
        };
        self.root = Some(root);
        self.place(root, interval);
        self.balance(root, interval.key());
    }

    /// Removes a lock, which must be there with that range.
    pub fn remove(&mut self, range: ByteRange, id: T) {
        let interval = Interval { range, id };
        let root = self.root.expect(OWN_LEAF);
        let mut at = root;
        while self.node(at).top != Some(interval) {
            (at, _) = self.node(at).ways(interval.key()).expect(OWN_LEAF);
        }
        self.refill(at);
        self.shrink(root, interval.key());
        if let Some(root) = self.root {
            self.balance(root, interval.key());
        }
    }

    fn node(&self, at: u32) -> &Node<T> {
        &self.nodes[at as usize]
    }

    fn node_mut(&mut self, at: u32) -> &mut Node<T> {
        &mut self.nodes[at as usize]
    }

    fn allocate(&mut self, node: Node<T>) -> u32 {
        if let Some(at) = self.free.pop() {
            *self.node_mut(at) = node;
            return at;
        }
        let at = u32::try_from(self.nodes.len()).expect("fewer than 2^31 locks of one file");
        self.nodes.push(node);
        at
    }

    /// Adds a leaf for a key: the leaf at its place becomes a node above both.
    fn grow(&mut self, root: u32, key: NodeKey<T>) {
        let mut at = root;
        while let Some((next, _)) = self.node(at).ways(key) {
            self.node_mut(at).leaves += 1;
            at = next;
        }
        let old = *self.node(at);
        assert!(old.key != key, "a lock is put in once");
        let below = (old.key.min(key), old.key.max(key));
        let left = self.allocate(Node::leaf(below.0));
        let right = self.allocate(Node::leaf(below.1));
        *self.node_mut(at) =
            Node { key: below.1, below: Some((left, right)), leaves: 2, top: old.top };
    }

    /// Shows a lock whose leaf is below, moving others down on their ways.
    fn place(&mut self, from: u32, mut interval: Interval<T>) {
        let mut at = from;
        while let Some(top) = self.node(at).top {
            if interval.is_above(top) {
                self.node_mut(at).top = Some(interval);
                interval = top;
            }
            (at, _) = self.node(at).ways(interval.key()).expect(OWN_LEAF);
        }
        self.node_mut(at).top = Some(interval);
    }

    /// Replaces the lock shown at a node by one that its children show.
    fn refill(&mut self, from: u32) {
        let mut at = from;
        loop {
            let shown = |child| Some((child, self.node(child).top?));
            let children = self.node(at).below.map(|(left, right)| (shown(left), shown(right)));
            let higher = match children {
                Some((Some(left), Some(right))) if right.1.is_above(left.1) => Some(right),
                Some((left, right)) => left.or(right),
                None => None,
            };
            self.node_mut(at).top = higher.map(|(_, top)| top);
            match higher {
                Some((child, _)) => at = child,
                None => return,
            }
        }
    }

    /// Removes a key's leaf, which shows nothing: its sibling replaces the node above.
    fn shrink(&mut self, root: u32, key: NodeKey<T>) {
        let mut at = root;
        loop {
            let Some((child, other)) = self.node(at).ways(key) else {
                self.root = None;
                self.free.push(at);
                return;
            };
            self.node_mut(at).leaves -= 1;
            if self.node(child).below.is_none() {
                let top = self.node(at).top;
                *self.node_mut(at) = *self.node(other);
                self.free.extend([child, other]);
                if let Some(top) = top {
                    self.place(at, top);
                }
                return;
            }
            at = child;
        }
    }

    /// Rebuilds the subtree of the highest unbalanced node on the path to a key.
    fn balance(&mut self, root: u32, key: NodeKey<T>) {
        let mut at = root;
        while let Some((next, other)) = self.node(at).ways(key) {
            let heavier = self.node(next).leaves.max(self.node(other).leaves);
            // At most two thirds on one side, but for the smallest.
            if u64::from(heavier) * 3 > u64::from(self.node(at).leaves) * 2 + 3 {
                return self.rebuild(at);
            }
            at = next;
        }
    }

    fn rebuild(&mut self, at: u32) {
        let (mut keys, mut intervals) = (Vec::new(), Vec::new());
        self.unravel(at, &mut keys, &mut intervals);
        let node = self.balanced(&keys);
        *self.node_mut(at) = node;
        for interval in intervals {
            self.place(at, interval);
        }
    }

    /// The keys below a node in order, and the locks that are shown there; gives its places back.
    fn unravel(&mut self, at: u32, keys: &mut Vec<NodeKey<T>>, intervals: &mut Vec<Interval<T>>) {
        let node = *self.node(at);
        intervals.extend(node.top);
        let Some((left, right)) = node.below else { return keys.push(node.key) };
        for child in [left, right] {
            self.unravel(child, keys, intervals);
            self.free.push(child);
        }
    }

    /// A node above leaves for these keys, which shows nothing yet.
    fn balanced(&mut self, keys: &[NodeKey<T>]) -> Node<T> {
        let (left, right) = keys.split_at(keys.len() / 2);
        let [key, ..] = *right else { unreachable!("there is a key at least") };
        if left.is_empty() {
            return Node::leaf(key);
        }
        let leaves = u32::try_from(keys.len()).expect("fewer than 2^31 locks of one file");
        let below = [left, right].map(|keys| {
            let child = self.balanced(keys);
            self.allocate(child)
        });
        Node { key, below: Some(below.into()), leaves, top: None }
    }
}

/// The most open nodes of an iteration: one for each level. No side has more than two thirds of the
/// leaves, except near the leaves, and there are fewer than 2^31 locks.
const OPEN_MAX: usize = 64;

/// The locks that share a byte with a range.
#[derive(Clone, Debug)]
pub struct OverlapIter<'a, T> {
    tree: &'a IntervalIndex<T>,
    range: ByteRange,
    open: [u32; OPEN_MAX],
    count: usize,
}

impl<T> OverlapIter<'_, T> {
    fn open(&mut self, at: u32) {
        self.open[self.count] = at;
        self.count += 1;
    }

    fn pop(&mut self) -> Option<u32> {
        self.count = self.count.checked_sub(1)?;
        Some(self.open[self.count])
    }
}

impl<T: Copy + Ord> Iterator for OverlapIter<'_, T> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        while let Some(at) = self.pop() {
            let node = self.tree.node(at);
            let Some(top) = node.top.filter(|top| top.range.last() >= self.range.first()) else {
                continue;
            };
            if let Some((left, right)) = node.below {
                self.open(left);
                if node.key.0 <= self.range.last() {
                    self.open(right);
                }
            }
            if top.range.first() <= self.range.last() {
                return Some(top.id);
            }
        }
        None
    }
}

//! A reference to a node of the decision tree, in one word.

/// A node of the decision tree: its kind in the three highest bits, its index in the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NodeRef(u32);

/// The bits of the kind.
const KIND: u32 = 0b111 << 29;
const DECISION: u32 = 0b000 << 29;
const DELTA: u32 = 0b001 << 29;
const REDUCIBLE_DELTA: u32 = 0b010 << 29;
const CHOICE: u32 = 0b011 << 29;
const OTHER: u32 = 0b100 << 29;
/// The first index of a self-loop among the other nodes; the label is added to it.
const SELF_LOOP: u32 = 2;

/// A node of the decision tree, by kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// An inner node: the action reads the part at one more place.
    Decision(u32),
    /// A leaf: the action is enabled and changes the state by this delta.
    Delta(u32),
    /// The same, and the state after it may have a representative: its symbolic ids may have to be
    /// made canonical again, or a reduction replaces it.
    ReducibleDelta(u32),
    /// An inner node: a nondeterministic choice.
    Choice(u32),
    /// A leaf: the action is disabled, or changes nothing and discharges nothing.
    NoSuccessor,
    /// A leaf: the action changes nothing, and discharges what this label says.
    SelfLoop(u16),
    /// Not computed yet.
    Unexplored,
}

impl NodeRef {
    /// See [`NodeKind::NoSuccessor`].
    pub(super) const NO_SUCCESSOR: Self = Self(OTHER);
    /// See [`NodeKind::Unexplored`].
    pub(super) const UNEXPLORED: Self = Self(OTHER | 1);

    /// See [`NodeKind::Decision`].
    pub(super) fn decision(index: usize) -> Self {
        Self::of(DECISION, index)
    }

    /// See [`NodeKind::Delta`].
    pub(super) fn delta(index: usize) -> Self {
        Self::of(DELTA, index)
    }

    /// See [`NodeKind::ReducibleDelta`].
    pub(super) fn reducible_delta(index: usize) -> Self {
        Self::of(REDUCIBLE_DELTA, index)
    }

    /// See [`NodeKind::Choice`].
    pub(super) fn choice(index: usize) -> Self {
        Self::of(CHOICE, index)
    }

    /// See [`NodeKind::SelfLoop`].
    pub(super) fn self_loop(label: u16) -> Self {
        Self(OTHER | (SELF_LOOP + u32::from(label)))
    }

    fn of(kind: u32, index: usize) -> Self {
        let index = u32::try_from(index).expect("the tree is pruned before");
        assert_eq!(index & KIND, 0, "the tree is pruned before");
        Self(kind | index)
    }

    /// The reference that was packed into a word.
    #[inline]
    pub(super) fn unpack(word: u64) -> Self {
        Self(u32::try_from(word).expect("a packed reference"))
    }

    /// The reference as a word of a [`PairMap`](super::pair_map::PairMap).
    #[inline]
    pub(super) fn pack(self) -> u64 {
        self.0.into()
    }

    /// The node's kind and index.
    #[inline(always)]
    pub(super) fn kind(self) -> NodeKind {
        let index = self.0 & !KIND;
        match self.0 & KIND {
            DECISION => NodeKind::Decision(index),
            DELTA => NodeKind::Delta(index),
            REDUCIBLE_DELTA => NodeKind::ReducibleDelta(index),
            CHOICE => NodeKind::Choice(index),
            _ if self == Self::NO_SUCCESSOR => NodeKind::NoSuccessor,
            _ if self == Self::UNEXPLORED => NodeKind::Unexplored,
            _ => NodeKind::SelfLoop(u16::try_from(index - SELF_LOOP).expect("made of a label")),
        }
    }
}

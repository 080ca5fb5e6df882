//! The addresses of nodes, and changes of the network between them.

/// A node's number in its world. Messages are addressed by it.
pub type NodeId = usize;

/// The links between some nodes and all others that a change applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// All of them.
    Both,
    /// Those on which the listed nodes send.
    Outgoing,
    /// Those on which the listed nodes receive.
    Incoming,
}

/// A change of the network: it applies to links between the listed nodes and all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkChange {
    /// A partition: messages between the two sides wait.
    Partition(Vec<NodeId>, Direction),
    /// A disconnection: messages between the two sides are lost.
    Disconnect(Vec<NodeId>, Direction),
    /// All links are healed.
    Heal,
}

impl Direction {
    /// Whether it has the link between two nodes, of which the first may be a listed one, the
    /// other, or both.
    #[must_use]
    pub const fn has(self, is_from_listed: bool, is_to_listed: bool) -> bool {
        match (is_from_listed, is_to_listed) {
            (true, false) => matches!(self, Self::Both | Self::Outgoing),
            (false, true) => matches!(self, Self::Both | Self::Incoming),
            (true, true) | (false, false) => false,
        }
    }
}

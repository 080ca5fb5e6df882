//! What nodes and links are called.

/// A node's number in its world. Messages are addressed by it.
pub type NodeId = usize;

/// What happens to the links between nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// These and the others are in different partitions: what they send to each other waits.
    Apart(Vec<NodeId>),
    /// These and the others have lost each other, and with it all that is on its way between them.
    Lost(Vec<NodeId>),
    /// All are in one.
    Together,
}

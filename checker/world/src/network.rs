//! The addresses of nodes, and changes of the network between them.

/// A node's number in its world. Messages are addressed by it.
pub type NodeId = usize;

/// A change of the network: it applies to links between the listed nodes and all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkChange {
    /// A partition: messages between the two sides wait.
    Partition(Vec<NodeId>),
    /// A disconnection: messages between the two sides are lost.
    Disconnect(Vec<NodeId>),
    /// All links are healed.
    Heal,
}

//! The names of budgets that a world's file and the nodes have in common.

/// The encounters of coords.
pub(crate) const MERGE: &str = "MERGE";
/// In a world with this budget coords find each other repeatedly, as long as there are several.
pub(crate) const MERGE_AGAIN: &str = "MERGE again";
/// The partitions of the network; each heals.
pub(crate) const PARTITION: &str = "partition";

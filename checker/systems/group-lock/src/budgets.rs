//! The names of budgets that a world's file and the nodes have in common.

/// Callers unlock what they do not hold.
pub(crate) const NEEDLESS_UNLOCK: &str = "needless unlock";
/// Callers lock what their member holds.
pub(crate) const NEEDLESS_LOCK: &str = "needless lock";

/// A group has another view, in which any of its members is the first.
pub(crate) const ANOTHER_VIEW: &str = "another view";
/// A MergeView begins with a member that coordinates none of the merged groups.
pub(crate) const ANOTHER_MERGE_LEADER: &str = "another merge leader";

/// A member crashes, and its process starts again.
pub(crate) const RESTART: &str = "restart";
/// A process that has started again begins a group of its own.
pub(crate) const GROUP_OF_ITS_OWN: &str = "group of its own";

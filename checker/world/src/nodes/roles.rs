//! The nodes of a World by name and role, and how the timers of roles relate.

/// A node of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name: `client 1`.
    pub name: String,
    /// Its role: `client`.
    pub role: String,
}

/// A time relation: a role's timer fires after another role's timer that is counted from the same
/// event, or after every message that can arrive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeRelation {
    /// Role and timer that come first; `None`: all messages.
    pub earlier: Option<(String, String)>,
    /// Role and timer that come later.
    pub later: (String, String),
}

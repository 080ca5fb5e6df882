//! The users of a lock at one member.

/// The users of this member that want a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockUsers {
    /// The lock's name.
    pub name: String,
    /// Whether one of them holds it.
    pub is_held: bool,
    /// How many of them wait for it.
    pub waiters: usize,
}

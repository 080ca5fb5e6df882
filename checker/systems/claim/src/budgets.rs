//! The names of budgets that a world's file and the nodes have in common.

/// The time-out of a long poll. In a world with this budget, clients long-poll.
pub(crate) const LONG_POLL: &str = "long-poll time-out";

/// An operator revokes claims. In a world with this budget, clients watch their claims.
pub(crate) const REVOCATION: &str = "revocation";

/// A stranger sends the server any request.
pub(crate) const STRANGER: &str = "request of a stranger";

/// A term of the server's cluster begins, and it restarts in place. Its clients are no nodes then:
/// the connections of a node would have to break.
pub(crate) const NEW_TERM: &str = "new term";

//! The server as a cluster: the tests of the single server that hold for both, and those of leaders
//! that change.

mod failover;
mod load;
mod members;
#[expect(clippy::duplicate_mod, reason = "the same tests, whose server is a cluster's follower")]
#[path = "protocol.rs"]
mod protocol;

pub(crate) use self::members::Members as Running;

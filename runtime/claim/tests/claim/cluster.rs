//! The server as a cluster: the tests of the single server that hold for both, and those of leaders
//! that change.

mod failover;
mod load;
mod members;
mod membership;
mod program;
mod reads;
mod replacement;
mod snapshots;

// The tests of one server, whose fixture is a follower of a cluster here.

#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "additions.rs"]
mod additions;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "browser.rs"]
mod browser;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "client.rs"]
mod client;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "owners.rs"]
mod owners;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "protocol.rs"]
mod protocol;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "quotas.rs"]
mod quotas;

pub(crate) use self::members::Members as Running;

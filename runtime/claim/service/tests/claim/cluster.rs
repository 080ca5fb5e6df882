//! The server as a cluster: the tests of the single server that hold for both, and those of leaders
//! that change.

mod clients;
mod failover;
mod health;
mod load;
mod members;
mod membership;
mod program;
mod reads;
mod replacement;
mod snapshots;
mod tls;
mod upgrade;

// The tests of one server, whose fixture is a follower of a cluster here. The others are of what
// only a single process has: its disk format, start and group commits (`commits`, `lives`, `real`,
// `restart`, `trouble`, `versions`), its trace of the core (`faults`, `history`, `replay`,
// `simulation`, `traced`), or of a client that needs no more than any server (`jobs`, `leaving`,
// `reconnect`, `terminal`); `limits` is of options and the README.

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
#[path = "clock.rs"]
mod clock;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "closing.rs"]
mod closing;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "command.rs"]
mod command;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "early.rs"]
mod early;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "guesses.rs"]
mod guesses;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "keychain.rs"]
mod keychain;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "login.rs"]
mod login;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "measured.rs"]
mod measured;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "messages.rs"]
mod messages;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "noise.rs"]
mod noise;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "owners.rs"]
mod owners;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "protocol.rs"]
mod protocol;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "quotas.rs"]
mod quotas;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "reading.rs"]
mod reading;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "slots.rs"]
mod slots;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "strict.rs"]
mod strict;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "tokens.rs"]
mod tokens;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "vanished.rs"]
mod vanished;
#[expect(clippy::duplicate_mod, reason = "the same tests of another fixture")]
#[path = "watching.rs"]
mod watching;

pub(crate) use self::members::Members as Running;

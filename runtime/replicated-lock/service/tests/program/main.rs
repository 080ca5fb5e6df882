//! The program `raftlock`: three members as processes, and commands under their locks.

#[path = "../authority/mod.rs"]
mod authority;
mod commands;
#[path = "../../../../members/raft/tests/folder/mod.rs"]
mod folder;
mod group;
mod lease;
mod members;
#[path = "../ports/mod.rs"]
mod ports;
mod restore;
mod running;
mod secure;
mod socket;

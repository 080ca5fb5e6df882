//! The program `grouplock`: members as processes, and commands under their locks.

#[path = "../../../raft/lock/tests/authority/mod.rs"]
mod authority;
mod commands;
#[path = "../../../raft/tests/folder/mod.rs"]
mod folder;
mod group;
#[path = "../../../raft/lock/tests/program/lease.rs"]
mod lease;
mod members;
#[path = "../../../raft/lock/tests/ports/mod.rs"]
mod ports;
#[path = "../../../raft/lock/tests/program/running.rs"]
mod running;
mod secure;
mod socket;
mod tokens;
mod tries;

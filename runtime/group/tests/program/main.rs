//! The program `grouplock`: members as processes, and commands under their locks.

mod commands;
#[path = "../../../raft/tests/folder/mod.rs"]
mod folder;
mod group;
mod members;
#[path = "../../../raft/lock/tests/ports/mod.rs"]
mod ports;
#[path = "../../../raft/lock/tests/program/running.rs"]
mod running;
mod secure;
mod tokens;
mod tries;

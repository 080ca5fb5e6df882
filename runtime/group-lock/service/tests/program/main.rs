//! The program `grouplock`: members as processes, and commands under their locks.

#[path = "../../../../replicated-lock/service/tests/authority/mod.rs"]
mod authority;
mod commands;
#[path = "../../../../members/raft/tests/folder/mod.rs"]
mod folder;
mod group;
#[path = "../../../../replicated-lock/service/tests/program/lease.rs"]
mod lease;
mod members;
#[path = "../../../../replicated-lock/service/tests/ports/mod.rs"]
mod ports;
#[path = "../../../../replicated-lock/service/tests/program/running.rs"]
mod running;
mod secure;
mod socket;
mod tokens;
mod tries;

//! The program `raftlock`: three members as processes, and commands under their locks.

mod commands;
mod group;
mod members;
mod restore;
mod secure;
mod socket;

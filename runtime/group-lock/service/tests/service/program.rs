//! The program `grouplock`: members as processes, and commands under their locks.

mod commands;
mod group;
mod members;
mod secure;
mod socket;
mod tokens;
mod tries;

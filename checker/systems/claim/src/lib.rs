#![doc = include_str!("../README.md")]

mod budgets;
mod claim;
mod client;
mod client_command;
mod envelope;
mod keychain;
mod monitor;
mod predicates;
mod promises;
mod requests;
mod rule;
mod server;
mod server_step;
mod store;
mod system;
mod users;
mod world;

pub use world::entry;

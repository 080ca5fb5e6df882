#![doc = include_str!("../README.md")]

mod answers;
mod budgets;
mod claim;
mod client;
mod client_command;
mod envelope;
mod keychain;
mod monitor;
mod predicates;
mod promises;
mod queue;
mod requests;
mod saves;
mod server;
mod statuses;
mod store;
mod system;
mod users;
mod world;

pub use world::entry;

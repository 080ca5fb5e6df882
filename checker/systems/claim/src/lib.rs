#![doc = include_str!("../README.md")]

mod client;
mod envelope;
mod keychain;
mod monitor;
mod predicates;
mod queue;
mod server;
mod store;
mod system;
mod users;
mod world;

pub use world::ENTRY;

#![doc = include_str!("../README.md")]

mod chain;
mod client;
mod letter;
mod past;
mod predicates;
mod queue;
mod seats;
mod server;
mod store;
mod system;
mod world;

pub use world::ENTRY;

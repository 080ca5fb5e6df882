//! The claim system: clients of one resource, the claim server, and a store behind the lock.
//!
//! Wiring and predicates only; what the nodes do is turnstile-core's. The worlds, budgets and
//! properties stand in `spec/systems/claim.yaml`.

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

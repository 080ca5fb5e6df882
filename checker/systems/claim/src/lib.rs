//! The claim system: clients of one resource, the claim server, and a store behind the lock.
//!
//! Wiring and predicates only; what the nodes do is turnstile-core's. The worlds, budgets and
//! properties stand in `spec/systems/claim.yaml`.

mod chain;
mod cores;
mod past;
mod predicates;
mod queue;
mod seats;
mod system;
pub mod types;
mod words;
mod world;

pub use crate::types::{
    Chain, ClaimTypes, Command, Ended, Lessee, Letter, Monitor, Notice, Office, Past, Saved, State,
    Timer, Way,
};
pub use system::{Claim, ClientRules, RecordRules};
use system::{FRESH_KEY, RESOURCE};
pub use world::ENTRY;

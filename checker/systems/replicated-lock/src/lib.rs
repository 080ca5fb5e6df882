//! The replicated lock service, wired: members that apply an agreed log, and what stands for the
//! cluster. Worlds and properties stand in `spec/systems/replicated-lock.yaml`.

mod cluster;
mod delivered;
mod facts;
mod mail;
mod nodes;
mod order;
mod past;
mod predicates;
mod system;
mod threads;
mod words;
mod world;

pub use system::{MemberRules, MutexRules, Replicated, StatusRules};
pub use world::ENTRY;

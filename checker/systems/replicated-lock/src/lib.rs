#![doc = include_str!("../README.md")]

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

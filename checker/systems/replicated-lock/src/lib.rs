#![doc = include_str!("../README.md")]

mod act_history;
mod cluster;
mod delivered;
mod envelope;
mod facts;
mod log_service;
mod mutex_step;
mod nodes;
mod postconditions;
mod predicates;
mod system;
mod words;
mod world;

pub use system::{MemberRules, MutexRules, Replicated, StatusRules};
pub use world::entry;

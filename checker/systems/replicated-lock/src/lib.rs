#![doc = include_str!("../README.md")]

mod act_history;
mod cluster;
mod delivered;
mod envelope;
mod facts;
mod log_service;
mod member_state;
mod mutex_step;
mod nodes;
pub mod postconditions;
mod predicates;
mod replicated;
#[expect(missing_docs, reason = "a rule is its sentence")]
pub mod rule;
mod system;
mod words;
mod world;

pub use replicated::{MemberRules, MutexRules, Replicated, StatusRules};
pub use world::entry;

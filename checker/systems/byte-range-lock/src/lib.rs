#![doc = include_str!("../README.md")]

mod answer_check;
mod host_locks;
pub mod isolation;
mod monitor;
mod nodes;
mod predicates;
mod ranges;
mod reassertion;
mod rule;
mod server_check;
mod step_check;
mod system;
mod world;

use ranges::{BYTES, FIRST, HOST, MANAGER, SERVER};
pub use ranges::{LockRules, Ranges, ServerRules};
pub use world::entry;

#![doc = include_str!("../README.md")]

mod apart;
mod asserted;
mod kept;
mod nodes;
mod past;
mod predicates;
mod ranges;
mod system;
mod told;
mod world;

use ranges::{BYTES, FIRST, HOST, MANAGER, SERVER};
pub use ranges::{LockRules, Ranges, ServerRules};
pub use world::ENTRY;

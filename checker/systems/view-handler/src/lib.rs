#![doc = include_str!("../README.md")]

mod facts;
mod monitor;
mod network;
mod nodes;
mod predicates;
mod system;
pub mod words;
mod world;

pub use network::NetworkNode;
pub use nodes::is_exclusion;
use system::member;
pub use system::{Assumptions, HandlerRules, Views};
pub use world::entry;

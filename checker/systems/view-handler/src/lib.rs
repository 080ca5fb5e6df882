#![doc = include_str!("../README.md")]

mod facts;
mod network;
mod nodes;
mod past;
mod predicates;
mod system;
pub mod words;
mod world;

pub use network::NetworkNode;
use system::member;
pub use system::{HandlerRules, Terms, Views};
pub use world::ENTRY;

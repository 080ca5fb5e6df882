#![doc = include_str!("../README.md")]

mod beneath;
mod facts;
mod founded;
mod membership;
mod nodes;
mod predicates;
mod queue;
mod seat;
mod seat_node;
mod system;
mod world;

use system::{member, node};
pub use world::ENTRY;

#![doc = include_str!("../README.md")]

mod facts;
mod fifo;
mod formed;
mod lower_layer;
mod member_node;
mod member_state;
mod membership;
mod nodes;
mod predicates;
mod step_check;
mod system;
mod world;

use system::{member, node};
pub use world::entry;

#![doc = include_str!("../README.md")]

mod budgets;
mod facts;
mod fifo;
mod formed;
mod forming;
mod group_lock;
mod layer_message;
mod lower_layer;
mod member_node;
mod member_state;
mod membership;
mod nodes;
mod predicates;
mod rule;
mod step_check;
mod system;
mod world;

pub use world::entry;

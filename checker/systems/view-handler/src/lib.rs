#![doc = include_str!("../README.md")]

mod budgets;
mod facts;
mod monitor;
mod network;
mod nodes;
mod predicates;
mod rule;
mod system;
mod views;
pub mod words;
mod world;

pub use network::{NetworkNode, cut};
pub use nodes::is_exclusion;
use views::member;
pub use views::{Assumptions, HandlerRules, Views};
pub use world::entry;

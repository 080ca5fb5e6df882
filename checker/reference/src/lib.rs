#![doc = include_str!("../README.md")]

mod check;
mod explore;
mod graph;
mod model;

pub use check::check;
pub use explore::{explore, explore_table};
pub use model::{Model, TooManyProperties};

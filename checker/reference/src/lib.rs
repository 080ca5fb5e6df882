#![doc = include_str!("../README.md")]

mod check;
mod explore;
mod graph;
mod model;

pub use check::check;
pub use explore::explore;
pub use model::{Model, TooManyProperties};

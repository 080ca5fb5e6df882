//! Stateright over the same worlds and tables: the reference that the searches are held against,
//! and its Explorer.

mod check;
mod explore;
mod graph;
mod model;

pub use check::check;
pub use explore::{explore, explore_table};
pub use model::{Model, TooMany};

//! The searches over a World.

pub mod reference;

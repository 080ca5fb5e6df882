#![doc = include_str!("../README.md")]

mod edges;
pub mod parts;
mod states;
#[cfg(feature = "tables")]
mod tables;
#[cfg(feature = "world")]
mod world;

pub use edges::{Edge, EdgeGraph};
pub use states::states;
#[cfg(feature = "tables")]
pub use tables::tables;
#[cfg(feature = "world")]
pub use world::world;

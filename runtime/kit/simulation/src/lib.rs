#![doc = include_str!("../README.md")]

mod folder;
mod near;
#[cfg(feature = "network")]
mod ports;
mod running;
pub mod steps;
#[cfg(feature = "network")]
mod streams;
pub mod visit;

pub use folder::Folder;
pub use near::near;
#[cfg(feature = "network")]
pub use ports::free_port;
pub use running::Running;
#[cfg(feature = "network")]
pub use streams::{Dialer, Listener};

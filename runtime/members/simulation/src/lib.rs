#![doc = include_str!("../README.md")]

mod authority;
#[cfg(feature = "raft")]
pub mod cluster;
pub mod lease;
#[cfg(feature = "raft")]
pub mod loss;
#[cfg(feature = "raft")]
pub mod net;

pub use authority::Authority;

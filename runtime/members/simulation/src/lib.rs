#![doc = include_str!("../README.md")]

mod authority;
#[cfg(feature = "raft")]
pub mod cluster;
pub mod counts;
#[cfg(feature = "raft")]
pub mod fault_injection;
#[cfg(feature = "raft")]
pub mod faults;
pub mod lease;
#[cfg(feature = "raft")]
pub mod loss;
#[cfg(feature = "raft")]
pub mod net;
pub mod run;

pub use authority::Authority;

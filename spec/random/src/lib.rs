#![doc = include_str!("../README.md")]

mod cases;
mod parallel;
pub mod seeds;

pub use cases::cases;
pub use parallel::in_parallel;

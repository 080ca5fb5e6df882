#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod consistency;
mod display;
mod interval_index;
pub mod locks;
pub mod manager;
pub mod message;
pub mod number;
mod range;
pub mod scenario;
pub mod server;
mod sweep;

pub use interval_index::{IntervalIndex, OverlapIter};
pub use range::{ByteRange, RangeError};

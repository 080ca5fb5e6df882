#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod claim;
pub mod fence;
pub mod group;
pub mod lease;
pub mod never;
pub mod number;
pub mod ranges;
pub mod replicated;
pub mod scenario;
#[cfg(feature = "serde")]
mod serde_names;
pub mod stack;
pub mod view;

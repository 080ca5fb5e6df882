#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod claim;
pub mod fence;
pub mod group;
#[cfg(feature = "serde")]
mod named;
pub mod number;
pub mod ranges;
pub mod replicated;
pub mod scenario;
pub mod stack;
pub mod view;

//! Sans-IO cores: plain values that take one input in one atomic step and answer with effects.
//!
//! A core reads no clock, draws no random number, does no input or output and spawns nothing.
//! The driver and the checker are two interpreters of the same [`Effect`]s.
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

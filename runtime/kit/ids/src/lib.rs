#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

pub mod fence;
pub mod lease;
pub mod never;
pub mod number;
#[cfg(feature = "serde")]
pub mod serde_names;

/// What the expansion of [`numbers!`] names.
#[doc(hidden)]
pub use turnstile_step as step;

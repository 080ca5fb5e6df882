//! What a sans-IO core is: a plain value that takes one input in one atomic step and answers with
//! effects.
//!
//! A core reads no clock, draws no random number, does no input or output and spawns nothing.
//! Services and the checker are two interpreters of the same [`Effect`]s; neither knows a protocol.
//!
//! With the feature `serde`, inputs and effects are serde types where those of the core are.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate self as turnstile_step;

mod outcome;
#[cfg(feature = "serde")]
mod restart;
mod step;
mod symbolic;

pub use outcome::{RowOutcome, take};
pub use step::{Core, Effect, EffectOf, Input, InputOf, Out, OutOf};
pub use symbolic::{IdClass, Order, Symbolic};
#[doc(no_inline)]
pub use turnstile_step_derive::Symbolic;

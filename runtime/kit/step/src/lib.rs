#![doc = include_str!("../README.md")]
#![no_std]

extern crate alloc;

mod outcome;
#[cfg(feature = "serde")]
mod restart;
mod step;
mod symbolic;

pub use outcome::{MachineStep, RowOutcome, settle_machine, step_machine};
pub use step::{Core, Effect, EffectOf, Input, InputOf, Out, OutOf};
pub use symbolic::{IdClass, Order, Symbolic};
#[doc(no_inline)]
pub use turnstile_step_derive::Symbolic;

/// The example of turnstile-step-derive, which cannot use this crate: it would be compiled once
/// more, as part of a macro.
#[cfg(doctest)]
#[doc = include_str!("../derive/README.md")]
struct DeriveReadme;

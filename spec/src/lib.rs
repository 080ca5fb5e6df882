#![doc = include_str!("../README.md")]
//!
//! # Design
//!
//! A text becomes a [`Literal`] (the document's words, with its findings) and from it a [`Sound`]
//! table (amended, without findings). Only this crate builds either. It knows no Rust syntax, no
//! runtime and no checker: everything else in Turnstile hangs on what stands in [`table`].

mod camel;
pub mod code;
pub mod explain;
pub mod fault;
pub mod formula;
mod language;
mod likeness;
pub mod limit;
mod lint;
pub mod literal;
#[cfg(feature = "schema")]
pub mod page;
pub mod places;
mod raw;
mod read;
#[cfg(feature = "schema")]
pub mod schema;
mod shape;
#[cfg(test)]
mod slips;
mod sorted;
pub mod source;
#[cfg(feature = "systems")]
pub mod system;
pub mod table;
mod yaml;

pub use camel::camel;
pub use fault::{Fault, Faults, Severity};
pub use likeness::nearest;
pub use literal::{Literal, Sound};
pub use source::Source;
#[cfg(feature = "systems")]
pub use system::System;
pub use table::Table;

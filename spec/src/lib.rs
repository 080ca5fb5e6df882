//! The table language: YAML that reads like a design document's transition table, and its reader.
//!
//! A text becomes a [`Literal`] (the document's words, with its findings) and from it a [`Sound`]
//! table (amended, without findings). Only this crate builds either. It knows no Rust syntax, no
//! runtime and no checker: everything else in Turnstile hangs on what stands in [`table`].

pub mod fault;
pub mod table;

pub use fault::{Fault, Severity};
pub use table::Table;

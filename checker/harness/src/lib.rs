#![doc = include_str!("../README.md")]

pub mod amend;
pub mod check;
mod coverage;
pub mod entry;
pub mod fault;
mod fit;
pub mod mutate;
pub mod noted;
pub mod options;
mod plan;
pub mod read;
pub mod result;
pub mod rules;
pub mod status;
pub mod table;
pub mod whole;

pub use entry::{Embedded, Entry, SystemSpec, Systems};
pub use plan::Plan;

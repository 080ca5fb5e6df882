#![doc = include_str!("../README.md")]

pub mod all_worlds;
pub mod amend;
pub mod check;
mod choice;
mod compatibility;
pub mod composed;
mod coverage;
pub mod fault;
pub mod mutate;
pub mod observations;
pub mod options;
pub mod parallel;
mod places;
pub mod plain;
mod plan;
pub mod read;
mod reads;
pub mod registry;
pub mod result;
pub mod retrace;
pub mod rules;
pub mod status;
pub mod table;

pub use plan::Plan;
pub use registry::{Embedded, SystemEntry, SystemSpec, Systems};

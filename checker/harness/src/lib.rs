#![doc = include_str!("../README.md")]

pub mod all_worlds;
pub mod amend;
pub mod check;
mod compatibility;
pub mod composed;
pub mod mutate;
pub mod options;
pub mod parallel;
pub mod plain;
mod plan;
pub mod registry;
pub mod results;
pub mod retrace;
mod system_spec;
pub mod table;
pub mod tables;

pub use crate::tables::source_file::SourceFile;
pub use plan::Plan;
pub use registry::{Embedded, MachineTable, SystemEntry, SystemSpec, Systems};

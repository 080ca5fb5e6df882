#![doc = include_str!("../README.md")]

pub mod all_worlds;
pub mod amend;
pub mod check;
mod choice;
mod compatibility;
pub mod composed;
mod coverage;
mod embedded;
pub mod fault;
mod machine_table;
pub mod mutate;
pub mod observations;
pub mod options;
pub mod parallel;
mod places;
pub mod plain;
mod plan;
mod reads;
pub mod registry;
pub mod result;
pub mod retrace;
pub mod rules;
mod source_file;
pub mod status;
mod system_spec;
pub mod table;

pub use plan::Plan;
pub use registry::{Embedded, MachineTable, SystemEntry, SystemSpec, Systems};
pub use source_file::SourceFile;

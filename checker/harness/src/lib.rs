//! What a system of cores is checked with: worlds and properties from its file, verdicts, coverage,
//! amendments that are left out, mutants; and a table alone, in the environment of its resources.

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

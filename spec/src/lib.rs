#![doc = include_str!("../README.md")]
//!
//! # Design
//!
//! A file is read as a [`WrittenTable`] table (as written, with findings), and from it comes the
//! [`AmendedTable`] table (amended, without findings). Only this crate builds either. It does not
//! depend on the code generator, the runtime or the checker; all of them use the types of
//! [`table`].

mod camel;
mod cell_entry;
pub mod cell_index;
pub mod diagnostic;
mod event;
#[cfg(feature = "systems")]
pub mod file;
pub mod formula;
pub mod guard_values;
pub mod language;
pub mod limit;
mod lint;
mod name;
mod raw;
mod read;
pub mod scalar;
pub mod source;
mod span;
#[cfg(feature = "systems")]
pub mod system;
pub mod table;
mod variable;
mod vec_map;
pub mod versions;
mod yaml;

pub use crate::diagnostic::similarity::nearest;
pub use camel::camel;
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
#[cfg(feature = "systems")]
pub use file::File;
pub use source::Source;
#[cfg(feature = "systems")]
pub use system::System;
pub use table::Table;
pub use versions::{AmendedTable, WrittenTable};

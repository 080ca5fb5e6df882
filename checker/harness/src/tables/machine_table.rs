//! The table that a machine of a system runs, with its file.

use std::sync::Arc;

use crate::tables::source_file::SourceFile;

/// A table that a system runs.
#[derive(Clone, Debug)]
pub struct MachineTable {
    /// The name of its machine.
    pub machine: String,
    /// Its file.
    pub file: Arc<SourceFile>,
}

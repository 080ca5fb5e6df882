//! A file of which nobody has said whether it is a table or a system.

use crate::diagnostic::Diagnostics;
use crate::source::Source;
use crate::system::System;
use crate::versions::WrittenTable;
use crate::yaml;

/// A file, read as what it is.
#[derive(Clone, Debug)]
pub enum File {
    /// A table, or neither.
    Table(Box<Result<WrittenTable, Diagnostics>>),
    /// A system: its outermost mapping has the key `system`.
    System(Box<Result<System, Diagnostics>>),
}

impl File {
    /// Reads a text, which is parsed once.
    #[must_use]
    pub fn read(source: Source) -> Self {
        let tree = yaml::parse(&source);
        if tree.has("system") {
            Self::System(Box::new(System::of(source, tree)))
        } else {
            Self::Table(Box::new(WrittenTable::of(source, tree)))
        }
    }
}

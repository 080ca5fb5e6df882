//! The lint passes, one a file: each looks at a whole table and adds what it finds. None changes it.

mod undeclared;

use crate::fault::Fault;
use crate::raw;
use crate::read::draft::Lookup;
use crate::table::Table;

/// What the passes look at: the words, the names and the table built from them.
pub(crate) struct Subject<'a> {
    /// The file.
    pub(crate) raw: &'a raw::Table,
    /// The declarations and rows of this table, and all names.
    pub(crate) lookup: &'a Lookup<'a>,
    /// What was built from them.
    pub(crate) table: &'a Table,
    /// Whether the amendments are in it.
    pub(crate) is_amended: bool,
}

/// What stops the reader although every shape is right.
pub(crate) fn errors(_raw: &raw::Table, _faults: &mut Vec<Fault>) {}

/// What is wrong with a table that can be built.
pub(crate) fn findings(subject: &Subject<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    for pass in [undeclared::check] {
        pass(subject, &mut faults);
    }
    faults
}

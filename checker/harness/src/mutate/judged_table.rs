//! A table whose mutants are judged, and the options that put one of them in its place.

use std::sync::Arc;

use turnstile_spec::table::Table;
use turnstile_spec::{AmendedTable, WrittenTable};

use super::every::Only;
use crate::options::{Options, Replacement};
use crate::tables::rules::replacement;

/// The table whose mutants are judged.
pub(super) struct Judge<'a> {
    pub(super) literal: &'a WrittenTable,
    pub(super) sound: &'a AmendedTable,
    pub(super) options: &'a Options<'a>,
    /// Whether recordings are reused, instead of a search from nothing for each mutant.
    pub(super) does_reuse: bool,
    /// The mutants that are judged.
    pub(super) only: &'a Only,
}

impl<'a> Judge<'a> {
    /// The options, with another table in place of this one.
    pub(super) fn options(&self, table: Arc<Table>) -> Options<'a> {
        let Options { tables, .. } = self.options;
        let unchanged = replacement(tables, &self.sound.vocabulary.machine);
        let unchanged = unchanged.expect("every judged table is among them").clone();
        let replaced = Replacement { table, ..unchanged };
        let others = tables.iter().cloned();
        let tables = std::iter::once(replaced).chain(others).collect();
        Options { tables, ..self.options.clone() }
    }
}

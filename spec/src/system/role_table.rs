//! A role of a system of tables, with its table.

use crate::system::{Count, Role};
use crate::table::{EventId, Table, Vocabulary};

/// A role with the names of its table.
#[derive(Clone, Copy, Debug)]
pub struct RoleTable<'a> {
    /// The role.
    pub role: &'a Role,
    /// The names of its table.
    pub vocabulary: &'a Vocabulary,
    /// Its table.
    pub table: &'a Table,
    /// Whether it has one node in every world.
    pub is_one: bool,
}

impl<'a> RoleTable<'a> {
    /// A role with the names of its table.
    #[must_use]
    pub fn new(role: &'a Role, (vocabulary, table): (&'a Vocabulary, &'a Table)) -> Self {
        Self { role, vocabulary, table, is_one: role.count == Count::Number(1) }
    }

    /// An event of its table.
    #[must_use]
    pub fn event(&self, name: &str) -> Option<EventId> {
        let place = self.vocabulary.events.iter().position(|event| event.name.name == name)?;
        u16::try_from(place).ok().map(EventId)
    }
}

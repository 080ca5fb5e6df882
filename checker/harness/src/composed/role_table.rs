//! The table of a role: its path, as the system's file names it, and its file.

use std::path::Path;

use turnstile_spec::system::{Role, System};

use crate::registry::{MachineTable, SystemEntry};

/// The path of a role's table, as seen from where the system's is.
#[must_use]
pub fn table_path(system: &System, role: &Role) -> String {
    let folder = Path::new(&system.source.name).parent().unwrap_or(Path::new(""));
    folder.join(role.table.as_deref().unwrap_or_default()).display().to_string()
}

/// The table of a role.
pub(super) fn table_of<'e>(
    entry: &'e SystemEntry,
    system: &System,
    role: &Role,
) -> &'e MachineTable {
    let path = table_path(system, role);
    let mut tables = entry.tables.iter();
    tables.find(|table| table.file.source.name == path).expect("it was read with its system")
}

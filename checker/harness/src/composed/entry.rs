//! A system of tables from its files, as the command line has systems.

use std::path::Path;
use std::sync::Arc;

use turnstile_spec::Diagnostics;
use turnstile_spec::system::composition::Composition;
use turnstile_spec::system::{Role, System};
use turnstile_spec::table::EventKind;

use crate::fault::FaultReport;
use crate::options::Refusal;
use crate::registry::{MachineTable, SystemEntry};
use crate::source_file::SourceFile;

use super::world::world;

const FILE: &str = "name the file of a table, from this file's folder: `table: door.yaml`";

/// The system of a file whose roles run tables. `table` finds the file of a path.
///
/// # Errors
///
/// Files that cannot be read, and names that do not fit.
pub fn entry(
    file: &Arc<SourceFile>,
    table: impl Fn(&Path) -> Result<Arc<SourceFile>, String>,
) -> Result<SystemEntry, Refusal> {
    let system = file.system().map_err(refused)?;
    let mut tables: Vec<MachineTable> = Vec::new();
    let mut calls: Vec<String> = Vec::new();
    let mut of_roles = Vec::new();
    for role in &system.roles {
        let file = table(Path::new(&table_path(system, role))).map_err(|what| {
            let fault = FaultReport::not_runnable(&system.source, role.span, &what, FILE);
            Refusal::Faults(vec![fault])
        })?;
        of_roles.push(Arc::clone(&file));
        if tables.iter().any(|known| known.file.source.name == file.source.name) {
            continue;
        }
        let words = &file.written().map_err(refused)?.vocabulary;
        let commands = words.events.iter().filter(|event| event.kind == EventKind::Command);
        calls.extend(commands.map(|event| event.name.name.clone()));
        let machine = words.machine.clone();
        tables.push(MachineTable { machine, file });
    }
    let mut written = Vec::new();
    for file in &of_roles {
        let table = file.written().map_err(refused)?;
        written.push((&table.vocabulary, &table.table));
    }
    Composition::new(system, &written).map_err(|faults| refused(&faults))?;
    Ok(SystemEntry::of_tables((&system.name, file), tables, calls, world))
}

pub(super) fn refused(faults: &Diagnostics) -> Refusal {
    Refusal::Faults(FaultReport::errors(faults))
}

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

//! A system of tables from its files, as the command line has systems.

use std::path::Path;
use std::sync::Arc;

use turnstile_spec::system::composition::Composition;
use turnstile_spec::table::EventKind;

use crate::options::Refusal;
use crate::registry::{MachineTable, SystemEntry};
use crate::results::fault::FaultReport;
use crate::tables::source_file::SourceFile;

use super::role_table::table_path;
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
    let system = file.system().map_err(Refusal::of_files)?;
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
        let words = &file.written().map_err(Refusal::of_files)?.vocabulary;
        let commands = words.events.iter().filter(|event| event.kind == EventKind::Command);
        calls.extend(commands.map(|event| event.name.name.clone()));
        let machine = words.machine.clone();
        tables.push(MachineTable { machine, file });
    }
    let mut written = Vec::new();
    for file in &of_roles {
        let table = file.written().map_err(Refusal::of_files)?;
        written.push((&table.vocabulary, &table.table));
    }
    Composition::new(system, &written).map_err(|faults| Refusal::of_files(&faults))?;
    Ok(SystemEntry::of_tables((&system.name, file), tables, calls, world))
}

//! A system of tables from its files, as the command line has systems.

use std::path::Path;

use turnstile_spec::system::composition::Composition;
use turnstile_spec::system::{Role, System};
use turnstile_spec::table::EventKind;
use turnstile_spec::{Diagnostics, Source};

use crate::fault::FaultReport;
use crate::options::Refusal;
use crate::read;
use crate::registry::{Embedded, SystemEntry};

use super::world::world;

const FILE: &str = "name the file of a table, from this file's folder: `table: door.yaml`";

/// The system of a file whose roles run tables. `text` reads a file. It is kept for the life of the
/// process.
///
/// # Errors
///
/// Files that cannot be read, and names that do not fit.
pub fn entry(
    system: &System,
    text: impl Fn(&Path) -> Result<Source, String>,
) -> Result<&'static SystemEntry, Refusal> {
    let mut tables: Vec<Embedded> = Vec::new();
    let mut files = Vec::new();
    let mut calls: Vec<&'static str> = Vec::new();
    for role in &system.roles {
        let file = path(system, role);
        if files.contains(&file) {
            continue;
        }
        let source = text(Path::new(&file)).map_err(|what| {
            let fault = FaultReport::not_runnable(&system.source, role.span, &what, FILE);
            Refusal::Faults(vec![fault])
        })?;
        let written = read::literal(&source).map_err(refused)?;
        let events = written.vocabulary.events.iter();
        let commands = events.filter(|event| event.kind == EventKind::Command);
        calls.extend(commands.map(|event| &*String::leak(event.name.name.clone())));
        tables.push(Embedded {
            name: String::leak(written.vocabulary.machine.clone()),
            file: String::leak(file.clone()),
            text: String::leak(source.text),
        });
        files.push(file);
    }
    let entry = SystemEntry::of_tables(
        Embedded {
            name: String::leak(system.name.clone()),
            file: String::leak(system.source.name.clone()),
            text: String::leak(system.source.text.clone()),
        },
        Vec::leak(tables),
        Vec::leak(calls),
        world,
    );
    let mut read_tables = Vec::new();
    for role in &system.roles {
        let table = read::literal(&table_of(&entry, system, role).source()).map_err(refused)?;
        read_tables.push(table);
    }
    let tables = read_tables.iter().map(|table| (&table.vocabulary, &table.table));
    Composition::new(system, &tables.collect::<Vec<_>>()).map_err(refused)?;
    Ok(Box::leak(Box::new(entry)))
}

pub(super) fn refused(faults: Diagnostics) -> Refusal {
    Refusal::Faults(FaultReport::errors(&faults))
}

/// The file of a role's table.
fn path(system: &System, role: &Role) -> String {
    let folder = Path::new(&system.source.name).parent().unwrap_or(Path::new(""));
    folder.join(role.table.as_deref().unwrap_or_default()).display().to_string()
}

/// The table of a role.
pub(super) fn table_of<'e>(entry: &'e SystemEntry, system: &System, role: &Role) -> &'e Embedded {
    let file = path(system, role);
    entry.tables.iter().find(|table| table.file == file).expect("it was read with its system")
}

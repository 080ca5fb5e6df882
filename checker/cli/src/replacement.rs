//! Tables that run through shipped cores in place of the compiled ones.

use std::sync::Arc;

use turnstile_harness::options::Replacement;
use turnstile_harness::results::fault::FaultReport;
use turnstile_harness::{MachineTable, SourceFile, SystemEntry};

use super::library::{Library, Origin};

/// The file of a machine's table, and whether it is another one than was compiled. `named`: a file
/// that is checked in place of that of its machine.
pub(crate) fn file_of<'f>(
    own: &'f MachineTable,
    entry: &SystemEntry,
    named: Option<&'f Arc<SourceFile>>,
    library: &'f Library,
) -> (&'f Arc<SourceFile>, bool) {
    let is_it = |file: &&Arc<SourceFile>| {
        file.written().is_ok_and(|literal| literal.vocabulary.machine == own.machine)
    };
    if let Some(file) = named.filter(is_it) {
        return (file, true);
    }
    // A table of one's own may have the name of a bundled one.
    let mut of_library = library.tables.iter().filter(|_| !entry.is_of_tables());
    let of_library = of_library.find(|one| one.file.name == own.machine);
    of_library.map_or((&own.file, false), |one| (&one.file, one.origin == Origin::Other))
}

/// The tables that run in place of compiled ones: all of them as written, otherwise those that
/// are not what was compiled.
pub(crate) fn tables(
    entry: &SystemEntry,
    table: Option<&Arc<SourceFile>>,
    library: &Library,
    as_written: bool,
) -> Result<Vec<Replacement>, Vec<FaultReport>> {
    let mut replacements = Vec::new();
    for own in &entry.tables {
        let (file, is_other) = file_of(own, entry, table, library);
        if !as_written && !is_other {
            continue;
        }
        let literal = file.written().map_err(FaultReport::errors)?;
        let table = if as_written {
            // Without one state to begin in no core can run it.
            let faults = FaultReport::as_written(&literal.findings, &literal.source);
            let errors = faults.into_iter().filter(FaultReport::is_error);
            let errors: Vec<FaultReport> = errors.collect();
            if !errors.is_empty() {
                return Err(errors);
            }
            literal.table.clone()
        } else {
            file.amended().map_err(FaultReport::errors)?.table.clone()
        };
        let (vocabulary, source) = (literal.vocabulary.clone(), file.source.clone());
        replacements.push(Replacement::new(vocabulary, table, source));
    }
    Ok(replacements)
}

//! Tables that run through shipped cores in place of the compiled ones.

use std::sync::Arc;

use turnstile_harness::fault::FaultReport;
use turnstile_harness::options::Replacement;
use turnstile_harness::{SourceFile, SystemEntry};

use super::library::{Library, Origin};

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
        let machine = &own.machine;
        let is_it = |file: &&Arc<SourceFile>| {
            file.written().is_ok_and(|literal| literal.vocabulary.machine == *machine)
        };
        // A table of one's own may have the name of a bundled one.
        let of_library = match entry.is_of_tables() {
            true => Some((&own.file, false)),
            false => library
                .tables
                .iter()
                .find(|one| one.file.name == *machine)
                .map(|one| (&one.file, one.origin == Origin::Other)),
        };
        let named = table.filter(is_it).map(|file| (file, true));
        let Some((file, is_other)) = named.or(of_library) else { continue };
        if !as_written && !is_other {
            continue;
        }
        let literal = file.written().map_err(FaultReport::errors)?;
        let table = if as_written {
            // Without one state to begin in no core can run it.
            let faults = FaultReport::as_written(&literal.findings, &literal.source);
            let errors = faults.into_iter().filter(|fault| fault.severity == "error");
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

//! Tables that run through shipped cores in place of the compiled ones.

use turnstile_harness::SystemEntry;
use turnstile_harness::fault::FaultReport;
use turnstile_harness::options::Replacement;
use turnstile_harness::read;

use super::library::{Library, Origin, SourceFile};

/// The tables that run in place of compiled ones: all of them as written, otherwise those that
/// are not what was compiled.
pub(crate) fn tables(
    entry: &SystemEntry,
    table: Option<&SourceFile>,
    library: &Library,
    as_written: bool,
) -> Result<Vec<Replacement>, Vec<FaultReport>> {
    let mut replacements = Vec::new();
    for own in entry.tables {
        let machine = own.name;
        // A table of one's own may have the name of a bundled one.
        let read_beside = entry.is_of_tables().then(|| SourceFile {
            name: machine.to_owned(),
            source: own.source(),
            origin: Origin::Same,
        });
        let of_library = read_beside
            .as_ref()
            .or_else(|| library.tables.iter().find(|text| text.name == machine));
        let named = table.and_then(|text| {
            read::literal(&text.source)
                .is_ok_and(|literal| literal.vocabulary.machine == machine)
                .then_some(text)
        });
        let Some(text) = named.or(of_library) else { continue };
        if !as_written && text.origin != Origin::Other {
            continue;
        }
        let literal = read::literal(&text.source).map_err(|faults| FaultReport::errors(&faults))?;
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
            let sound = read::sound(&text.source);
            sound.map_err(|faults| FaultReport::errors(&faults))?.table.clone()
        };
        let (vocabulary, source) = (literal.vocabulary.clone(), text.source.clone());
        replacements.push(Replacement::new(vocabulary, table, source));
    }
    Ok(replacements)
}

//! Systems of tables that are named on the command line: their tables are read beside them.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{LazyLock, Mutex, PoisonError};

use turnstile_harness::fault::FaultReport;
use turnstile_harness::options::Refusal;
use turnstile_harness::{SystemEntry, composed, read};
use turnstile_spec::{Source, System};

use crate::library;

pub(crate) type Read = Result<&'static SystemEntry, Vec<FaultReport>>;

/// The systems read so far.
static READ: LazyLock<Mutex<HashMap<Source, Read>>> = LazyLock::new(Mutex::default);

/// Reads every file again from now on.
pub(crate) fn forget() {
    library::forget();
    READ.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// The system of a file whose roles run tables; each file is read once a check.
pub(crate) fn entry(system: &System) -> Read {
    let mut all = READ.lock().unwrap_or_else(PoisonError::into_inner);
    all.entry(system.source.clone())
        .or_insert_with(|| {
            composed::entry(system, |path: &Path| Ok(library::read(path)?.source)).map_err(
                |refusal| match refusal {
                    Refusal::Faults(faults) => faults,
                    Refusal::Usage(what) => {
                        vec![FaultReport::not_runnable(
                            &system.source,
                            system.span,
                            &what,
                            "change the file",
                        )]
                    }
                },
            )
        })
        .clone()
}

/// The same, for a file that may be of another system: then nothing.
pub(crate) fn of_tables(system: &System) -> Option<Read> {
    system.is_of_tables().then(|| entry(system))
}

/// The tables of a system file; none if it is another file.
pub(crate) fn tables_beside(file: &str) -> Vec<String> {
    let Ok(text) = library::read(Path::new(file)) else { return Vec::new() };
    let Ok(system) = read::system(&text.source) else { return Vec::new() };
    let folder = Path::new(file).parent().unwrap_or(Path::new(""));
    let tables = system.roles.iter().filter_map(|role| role.table.as_ref());
    tables.map(|table| folder.join(table).display().to_string()).collect()
}

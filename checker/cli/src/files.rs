//! The files of one command. Each is opened and parsed once, so that all of the command is about
//! the same text, and a file may be a pipe.

use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::{fs, io};

use turnstile_harness::options::Refusal;
use turnstile_harness::results::fault::FaultReport;
use turnstile_harness::{SourceFile, SystemEntry, composed};
use turnstile_spec::{Source, limit};

/// A file under each of the names by which it was asked for, or why it cannot be read.
type NamedFiles = Result<Vec<Arc<SourceFile>>, String>;

/// A system of tables, or its errors.
type TableSystem = Result<Arc<SystemEntry>, Vec<FaultReport>>;

/// The files that were named on the command line, or by another one.
#[derive(Debug, Default)]
pub(crate) struct Files {
    /// By place, or by name where it is no file that stays: a pipe.
    read: Mutex<HashMap<PathBuf, NamedFiles>>,
    /// The systems of tables, by the names of their files.
    systems: Mutex<HashMap<String, TableSystem>>,
}

impl Files {
    /// A file.
    pub(crate) fn read(&self, path: &Path) -> Result<Arc<SourceFile>, String> {
        let place = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let shown = path.display().to_string();
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let stem =
            || path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
        let known = read.entry(place).or_insert_with(|| {
            let source = Source::new(&*shown, text(path, limit::FILE_BYTES)?);
            Ok(vec![Arc::new(SourceFile::new(stem(), source))])
        });
        let known = known.as_mut().map_err(|error| error.clone())?;
        if let Some(file) = known.iter().find(|file| file.source.name == shown) {
            return Ok(Arc::clone(file));
        }
        let file = Arc::new(known[0].renamed(stem(), &shown));
        known.push(Arc::clone(&file));
        Ok(file)
    }

    /// The system of a file whose roles run tables; nothing if it is another file.
    pub(crate) fn table_system(&self, file: &Arc<SourceFile>) -> Option<TableSystem> {
        let system = file.system().ok().filter(|system| system.is_of_tables())?;
        let mut systems = self.systems.lock().unwrap_or_else(PoisonError::into_inner);
        let known = systems.entry(file.source.name.clone()).or_insert_with(|| {
            let entry = composed::entry(file, |path: &Path| self.read(path));
            entry.map(Arc::new).map_err(|refusal| match refusal {
                Refusal::Faults(faults) => faults,
                Refusal::Usage(what) => {
                    let (source, span) = (&system.source, system.span);
                    vec![FaultReport::not_runnable(source, span, &what, "change the file")]
                }
            })
        });
        Some(known.clone())
    }

    /// The names of a system's tables; none if it is another file.
    pub(crate) fn tables_of(&self, name: &str) -> Vec<String> {
        let Ok(file) = self.read(Path::new(name)) else { return Vec::new() };
        let Ok(system) = file.system() else { return Vec::new() };
        let roles = system.roles.iter().filter(|role| role.table.is_some());
        roles.map(|role| composed::table_path(system, role)).collect()
    }
}

/// The text of a file that was named on the command line; of more than so many bytes no more than
/// it takes to see that.
fn text(path: &Path, bytes_max: usize) -> Result<String, String> {
    let most = u64::try_from(bytes_max).unwrap_or(u64::MAX);
    text_of(path, open(path)?, most)
}

/// A file that was named on the command line.
pub(crate) fn open(path: &Path) -> Result<fs::File, String> {
    fs::File::open(path).map_err(|error| unread(path, &error))
}

/// The message for a file that cannot be read.
pub(crate) fn unread(path: &Path, error: &io::Error) -> String {
    // The name by which other programs mean standard input.
    let help = if path == Path::new("-") { "; standard input is /dev/stdin" } else { "" };
    format!("cannot read {}: {error}{help}", path.display())
}

/// The text of a file that is open; of more than so many bytes no more than it takes to see that.
pub(crate) fn text_of(path: &Path, file: impl io::Read, most: u64) -> Result<String, String> {
    let mut bytes = Vec::new();
    let read = file.take(most.saturating_add(1)).read_to_end(&mut bytes);
    read.map_err(|error| unread(path, &error))?;
    if bytes.len() as u64 > most {
        // The last character may be incomplete.
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line = bytes[..good].iter().filter(|byte| **byte == b'\n').count() + 1;
        let byte = bytes.get(good).copied().unwrap_or_default();
        let name = path.display();
        format!("cannot read {name}: line {line} is not UTF-8 (byte {byte:#04x}): save it as UTF-8")
    })
}

//! Checked-in texts: one function that writes them or, in check mode, says which are stale.
//!
//! What belongs in a directory is decided by [`pages`] and [`bundled`] without a look at the disk;
//! [`put`] is the only thing here that touches one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use turnstile_spec::{Literal, page};

use crate::{Format, Sheet, render};

/// The command that writes `generated/docs`, from the workspace's root.
pub const COMMAND: &str = "cargo run --release -- render --out generated/docs";

/// What is written of a bundled table.
pub const FORMATS: [Format; 3] = [Format::Markdown, Format::Svg, Format::Matrix];

/// A few rows of a bundled table, as a picture of their own.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// The machine.
    pub machine: &'static str,
    /// What the picture is called, after the machine's name.
    pub name: &'static str,
    /// The ids of its rows, as the document has them.
    pub rows: &'static [&'static str],
}

/// The parts that `generated/docs` has.
pub const PARTS: [Part; 1] =
    [Part { machine: "claim", name: "activating", rows: &["44", "45", "46", "47", "76", "91"] }];

/// The header stands within so many lines from the top; a picture has its own before it.
const HEAD: usize = 3;

/// Files of a directory, by name.
pub type Files = BTreeMap<String, String>;

/// Whether to write or to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Write what differs.
    Write,
    /// Write nothing; what differs is an error.
    Check,
}

/// Why files were not written or not found as they should be.
#[derive(Debug)]
pub enum Trouble {
    /// These differ from what the tables give.
    Stale {
        /// The files.
        files: Vec<PathBuf>,
        /// What mends them.
        command: String,
    },
    /// The disk said no.
    Io {
        /// The file or directory.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stale { files, command } => {
                for file in files {
                    writeln!(f, "{} is stale", file.display())?;
                }
                write!(f, "to write it anew: {command}")
            }
            Self::Io { path, error } => write!(f, "{}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Trouble {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Stale { .. } => None,
            Self::Io { error, .. } => Some(error),
        }
    }
}

/// What a file that `command` writes says of itself.
#[must_use]
pub fn header(command: &str) -> String {
    format!("Written by `{command}`; an edit here is lost.")
}

/// A file for each table and format, under the machine's name.
#[must_use]
pub fn pages(tables: &[Literal], formats: &[Format], command: &str) -> Files {
    let header = header(command);
    let mut files = Files::new();
    for table in tables {
        let sheet = Sheet::of(table);
        for format in formats {
            let name = format!("{}.{}", table.vocabulary.machine, format.suffix());
            files.insert(name, render(&sheet, *format, &header));
        }
    }
    files
}

/// What belongs in `generated/docs` when these are the bundled tables.
#[must_use]
pub fn bundled(tables: &[Literal]) -> Files {
    let mut files = pages(tables, &FORMATS, COMMAND);
    files.insert("language.md".to_owned(), page::page(&header(COMMAND)));
    for part in PARTS {
        let tables = tables.iter().filter(|table| table.vocabulary.machine == part.machine);
        for table in tables {
            let sheet = Sheet::as_written(table).part(part.rows);
            let name = format!("{}-{}.svg", part.machine, part.name);
            files.insert(name, render(&sheet, Format::Svg, &header(COMMAND)));
        }
    }
    files
}

/// Writes the files to a directory, or looks whether they stand there. A file that an earlier run
/// wrote and that is no longer wanted is taken away, or is stale. Gives the files that differed.
pub fn put(dir: &Path, files: &Files, mode: Mode, command: &str) -> Result<Vec<PathBuf>, Trouble> {
    let mut differ = Vec::new();
    for (name, text) in files {
        let path = dir.join(name);
        if read(&path)?.is_some_and(|found| found == *text) {
            continue;
        }
        if mode == Mode::Write {
            fs::create_dir_all(dir).map_err(at(dir))?;
            fs::write(&path, text).map_err(at(&path))?;
        }
        differ.push(path);
    }
    for path in left_over(dir, files, command)? {
        if mode == Mode::Write {
            fs::remove_file(&path).map_err(at(&path))?;
        }
        differ.push(path);
    }
    match mode {
        Mode::Check if !differ.is_empty() => {
            Err(Trouble::Stale { files: differ, command: command.to_owned() })
        }
        Mode::Check | Mode::Write => Ok(differ),
    }
}

/// Files that this command wrote and would not write again.
fn left_over(dir: &Path, files: &Files, command: &str) -> Result<Vec<PathBuf>, Trouble> {
    let mut left = Vec::new();
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(left),
        Err(error) => return Err(at(dir)(error)),
    };
    let header = header(command);
    for entry in entries {
        let path = entry.map_err(at(dir))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        if !path.is_file() || name.is_some_and(|name| files.contains_key(&name)) {
            continue;
        }
        let text = read(&path)?.unwrap_or_default();
        if text.lines().take(HEAD).any(|line| line.contains(&header)) {
            left.push(path);
        }
    }
    left.sort();
    Ok(left)
}

/// A file's text; what is not UTF-8 is not ours and differs from whatever is.
fn read(path: &Path) -> Result<Option<String>, Trouble> {
    match fs::read(path) {
        Ok(bytes) => Ok(String::from_utf8(bytes).ok()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path)(error)),
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> Trouble {
    let path = path.to_owned();
    |error| Trouble::Io { path, error }
}

//! Checked-in texts: one function that writes them or, in check mode, says which are stale.
//!
//! What belongs in a directory is decided by [`pages`] and [`bundled`] without a look at the disk;
//! [`put`] is the only thing here that touches one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use turnstile_manual::page;
use turnstile_spec::WrittenTable;

use crate::draw::draw;
use crate::format::Format;
use crate::markdown::{Links, markdown};
use crate::overview::overview;
use crate::render::{ended, picture, render};
use crate::sheet::Sheet;
use crate::svg;

pub use crate::file_name::{OVERVIEW, stem};

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
        /// The command that regenerates them.
        command: String,
    },
    /// This is not for `render` to write over.
    Theirs {
        /// The file.
        path: PathBuf,
        /// The source that it is written from, if a table's.
        from: Option<String>,
    },
    /// Two tables would be written to the same files.
    Twice {
        /// The files' name, without what tells the format.
        stem: String,
        /// The two sources.
        sources: [String; 2],
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
                write!(f, "to regenerate: {command}")
            }
            Self::Theirs { path, from: None } => write!(
                f,
                "{} was not written by `turnstile render`: move it, or render into another folder",
                path.display()
            ),
            Self::Theirs { path, from: Some(from) } => write!(
                f,
                "{} is written from {from}, which is another table: render into another folder",
                path.display()
            ),
            Self::Twice { stem, sources: [one, other] } => write!(
                f,
                "{one} and {other} would both be written to {stem}.*: render them into two folders"
            ),
            Self::Io { path, error } => write!(f, "cannot write {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Trouble {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Stale { .. } | Self::Theirs { .. } | Self::Twice { .. } => None,
            Self::Io { error, .. } => Some(error),
        }
    }
}

/// Where the texts of a set come from: the command that writes them again, and their sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The command.
    pub command: String,
    /// The source of each table, as seen from the folder that is written to. Two projects that
    /// write to one folder may give the same command, and are told apart by this. Empty for the
    /// tables known to the program.
    pub sources: Vec<String>,
}

impl Origin {
    /// Of the tables known to the program.
    #[must_use]
    pub fn known(command: &str) -> Self {
        Self { command: command.to_owned(), sources: Vec::new() }
    }

    /// What the texts of one table say of themselves.
    #[must_use]
    pub fn header(&self, table: usize) -> String {
        header(&self.command, self.sources.get(table).map(String::as_str))
    }

    /// Whether a text with this header is of this set.
    fn has_written(&self, line: &str) -> bool {
        let headers: Vec<String> = match self.sources.len() {
            0 => vec![self.header(0)],
            many => (0..many).map(|table| self.header(table)).collect(),
        };
        headers.iter().any(|header| line.contains(header))
    }
}

/// What begins each header.
const BEGIN: &str = "Written by `";

/// What ends it.
const END: &str = "; an edit here is lost.";

/// What stands before the source.
const FROM: &str = "` from `";

/// The header line of a file that `command` writes from a source.
#[must_use]
pub fn header(command: &str, source: Option<&str>) -> String {
    let from = source.map_or(String::new(), |source| format!("{FROM}{source}"));
    let header = format!("{BEGIN}{command}{from}`{END}");
    // In Markdown the line is a comment, which these would end.
    header.replace(char::is_control, "\u{fffd}").replace("-->", "--\u{fffd}")
}

/// A file for each table and format, under the machine's name, and an overview of each whose
/// picture is too big for a page.
///
/// # Errors
///
/// [`Trouble::Twice`] where two tables have the same name.
pub fn pages(
    tables: &[WrittenTable],
    formats: &[Format],
    origin: &Origin,
) -> Result<Files, Trouble> {
    let mut files = Files::new();
    let mut stems: BTreeMap<String, &WrittenTable> = BTreeMap::new();
    for (nth, table) in tables.iter().enumerate() {
        let (sheet, header) = (Sheet::of(table), origin.header(nth));
        let stem = stem(&table.vocabulary.machine);
        if let Some(other) = stems.insert(stem.clone(), table) {
            let sources = [other, table].map(|table| table.source.name.clone());
            return Err(Trouble::Twice { stem, sources });
        }
        let whole = draw(&sheet);
        let (drawn, is_big) = if formats.contains(&Format::Svg) {
            svg::drawn(&whole, &header)
        } else {
            (String::new(), false)
        };
        let links = Links {
            picture: formats.contains(&Format::Svg),
            overview: is_big,
            matrix: formats.contains(&Format::Matrix),
        };
        for format in formats {
            let name = format!("{stem}.{}", format.suffix());
            let text = match format {
                Format::Markdown => ended(markdown(&sheet, &header, links)),
                Format::Svg => ended(drawn.clone()),
                Format::Mermaid | Format::Dot => picture(&whole, *format, &header),
                Format::Matrix => render(&sheet, *format, &header),
            };
            files.insert(name, text);
        }
        if is_big && formats.contains(&Format::Svg) {
            let name = format!("{stem}.{OVERVIEW}.svg");
            files.insert(name, picture(&overview(&whole), Format::Svg, &header));
        }
    }
    Ok(files)
}

/// What belongs in `generated/docs` when these are the bundled tables.
///
/// # Errors
///
/// [`Trouble::Twice`] where two tables have the same name.
pub fn bundled(tables: &[WrittenTable]) -> Result<Files, Trouble> {
    let origin = Origin::known(COMMAND);
    let header = origin.header(0);
    let mut files = pages(tables, &FORMATS, &origin)?;
    files.insert("language.md".to_owned(), page::page(&header));
    for part in PARTS {
        let tables = tables.iter().filter(|table| table.vocabulary.machine == part.machine);
        for table in tables {
            let sheet = Sheet::as_written(table).part(part.rows);
            let name = format!("{}-{}.svg", stem(part.machine), part.name);
            files.insert(name, render(&sheet, Format::Svg, &header));
        }
    }
    Ok(files)
}

/// What became of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Files that were written; the others stand as they were.
    pub written: Vec<PathBuf>,
    /// Files that an earlier run wrote from the same tables and that are no longer wanted.
    pub removed: Vec<PathBuf>,
}

/// Writes the files to a directory, or looks whether they stand there. A file that an earlier run
/// wrote from the same tables and that is no longer wanted is taken away, or is stale; any other
/// file stays.
///
/// # Errors
///
/// What is stale, where it is only looked; a file in the way that is not this program's, or of
/// another table; what the disk says.
pub fn put(dir: &Path, files: &Files, mode: Mode, origin: &Origin) -> Result<Changed, Trouble> {
    let mut changed = Changed::default();
    let mut fresh = Vec::new();
    for (name, text) in files {
        let path = dir.join(name);
        let found = read(&path)?;
        if found.as_deref().is_some_and(|found| found == text.as_bytes()) {
            continue;
        }
        if mode == Mode::Write
            && let Some(found) = &found
        {
            may_be_replaced(dir, &path, found, origin)?;
        }
        fresh.push((path, text));
    }
    for (path, text) in fresh {
        if mode == Mode::Write {
            fs::create_dir_all(dir).map_err(at(dir))?;
            fs::write(&path, text).map_err(at(&path))?;
        }
        changed.written.push(path);
    }
    for path in left_over(dir, files, origin)? {
        if mode == Mode::Write {
            fs::remove_file(&path).map_err(at(&path))?;
        }
        changed.removed.push(path);
    }
    let Changed { written, removed } = &changed;
    match mode {
        Mode::Check if !written.is_empty() || !removed.is_empty() => {
            let files = written.iter().chain(removed).cloned().collect();
            Err(Trouble::Stale { files, command: origin.command.clone() })
        }
        Mode::Check | Mode::Write => Ok(changed),
    }
}

/// Refuses to write over a file that no run of this program wrote, or that one wrote from another
/// table which is still there.
fn may_be_replaced(dir: &Path, path: &Path, found: &[u8], origin: &Origin) -> Result<(), Trouble> {
    let path = || path.to_owned();
    let Some(line) = written_by(found) else {
        return Err(Trouble::Theirs { path: path(), from: None });
    };
    let from = line.split_once(FROM).and_then(|(_, rest)| rest.split_once('`'));
    match from {
        Some((from, _))
            if !origin.sources.iter().any(|source| source == from) && dir.join(from).exists() =>
        {
            Err(Trouble::Theirs { path: path(), from: Some(from.to_owned()) })
        }
        Some(_) | None => Ok(()),
    }
}

/// The line by which a text says that this program has written it.
fn written_by(text: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(text);
    let is_header = |line: &&str| line.contains(BEGIN) && line.contains(END);
    let line = text.lines().take(HEAD).find(is_header)?;
    // In a picture the header stands as XML.
    let signs = [("&#60;", "<"), ("&#62;", ">"), ("&#34;", "\""), ("&#39;", "'"), ("&#38;", "&")];
    Some(signs.iter().fold(line.to_owned(), |line, (sign, letter)| line.replace(sign, letter)))
}

/// Files that a run for the same tables wrote and that this one would not write again.
fn left_over(dir: &Path, files: &Files, origin: &Origin) -> Result<Vec<PathBuf>, Trouble> {
    let mut left = Vec::new();
    let entries = match fs::read_dir(dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(left),
        Err(error) => return Err(at(dir)(error)),
    };
    for entry in entries {
        let path = entry.map_err(at(dir))?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
        if !path.is_file() || name.is_some_and(|name| files.contains_key(&name)) {
            continue;
        }
        let text = read(&path)?.unwrap_or_default();
        if written_by(&text).is_some_and(|line| origin.has_written(&line)) {
            left.push(path);
        }
    }
    left.sort();
    Ok(left)
}

/// A file's bytes, if it is there.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Trouble> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(at(path)(error)),
    }
}

fn at(path: &Path) -> impl FnOnce(io::Error) -> Trouble {
    let path = path.to_owned();
    |error| Trouble::Io { path, error }
}

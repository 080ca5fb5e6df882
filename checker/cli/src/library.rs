//! The tables and systems with names: those embedded in the binary, and in a checkout of Turnstile
//! those under `spec/`, which take precedence.

use std::collections::{BTreeMap, HashMap};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::{fs, io};

use turnstile_harness::{Embedded, Systems};
use turnstile_spec::{Source, limit};

/// The origin of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The binary.
    Bundled,
    /// The checkout, where it stands as in the binary.
    Same,
    /// The checkout or a file that was named, where the binary has another text or none.
    Other,
}

/// A table or a system, unread.
#[derive(Clone, Debug)]
pub(crate) struct SourceFile {
    /// Its name, which is the file's name without its ending.
    pub(crate) name: String,
    /// The text, under the name that faults show.
    pub(crate) source: Source,
    /// Its origin.
    pub(crate) origin: Origin,
}

/// The tables and systems with names.
#[derive(Clone, Debug, Default)]
pub(crate) struct Library {
    /// By name.
    pub(crate) tables: Vec<SourceFile>,
    /// By name.
    pub(crate) systems: Vec<SourceFile>,
    /// The systems that can be run.
    pub(crate) known: Systems,
    /// The checkout's `spec` folder, as seen from the working directory.
    pub(crate) checkout: Option<PathBuf>,
}

impl Library {
    /// Looks around.
    pub(crate) fn load(known: Systems) -> Result<Self, String> {
        let checkout = checkout();
        let mut library = Self {
            tables: inside(known.0.iter().flat_map(|entry| entry.tables)),
            systems: inside(known.0.iter().map(|entry| &entry.file)),
            known,
            checkout: checkout.clone(),
        };
        if let Some(spec) = checkout {
            library.tables = overlay(&library.tables, &spec.join("tables"))?;
            library.systems = overlay(&library.systems, &spec.join("systems"))?;
        }
        Ok(library)
    }

    /// Whether a word of the command line means a file: by its ending, or because it is one and no
    /// name says the same.
    pub(crate) fn is_file(&self, word: &str) -> bool {
        let path = Path::new(word);
        let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        let (name, _) = word.split_once('/').unwrap_or((word, ""));
        let is_known = self.tables.iter().chain(&self.systems).any(|text| text.name == name);
        is_yaml || word == "-" || (!is_known && path.exists())
    }

    /// The note on the origin of tables and systems, in a checkout.
    pub(crate) fn origin_note(&self) -> Option<String> {
        let spec = self.checkout.as_ref()?;
        let all = self.tables.iter().chain(&self.systems);
        let changed: Vec<&str> = all
            .filter(|text| text.origin == Origin::Other)
            .map(|text| text.source.name.as_str())
            .collect();
        let place = spec.display();
        Some(if changed.is_empty() {
            format!("read from {place}, identical to those in this binary")
        } else {
            format!("read from {place}; different from this binary: {}", changed.join(", "))
        })
    }
}

/// The message for an unknown name.
pub(crate) fn unknown(what: &str, name: &str, among: &[&[SourceFile]]) -> String {
    let mut known: Vec<&str> =
        among.iter().flat_map(|texts| texts.iter()).map(|text| text.name.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    format!("no {what} is named `{name}`; names: {}", known.join(", "))
}

/// The texts read so far, by file, or by name where it is no file that stays: a pipe.
static TEXTS: LazyLock<Mutex<HashMap<PathBuf, Result<String, String>>>> =
    LazyLock::new(Mutex::default);

/// Opens every file again from now on.
pub(crate) fn forget() {
    TEXTS.lock().unwrap_or_else(PoisonError::into_inner).clear();
}

/// A file that was named on the command line, or by another one. It is opened once a command, so
/// that all of the command is about the same text, and it may be a pipe.
pub(crate) fn read(path: &Path) -> Result<SourceFile, String> {
    let file = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let text = texts.entry(file).or_insert_with(|| text(path, limit::FILE_BYTES)).clone();
    drop(texts);
    let source = Source::new(path.display().to_string(), text?);
    let stem = path.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into());
    Ok(SourceFile { name: stem, source, origin: Origin::Other })
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

/// The texts inside the binary, each once, by name.
fn inside<'t>(texts: impl Iterator<Item = &'t Embedded>) -> Vec<SourceFile> {
    let text = |one: &Embedded| SourceFile {
        name: one.name.to_owned(),
        source: one.source(),
        origin: Origin::Bundled,
    };
    let texts: BTreeMap<&str, SourceFile> = texts.map(|one| (one.name, text(one))).collect();
    texts.into_values().collect()
}

/// The files of a folder, in place of the embedded ones of the same names.
fn overlay(inside: &[SourceFile], folder: &Path) -> Result<Vec<SourceFile>, String> {
    let of_folder = |error| format!("cannot read {}: {error}", folder.display());
    let mut texts: BTreeMap<String, SourceFile> =
        inside.iter().map(|text| (text.name.clone(), text.clone())).collect();
    if !folder.exists() {
        return Ok(inside.to_vec());
    }
    for entry in fs::read_dir(folder).map_err(of_folder)? {
        let path = entry.map_err(of_folder)?.path();
        if path.extension().is_none_or(|ending| ending != "yaml") {
            continue;
        }
        let mut text = read(&path)?;
        let bundled = texts.get(&text.name);
        if bundled.is_some_and(|bundled| bundled.source.text == text.source.text) {
            text.origin = Origin::Same;
        }
        texts.insert(text.name.clone(), text);
    }
    Ok(texts.into_values().collect())
}

/// The `spec` folder of the checkout that the working directory is in.
fn checkout() -> Option<PathBuf> {
    let here = std::env::current_dir().ok()?;
    let mut way = PathBuf::new();
    for folder in here.ancestors() {
        let spec = folder.join("spec");
        let manifest = fs::read_to_string(spec.join("Cargo.toml")).unwrap_or_default();
        let is_ours = manifest.lines().any(|line| line.trim() == "name = \"turnstile-spec\"");
        if is_ours && spec.join("tables").is_dir() {
            return Some(way.join("spec"));
        }
        way.push("..");
    }
    None
}

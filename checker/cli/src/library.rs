//! The tables and systems with names: those embedded in the binary, and in a checkout of Turnstile
//! those under `spec/`, which take precedence.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use turnstile_harness::results::fault::FaultReport;
use turnstile_harness::{SourceFile, SystemEntry, Systems};
use turnstile_spec::System;

use crate::files::Files;

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

/// A table or a system with a name.
#[derive(Clone, Debug)]
pub(crate) struct NamedFile {
    /// Its file.
    pub(crate) file: Arc<SourceFile>,
    /// Its origin.
    pub(crate) origin: Origin,
}

/// The tables and systems with names.
#[derive(Debug)]
pub(crate) struct Library {
    /// By name.
    pub(crate) tables: Vec<NamedFile>,
    /// By name.
    pub(crate) systems: Vec<NamedFile>,
    /// The systems that can be run.
    pub(crate) known: Systems,
    /// The checkout's `spec` folder, as seen from the working directory.
    pub(crate) checkout: Option<PathBuf>,
    /// The files that are read.
    pub(crate) files: Arc<Files>,
}

impl Library {
    /// Looks around.
    pub(crate) fn load(known: &Systems, files: Arc<Files>) -> Result<Self, String> {
        let checkout = checkout();
        let tables = known.entries().flat_map(|entry| &entry.tables);
        let mut library = Self {
            tables: inside(tables.map(|table| &table.file)),
            systems: inside(known.entries().map(|entry| &entry.file)),
            known: known.clone(),
            checkout: checkout.clone(),
            files,
        };
        if let Some(spec) = checkout {
            library.tables = library.overlay(&library.tables, &spec.join("tables"))?;
            library.systems = library.overlay(&library.systems, &spec.join("systems"))?;
        }
        Ok(library)
    }

    /// What runs a system; nothing if no cores of this name are compiled in.
    ///
    /// # Errors
    ///
    /// Those of its tables.
    pub(crate) fn entry(
        &self,
        system: &Arc<SourceFile>,
    ) -> Result<Option<Arc<SystemEntry>>, Vec<FaultReport>> {
        if let Some(of_tables) = self.files.table_system(system) {
            return of_tables.map(Some);
        }
        Ok(system.system().ok().and_then(|system| self.known.entry(&system.name)).cloned())
    }

    /// Whether a word of the command line means a file: by its ending, or because it is one and no
    /// name says the same.
    pub(crate) fn is_file(&self, word: &str) -> bool {
        let path = Path::new(word);
        let is_yaml = path.extension().is_some_and(|ending| ending == "yaml" || ending == "yml");
        let (name, _) = word.split_once('/').unwrap_or((word, ""));
        let is_known = self.tables.iter().chain(&self.systems).any(|one| one.file.name == name);
        is_yaml || word == "-" || (!is_known && path.exists())
    }

    /// The note on the origin of tables and systems, in a checkout.
    pub(crate) fn origin_note(&self) -> Option<String> {
        let spec = self.checkout.as_ref()?;
        let all = self.tables.iter().chain(&self.systems);
        let changed: Vec<&str> = all
            .filter(|one| one.origin == Origin::Other)
            .map(|one| one.file.source.name.as_str())
            .collect();
        let place = spec.display();
        Some(if changed.is_empty() {
            format!("read from {place}, identical to those in this binary")
        } else {
            format!("read from {place}; different from this binary: {}", changed.join(", "))
        })
    }

    /// The files of a folder, in place of the embedded ones of the same names.
    fn overlay(&self, inside: &[NamedFile], folder: &Path) -> Result<Vec<NamedFile>, String> {
        let of_folder = |error| format!("cannot read {}: {error}", folder.display());
        let mut files: BTreeMap<String, NamedFile> =
            inside.iter().map(|one| (one.file.name.clone(), one.clone())).collect();
        if !folder.exists() {
            return Ok(inside.to_vec());
        }
        for entry in fs::read_dir(folder).map_err(of_folder)? {
            let path = entry.map_err(of_folder)?.path();
            if path.extension().is_none_or(|ending| ending != "yaml") {
                continue;
            }
            let file = self.files.read(&path)?;
            let named = match files.get(&file.name).map(|one| &one.file) {
                // What is parsed of it serves both.
                Some(one) if one.source == file.source => {
                    NamedFile { file: Arc::clone(one), origin: Origin::Same }
                }
                Some(one) if one.source.text == file.source.text => {
                    NamedFile { file, origin: Origin::Same }
                }
                Some(_) | None => NamedFile { file, origin: Origin::Other },
            };
            files.insert(named.file.name.clone(), named);
        }
        Ok(files.into_values().collect())
    }
}

/// The message for a system that nothing runs.
pub(crate) fn no_cores(system: &System) -> String {
    format!("this binary has no cores for the system `{}`", system.name)
}

/// The message for an unknown name.
pub(crate) fn unknown(what: &str, name: &str, among: &[&[NamedFile]]) -> String {
    let mut known: Vec<&str> =
        among.iter().flat_map(|files| files.iter()).map(|one| one.file.name.as_str()).collect();
    known.sort_unstable();
    known.dedup();
    format!("no {what} is named `{name}`; names: {}", known.join(", "))
}

/// The files inside the binary, each once, by name.
fn inside<'t>(files: impl Iterator<Item = &'t Arc<SourceFile>>) -> Vec<NamedFile> {
    let named =
        |file: &Arc<SourceFile>| NamedFile { file: Arc::clone(file), origin: Origin::Bundled };
    let files: BTreeMap<&str, NamedFile> =
        files.map(|file| (file.name.as_str(), named(file))).collect();
    files.into_values().collect()
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

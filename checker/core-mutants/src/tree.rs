//! A copy of the workspace whose cores have all mutants, and the program built from it.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;

use crate::find;
use crate::site::{Mutant, switchable};

/// The sources of the cores in the workspace.
pub const CORES: &str = "runtime/core/src";

/// What no step of a core runs: texts, what they are read from, names in files, and what only
/// properties and the reductions of a search ask.
const LEFT_OUT: [&str; 7] = [
    "scenario",
    "lib.rs",
    "never.rs",
    "serde_names.rs",
    "display.rs",
    "addresses.rs",
    "consistency.rs",
];

/// The copy, and the mutants that compile in it; a mutant's number is its position from 1.
#[derive(Debug)]
pub struct Tree {
    root: PathBuf,
    folder: PathBuf,
    mutants: Vec<Mutant>,
    /// Those that do not compile, by number.
    invalid: BTreeSet<usize>,
}

impl Tree {
    /// Copies the workspace at `root` to `folder/tree`.
    ///
    /// # Errors
    ///
    /// Why a file cannot be read or written.
    pub fn new(root: &Path, folder: &Path) -> Result<Self, String> {
        let tree = folder.join("tree");
        for file in listed(root)? {
            let from = root.join(&file);
            if let Ok(to) = fs::read_link(&from) {
                link(&tree.join(&file), &to)?;
            } else if let Ok(text) = fs::read(&from) {
                // A file that was removed is listed until that is committed.
                put(&tree.join(&file), &text)?;
            }
        }
        let mut mutants = Vec::new();
        for file in sources(&root.join(CORES))?.into_iter().filter(|file| is_core(file)) {
            mutants.extend(find::mutants(&file, &read(&root.join(CORES).join(&file))?)?);
        }
        Ok(Self { root: root.into(), folder: folder.into(), mutants, invalid: BTreeSet::new() })
    }

    /// The mutants that compile, with their numbers.
    pub fn mutants(&self) -> impl Iterator<Item = (usize, &Mutant)> {
        (1..).zip(&self.mutants).filter(|(number, _)| !self.invalid.contains(number))
    }

    /// How many do not compile.
    #[must_use]
    pub fn invalid(&self) -> usize {
        self.invalid.len()
    }

    /// Builds the program, without the mutants for which it does not compile.
    ///
    /// # Errors
    ///
    /// What does not compile, whatever the mutants are.
    pub fn build(&mut self) -> Result<PathBuf, String> {
        for _ in 0..12 {
            let spans = self.write()?;
            let failures = self.cargo()?;
            if failures.is_empty() {
                return Ok(self.root.join("target/release/mutants"));
            }
            let before = self.invalid.len();
            for failure in &failures {
                self.invalid.extend(blamed(failure, &spans));
            }
            if self.invalid.len() == before {
                return Err(failures.into_iter().map(|failure| failure.rendered).collect());
            }
        }
        Err("the mutants do not compile, however many are left out".to_owned())
    }

    /// Writes the cores, and says where each mutant is.
    fn write(&self) -> Result<Vec<Place>, String> {
        let cores = self.folder.join("tree").join(CORES);
        let mut places = Vec::new();
        for file in sources(&self.root.join(CORES))? {
            let own: Vec<(usize, &Mutant)> =
                self.mutants().filter(|(_, mutant)| mutant.file == file).collect();
            let text = read(&self.root.join(CORES).join(&file))?;
            let (text, spans) = switchable(&text, &own);
            put(&cores.join(&file), text.as_bytes())?;
            let place = |(number, bytes)| Place { file: file.clone(), number, bytes };
            places.extend(spans.into_iter().map(place));
        }
        put(&cores.join("mutant.rs"), include_bytes!("switch.txt"))?;
        let tree = self.folder.join("tree");
        put(&tree.join("checker/mutants/src/main.rs"), include_bytes!("program.txt"))?;
        put(&tree.join("checker/mutants/Cargo.toml"), include_bytes!("manifest.txt"))?;
        let workspace = read(&self.root.join("Cargo.toml"))?;
        let workspace =
            workspace.replacen("members = [", "members = [\n    \"checker/mutants\",", 1);
        put(&tree.join("Cargo.toml"), workspace.as_bytes())?;
        let root = read(&self.root.join(CORES).join("lib.rs"))?;
        let root = format!("{root}\nextern crate std;\n#[allow(missing_docs)]\npub mod mutant;\n");
        put(&cores.join("lib.rs"), root.as_bytes())?;
        Ok(places)
    }

    /// Builds, and returns the errors in the cores.
    fn cargo(&self) -> Result<Vec<Failure>, String> {
        let tree = self.folder.join("tree");
        let output = Command::new("cargo")
            .args(["build", "--release", "-p", "mutants", "--message-format=json"])
            // What the workspace has built of others' crates is not built again.
            .arg("--target-dir")
            .arg(self.root.join("target"))
            .current_dir(&tree)
            .output()
            .map_err(|error| format!("cargo cannot be run: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let lines = text.lines().filter_map(|line| serde_json::from_str::<CargoLine>(line).ok());
        let messages = lines.filter_map(|line| line.message).filter(|one| one.level == "error");
        let failures: Vec<Failure> = messages.filter(|one| !one.spans.is_empty()).collect();
        if failures.is_empty() && !output.status.success() {
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        Ok(failures)
    }
}

/// Where the edits of a mutant are in a written file.
struct Place {
    file: String,
    number: usize,
    bytes: Range<usize>,
}

/// The mutants that an error is of: the smallest around its place, or all that it overlaps.
fn blamed(failure: &Failure, places: &[Place]) -> Vec<usize> {
    let mut blamed = Vec::new();
    for span in failure.spans.iter().filter(|span| span.is_primary) {
        let here = places
            .iter()
            .filter(|place| span.file_name.ends_with(&format!("{CORES}/{}", place.file)));
        let holds = |place: &&Place| {
            place.bytes.start <= span.byte_start && span.byte_end <= place.bytes.end
        };
        let inner = here.clone().filter(holds).min_by_key(|place| place.bytes.len());
        match inner {
            Some(place) => blamed.push(place.number),
            None => {
                let meets = |place: &&Place| {
                    place.bytes.start < span.byte_end && span.byte_start < place.bytes.end
                };
                blamed.extend(here.filter(meets).map(|place| place.number));
            }
        }
    }
    blamed
}

#[derive(Deserialize)]
struct CargoLine {
    message: Option<Failure>,
}

#[derive(Deserialize)]
struct Failure {
    level: String,
    rendered: String,
    spans: Vec<FailureSpan>,
}

#[derive(Deserialize)]
struct FailureSpan {
    file_name: String,
    byte_start: usize,
    byte_end: usize,
    is_primary: bool,
}

/// The files of the workspace that git knows or would know.
fn listed(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("git cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let is_core = |file: &&str| Path::new(file).starts_with(CORES);
    Ok(text
        .split('\0')
        .filter(|file| !file.is_empty() && !is_core(file))
        .map(str::to_owned)
        .collect())
}

/// The files of the cores, from their folder.
fn sources(cores: &Path) -> Result<Vec<String>, String> {
    let (mut open, mut found) = (vec![cores.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| told(&folder, &error))?;
        for entry in entries.flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(cores).expect("it is below").display().to_string();
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| told(path, &error))
}

/// Makes a symbolic link as another one is.
fn link(path: &Path, to: &Path) -> Result<(), String> {
    if fs::read_link(path).is_ok_and(|known| known == to) {
        return Ok(());
    }
    let folder = path.parent().expect("a file has a folder");
    fs::create_dir_all(folder).map_err(|error| told(folder, &error))?;
    std::os::unix::fs::symlink(to, path).map_err(|error| told(path, &error))
}

/// Writes a file if it is not the same: what it is built into stays as it is.
fn put(path: &Path, text: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    let folder = path.parent().expect("a file has a folder");
    fs::create_dir_all(folder).map_err(|error| told(folder, &error))?;
    fs::write(path, text).map_err(|error| told(path, &error))
}

/// Whether a source file has code that the steps of a core run.
fn is_core(file: &str) -> bool {
    !Path::new(file).iter().any(|part| LEFT_OUT.iter().any(|out| part == *out))
}

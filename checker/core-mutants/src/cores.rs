//! The sources of the cores, where they stand in the workspace, and the files of a copy of it.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The cores: the folder of their files in a mutant's name, and their sources in the workspace. The
/// first one has the switch of all mutants.
const CORES: [(&str, &str); 6] = [
    ("ids", "runtime/kit/ids/src"),
    ("claim", "runtime/claim/core/src"),
    ("byte-range-lock", "runtime/byte-range-lock/core/src"),
    ("view-handler", "runtime/view-handler/core/src"),
    ("group-lock", "runtime/group-lock/core/src"),
    ("replicated-lock", "runtime/replicated-lock/core/src"),
];

/// What no step of a core runs: texts, what they are read from, names in files, and what only
/// properties and the reductions of a search ask.
const LEFT_OUT: [&str; 6] =
    ["scenario.rs", "never.rs", "serde_names.rs", "display.rs", "addresses.rs", "consistency.rs"];

/// The files of the workspace that git knows or would know.
pub(crate) fn listed(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("git cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text
        .split('\0')
        .filter(|file| !file.is_empty() && !is_in_cores(file))
        .map(str::to_owned)
        .collect())
}

/// Whether a file of the workspace is a source of a core.
pub(crate) fn is_in_cores(file: &str) -> bool {
    CORES.iter().any(|(_, sources)| Path::new(file).starts_with(sources))
}

/// The place in the workspace of a core's source file.
pub(crate) fn place(file: &str) -> String {
    let (core, file) = file.split_once('/').expect("a file is in the folder of its core");
    let sources = CORES.iter().find(|(name, _)| *name == core).expect("it is one of them").1;
    format!("{sources}/{file}")
}

/// The source files of all cores, each in the folder of its core: `claim/record/mod.rs`.
pub(crate) fn cores(root: &Path) -> Result<Vec<String>, String> {
    let mut all = Vec::new();
    for (name, folder) in CORES {
        let files = sources(&root.join(folder))?;
        all.extend(files.into_iter().map(|file| format!("{name}/{file}")));
    }
    Ok(all)
}

/// The Rust files below a folder, from it.
pub(crate) fn sources(cores: &Path) -> Result<Vec<String>, String> {
    let (mut open, mut found) = (vec![cores.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| told(&folder, &error))?;
        for entry in entries.flatten() {
            let path = entry.path();
            // A link to a folder is none: what is in it stands elsewhere, too.
            let kind = entry.file_type().map_err(|error| told(&path, &error))?;
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|end| end == "rs") {
                let name = path.strip_prefix(cores).expect("it is below").display().to_string();
                found.push(name);
            }
        }
    }
    found.sort();
    Ok(found)
}

pub(crate) fn told(path: &Path, error: &std::io::Error) -> String {
    format!("{}: {error}", path.display())
}

pub(crate) fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| told(path, &error))
}

/// Makes a symbolic link as another one is.
pub(crate) fn link(path: &Path, to: &Path) -> Result<(), String> {
    if fs::read_link(path).is_ok_and(|known| known == to) {
        return Ok(());
    }
    let folder = path.parent().expect("a file has a folder");
    fs::create_dir_all(folder).map_err(|error| told(folder, &error))?;
    std::os::unix::fs::symlink(to, path).map_err(|error| told(path, &error))
}

/// Writes a file if it is not the same: what it is built into stays as it is.
pub(crate) fn put(path: &Path, text: &[u8]) -> Result<(), String> {
    if fs::read(path).is_ok_and(|known| known == text) {
        return Ok(());
    }
    let folder = path.parent().expect("a file has a folder");
    fs::create_dir_all(folder).map_err(|error| told(folder, &error))?;
    fs::write(path, text).map_err(|error| told(path, &error))
}

/// Whether a source file has code that the steps of a core run.
pub(crate) fn is_core(file: &str) -> bool {
    !Path::new(file).iter().any(|part| LEFT_OUT.iter().any(|out| part == *out))
}

//! The scenarios of all cores, played and as traces.

mod scenarios;
mod traces;

use std::fs;
use std::path::{Path, PathBuf};

/// The folders of the cores: `runtime/NAME/core`.
fn cores() -> Vec<PathBuf> {
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime");
    let entries = fs::read_dir(runtime).expect("a folder of the workspace");
    let cores = entries.map(|entry| entry.expect("read").path().join("core"));
    cores.filter(|core| core.join("scenarios").is_dir()).collect()
}

/// The files of all scenarios, in the order of their names.
fn files() -> Vec<PathBuf> {
    let list = |core: PathBuf| -> Vec<PathBuf> {
        let entries = fs::read_dir(core.join("scenarios")).expect("a folder of the core");
        entries.map(|entry| entry.expect("read").path()).collect()
    };
    let mut files: Vec<PathBuf> = cores().into_iter().flat_map(list).collect();
    files.sort();
    assert!(files.len() >= 100, "{files:?}");
    files
}

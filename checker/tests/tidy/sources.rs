//! The Rust files of a folder.

use std::fs;
use std::path::{Path, PathBuf};

/// The Rust files that people read, in this folder and those below it.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder can be listed") {
            let path = entry.expect("a folder can be listed").path();
            if path.is_dir() {
                // What `render --to rust` writes is not read by people.
                if !path.ends_with("target") && !path.ends_with("checked_in") {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files
}

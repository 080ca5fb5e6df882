//! A folder of its own for a test, which is removed with it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The folder; dropping it removes it.
pub struct Folder(PathBuf);

impl Folder {
    /// A new path below the system's folder for temporary files.
    pub fn new(name: &str) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("turnstile-{name}-{}-{number}", std::process::id());
        Self(std::env::temp_dir().join(name))
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A test that did not use it has not created it.
        let _removed = std::fs::remove_dir_all(&self.0);
    }
}

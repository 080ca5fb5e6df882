//! The file behind a lock, and the copies of its contents that a user keeps.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// A file whose contents its user may have copies of.
///
/// Another manager may change the file whenever this one does not have its lock. So copies are
/// dropped when the lock is granted, and changes are written back before it is released.
pub trait CachedFile: Send + Sync + 'static {
    /// Its name, for those who read a log.
    fn name(&self) -> String;

    /// Opens the file for its lock: for reading and writing, or for reading if it may not be
    /// written.
    ///
    /// # Errors
    /// When the file cannot be opened.
    fn open(&self) -> io::Result<OwnedFd>;

    /// Whether copies may differ from the file. Called when its lock has been granted.
    fn is_stale(&self) -> bool;

    /// Drops all copies. It may block.
    fn drop_copies(&self);

    /// Whether there are changes that are not written back.
    fn is_dirty(&self) -> bool;

    /// Writes changes back. It may block.
    ///
    /// # Errors
    /// When they cannot be written.
    fn write_back(&self) -> io::Result<()>;
}

/// A file at a path, of which no copies are kept.
#[derive(Clone, Debug)]
pub struct PlainFile(pub PathBuf);

impl CachedFile for PlainFile {
    fn name(&self) -> String {
        self.0.display().to_string()
    }

    fn open(&self) -> io::Result<OwnedFd> {
        let both = OpenOptions::new().read(true).write(true).open(&self.0);
        Ok(both.or_else(|_| File::open(&self.0))?.into())
    }

    fn is_stale(&self) -> bool {
        false
    }

    fn drop_copies(&self) {}

    fn is_dirty(&self) -> bool {
        false
    }

    fn write_back(&self) -> io::Result<()> {
        Ok(())
    }
}

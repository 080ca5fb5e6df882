//! The file operations of the store, as traits, so that a test can simulate a disk.
//!
//! [`OsDirectory`](super::OsDirectory) is the real one.

use std::fmt::Debug;
use std::io;
use std::thread::JoinHandle;

/// A directory that one store uses.
///
/// The content of a file is durable when [`DirectoryFile::sync`] has returned, and its name when
/// [`Directory::sync`] has. Until then other processes see it, and a power loss may keep any part
/// of it.
pub trait Directory: Send + Sync + Debug {
    /// The names of all files.
    ///
    /// # Errors
    /// When the system call fails.
    fn list(&self) -> io::Result<Vec<String>>;

    /// Reads at most `max` bytes of a file from an offset.
    ///
    /// # Errors
    /// When there is no such file, or the system call fails.
    fn read(&self, name: &str, at: u64, max: u64) -> io::Result<Vec<u8>>;

    /// Creates an empty file, or truncates an existing one.
    ///
    /// # Errors
    /// When the system call fails.
    fn create(&self, name: &str) -> io::Result<Box<dyn DirectoryFile>>;

    /// Opens an existing file.
    ///
    /// # Errors
    /// When there is no such file, or the system call fails.
    fn open(&self, name: &str) -> io::Result<Box<dyn DirectoryFile>>;

    /// Renames a file atomically, replacing an existing one.
    ///
    /// # Errors
    /// When the system call fails.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// When the system call fails.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Makes all creations, renames and removals of files durable.
    ///
    /// # Errors
    /// When the system call fails.
    fn sync(&self) -> io::Result<()>;

    /// Whether the directory and this file still exist under the path that was opened.
    ///
    /// # Errors
    /// When the system call fails.
    fn is_in_place(&self, file: &dyn DirectoryFile) -> io::Result<bool>;

    /// Runs work in the background.
    ///
    /// # Errors
    /// When the system cannot create a thread.
    fn spawn(&self, work: BackgroundWork) -> io::Result<Background>;
}

/// An open file.
pub trait DirectoryFile: Send + Debug {
    /// Writes bytes at an offset, extending the file if needed.
    ///
    /// # Errors
    /// When the system call fails; a part of the bytes may be written.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Removes what the file has beyond this length.
    ///
    /// # Errors
    /// When the system call fails.
    fn cut(&self, len: u64) -> io::Result<()>;

    /// Makes all writes to the file durable.
    ///
    /// # Errors
    /// When the system call fails. The writes since the last success may then be lost, even if a
    /// later call succeeds and this process still reads them: they must be written again.
    fn sync(&self) -> io::Result<()>;

    /// Whether the file still has a name.
    ///
    /// # Errors
    /// When the system call fails.
    fn is_linked(&self) -> io::Result<bool>;
}

/// Work for the background.
pub type BackgroundWork = Box<dyn FnOnce() -> io::Result<()> + Send>;

/// Work in the background.
pub enum Background {
    /// A thread runs it.
    Thread(JoinHandle<io::Result<()>>),
    /// [`Background::join`] runs it.
    Later(BackgroundWork),
}

impl Debug for Background {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Background")
    }
}

impl Background {
    /// Whether [`Background::join`] would return without waiting for a thread.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Thread(thread) => thread.is_finished(),
            Self::Later(_) => true,
        }
    }

    /// Waits for the end of the work.
    ///
    /// # Errors
    /// The errors of the work.
    pub fn join(self) -> io::Result<()> {
        match self {
            Self::Thread(thread) => {
                thread.join().map_err(|_| io::Error::other("a thread of the store panicked"))?
            }
            Self::Later(work) => work(),
        }
    }
}

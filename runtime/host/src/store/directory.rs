//! What the store asks of a directory, so that a test can stand in for a disk that fails.
//!
//! [`OsDirectory`](super::OsDirectory) is the real one. Nothing here knows what a file holds.

use std::fmt::Debug;
use std::io;
use std::thread::JoinHandle;

/// A directory that is open to one store.
///
/// What was written to a file survives a power loss once [`DirectoryFile::sync`] has returned, and
/// its name once [`Directory::sync`] has. Until then the next process sees it, and a power loss may
/// leave any part of it.
pub trait Directory: Send + Sync + Debug {
    /// The names of all files.
    ///
    /// # Errors
    /// When the system refuses.
    fn list(&self) -> io::Result<Vec<String>>;

    /// A file's bytes from a place on, `max` of them or all there are.
    ///
    /// # Errors
    /// When there is no such file, or the system refuses.
    fn read(&self, name: &str, at: u64, max: u64) -> io::Result<Vec<u8>>;

    /// A file without content. One that has the name is emptied.
    ///
    /// # Errors
    /// When the system refuses.
    fn create(&self, name: &str) -> io::Result<Box<dyn DirectoryFile>>;

    /// A file that is there.
    ///
    /// # Errors
    /// When there is no such file, or the system refuses.
    fn open(&self, name: &str) -> io::Result<Box<dyn DirectoryFile>>;

    /// Gives a file another name, at once; one that has it is removed.
    ///
    /// # Errors
    /// When the system refuses.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;

    /// Removes a file.
    ///
    /// # Errors
    /// When there is no such file, or the system refuses.
    fn remove(&self, name: &str) -> io::Result<()>;

    /// Returns once every file that was created, renamed or removed is so after a power loss.
    ///
    /// # Errors
    /// When the system refuses.
    fn sync(&self) -> io::Result<()>;

    /// Whether the next process would find this directory, and this file in it.
    ///
    /// # Errors
    /// When the system refuses to say.
    fn is_in_place(&self, file: &dyn DirectoryFile) -> io::Result<bool>;

    /// Does something beside everything else.
    ///
    /// # Errors
    /// When the system has no thread to give.
    fn spawn(&self, work: Work) -> io::Result<Background>;
}

/// A file that is open.
pub trait DirectoryFile: Send + Debug {
    /// Writes bytes at a place; the file grows if need be.
    ///
    /// # Errors
    /// When the system refuses; some of the bytes may be written.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()>;

    /// Returns once everything written survives a power loss.
    ///
    /// # Errors
    /// When the system refuses. What was written since the last success may be lost then, even if
    /// a later call succeeds and this process still reads it: it has to be written once more.
    fn sync(&self) -> io::Result<()>;

    /// Whether the file still has a name.
    ///
    /// # Errors
    /// When the system refuses to say.
    fn is_linked(&self) -> io::Result<bool>;
}

/// Something to do beside everything else.
pub type Work = Box<dyn FnOnce() -> io::Result<()> + Send>;

/// Something that is done beside everything else.
pub enum Background {
    /// A thread does it.
    Thread(JoinHandle<io::Result<()>>),
    /// It is done when somebody asks what became of it.
    Later(Work),
}

impl Debug for Background {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Background")
    }
}

impl Background {
    /// Whether [`Background::join`] would not have to wait for a thread.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        match self {
            Self::Thread(thread) => thread.is_finished(),
            Self::Later(_) => true,
        }
    }

    /// Waits for its end.
    ///
    /// # Errors
    /// Those of the work.
    pub fn join(self) -> io::Result<()> {
        match self {
            Self::Thread(thread) => {
                thread.join().map_err(|_| io::Error::other("a thread of the store has panicked"))?
            }
            Self::Later(work) => work(),
        }
    }
}

//! A directory of the file system, locked against other processes.
//!
//! It reserves a few file descriptors, so that the store can open its next file when connections
//! have taken all others.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::{DirBuilderExt as _, FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;

use super::directory::{Background, BackgroundWork, Directory, DirectoryFile};

/// The number of files that the store opens at a time in addition to those that stay open.
const SPARE_MAX: usize = 4;

/// A directory that no other process uses.
#[derive(Debug)]
pub struct OsDirectory {
    path: PathBuf,
    own: File,
    lock: File,
    /// The device and inode of the file `lock`.
    id: (u64, u64),
    spare: Mutex<Vec<File>>,
}

impl OsDirectory {
    /// Opens a directory, and creates it if it does not exist. What is created, only its owner can
    /// read.
    ///
    /// # Errors
    /// When the directory cannot be used, or is in use.
    pub fn open(path: &Path) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        let lock = OpenOptions::new().create(true).append(true).open(path.join("lock"))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::other("in use by another process; stop that process first"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let (own, id, spare) = (File::open(path)?, id(&lock.metadata()?), Mutex::default());
        let directory = Self { path: path.to_owned(), own, lock, id, spare };
        directory.refill();
        // Sync the parent, so that the directory itself survives a power loss.
        if let Some(Ok(parent)) = path.canonicalize()?.parent().map(File::open) {
            parent.sync_all()?;
        }
        Ok(directory)
    }

    /// Opens a file, with a reserved descriptor if no other is free.
    fn open_file(&self, options: &OpenOptions, name: &str) -> io::Result<File> {
        let path = self.path.join(name);
        match options.open(&path) {
            Err(error) if is_out_of_descriptors(&error) => {
                self.spare().clear();
                options.open(&path)
            }
            opened => {
                self.refill();
                opened
            }
        }
    }

    /// Reserves descriptors, as many as possible.
    fn refill(&self) {
        let mut spare = self.spare();
        while spare.len() < SPARE_MAX {
            let Ok(another) = self.lock.try_clone() else { return };
            spare.push(another);
        }
    }

    fn spare(&self) -> MutexGuard<'_, Vec<File>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OsDirectory {
    fn drop(&mut self) {
        // Unlock explicitly: a child process may have inherited the file and would keep the lock.
        // If it fails, the lock is released when the last descriptor is closed.
        let _unlocked = self.lock.unlock();
    }
}

fn id(file: &fs::Metadata) -> (u64, u64) {
    (file.dev(), file.ino())
}

fn is_out_of_descriptors(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::MFILE | Errno::NFILE))
}

impl Directory for OsDirectory {
    fn list(&self) -> io::Result<Vec<String>> {
        let read = fs::read_dir(&self.path);
        let entries = match read {
            Err(error) if is_out_of_descriptors(&error) => {
                self.spare().clear();
                fs::read_dir(&self.path)?
            }
            read => read?,
        };
        let mut names = Vec::new();
        for entry in entries {
            // The store's own names are all valid UTF-8.
            names.extend(entry?.file_name().into_string().ok());
        }
        Ok(names)
    }

    fn read(&self, name: &str, at: u64, max: u64) -> io::Result<Vec<u8>> {
        let mut file = self.open_file(OpenOptions::new().read(true), name)?;
        let len = file.metadata()?.len().saturating_sub(at).min(max);
        file.seek(SeekFrom::Start(at))?;
        let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
        file.take(max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn create(&self, name: &str) -> io::Result<Box<dyn DirectoryFile>> {
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true).mode(0o600);
        Ok(Box::new(OsFile(self.open_file(&options, name)?)))
    }

    fn open(&self, name: &str) -> io::Result<Box<dyn DirectoryFile>> {
        Ok(Box::new(OsFile(self.open_file(OpenOptions::new().write(true), name)?)))
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path.join(from), self.path.join(to))
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path.join(name))
    }

    fn sync(&self) -> io::Result<()> {
        self.own.sync_all()
    }

    fn is_in_place(&self, file: &dyn DirectoryFile) -> io::Result<bool> {
        let there = match fs::metadata(self.path.join("lock")) {
            Ok(there) => there,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        Ok(id(&there) == self.id && file.is_linked()?)
    }

    fn spawn(&self, work: BackgroundWork) -> io::Result<Background> {
        let thread = std::thread::Builder::new().name("fold".into());
        Ok(Background::Thread(thread.spawn(work)?))
    }
}

/// A file of the file system.
#[derive(Debug)]
struct OsFile(File);

impl DirectoryFile for OsFile {
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<()> {
        self.0.write_all_at(bytes, at)
    }

    fn cut(&self, len: u64) -> io::Result<()> {
        self.0.set_len(len)
    }

    fn sync(&self) -> io::Result<()> {
        self.0.sync_data()
    }

    fn is_linked(&self) -> io::Result<bool> {
        Ok(self.0.metadata()?.nlink() > 0)
    }
}

//! Files and directories that are there as a whole, or not at all, also after a crash.
//!
//! The data of a store has its own rules: see [`super::LogStore`]. These are for programs that save
//! and restore it.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf, absolute};

use crate::io_context::at;

/// Whether a directory is there and has files.
///
/// # Errors
/// When it cannot be read; the path is named.
pub fn has_files(dir: &Path) -> io::Result<bool> {
    match fs::read_dir(dir) {
        Ok(mut files) => Ok(files.next().is_some()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(at(dir.display())(error)),
    }
}

/// A new file that only its owner may read. It is removed, unless it is kept.
#[derive(Debug)]
pub struct NewFile {
    path: PathBuf,
    file: File,
    is_kept: bool,
}

impl NewFile {
    /// Creates the file.
    ///
    /// # Errors
    /// When it is there already, or cannot be created; the path is named.
    pub fn create(path: &Path) -> io::Result<Self> {
        let path = absolute(path).map_err(at(path.display()))?;
        let opened = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let file = opened.map_err(|error| {
            if error.kind() == io::ErrorKind::AlreadyExists {
                let text = format!("{} is there already, and is not overwritten", path.display());
                return io::Error::new(io::ErrorKind::AlreadyExists, text);
            }
            at(path.display())(error)
        })?;
        Ok(Self { path, file, is_kept: false })
    }

    /// The absolute path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns once the file survives a crash.
    ///
    /// # Errors
    /// When it cannot be synced; then it is removed.
    pub fn keep(mut self) -> io::Result<()> {
        let synced = self.file.sync_all().and_then(|()| sync_parent(&self.path));
        synced.map_err(at(self.path.display()))?;
        self.is_kept = true;
        Ok(())
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes).map_err(at(self.path.display()))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(at(self.path.display()))
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_kept {
            // What is incomplete is of no use.
            let _removed = fs::remove_file(&self.path);
        }
    }
}

/// A directory that is written beside the wanted one, which it then replaces: an interrupted one is
/// no store, and the next attempt removes it.
#[derive(Debug)]
pub struct NewDirectory {
    wanted: PathBuf,
    beside: PathBuf,
}

impl NewDirectory {
    /// Begins a directory, which the caller creates at [`NewDirectory::path`].
    ///
    /// # Errors
    /// When the wanted one has files, or what an interrupted attempt has left cannot be removed.
    pub fn begin(wanted: &Path) -> io::Result<Self> {
        if has_files(wanted)? {
            let text = format!("{} is not empty", wanted.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        let wanted = absolute(wanted).map_err(at(wanted.display()))?;
        let mut name = wanted.file_name().unwrap_or_default().to_owned();
        name.push(".restoring");
        let beside = wanted.with_file_name(name);
        match fs::remove_dir_all(&beside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(at(beside.display())(error))
            }
            Ok(()) | Err(_) => Ok(Self { wanted, beside }),
        }
    }

    /// Where the directory is written.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.beside
    }

    /// Puts the directory, whose files are synced, in the place of the wanted one. Returns once
    /// that survives a crash.
    ///
    /// # Errors
    /// When it cannot be renamed; the path is named.
    pub fn keep(self) -> io::Result<()> {
        let kept = fs::rename(&self.beside, &self.wanted).and_then(|()| sync_parent(&self.wanted));
        kept.map_err(at(self.wanted.display()))
    }
}

/// Syncs the directory that has a file.
fn sync_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

//! The files that the kernel knows, each by a descriptor of the file in the backing directory.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::fs::{Mode, OFlags, ResolveFlags, Stat, fstat, open, openat2};
use rustix::io::Errno;

use super::volume::Seen;

/// The number of the root.
const ROOT: u64 = 1;

/// A file that the kernel knows.
#[derive(Debug)]
pub(super) struct Inode {
    /// Its number for the kernel, which is never used again.
    pub(super) number: u64,
    file: OwnedFd,
    key: FileKey,
    /// The file of the manager, once somebody has locked it.
    pub(super) locked: OnceLock<crate::File>,
    /// The file as it was when its lock was released, and whether it was written to since.
    pub(super) seen: Mutex<Option<Seen>>,
    pub(super) is_dirty: AtomicBool,
}

/// The identity of a file of the backing file system.
type FileKey = (u64, u64);

impl Inode {
    /// Its path, which stays the same however the file is renamed.
    pub(super) fn path(&self) -> PathBuf {
        format!("/proc/self/fd/{}", self.file.as_raw_fd()).into()
    }

    /// The number by which all mounts of the backing file system know it.
    pub(super) const fn backing_number(&self) -> u64 {
        self.key.1
    }

    /// Marks that a program may have written to the file.
    pub(super) fn mark_dirty(&self) {
        self.is_dirty.store(true, Ordering::Release);
    }
}

impl AsFd for Inode {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// All files that the kernel knows.
#[derive(Debug)]
pub(super) struct Inodes {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    known: HashMap<u64, Known>,
    numbers: HashMap<FileKey, u64>,
    last: u64,
}

#[derive(Debug)]
struct Known {
    inode: Arc<Inode>,
    /// How often the kernel has looked it up and not forgotten it.
    lookups: u64,
}

impl Inodes {
    /// The files below an open directory.
    pub(super) fn new(root: OwnedFd) -> Result<Self, Errno> {
        let inodes = Self { table: Mutex::default() };
        inodes.know(root)?;
        Ok(inodes)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file that the kernel knows.
    pub(super) fn inode(&self, number: u64) -> Result<Arc<Inode>, Errno> {
        let table = self.table();
        table.known.get(&number).map(|known| known.inode.clone()).ok_or(Errno::STALE)
    }

    /// Looks a name up in a directory. Other file systems that are mounted below the backing
    /// directory are not entered: one of them may be this one, which cannot wait for itself.
    pub(super) fn look_up(
        &self,
        parent: &Inode,
        name: &OsStr,
    ) -> Result<(Arc<Inode>, Stat), Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let within = ResolveFlags::NO_XDEV;
        self.know(openat2(parent, name, flags, Mode::empty(), within)?)
    }

    /// Counts a lookup of a file that has just been made and is open.
    pub(super) fn know_same(&self, file: &OwnedFd) -> Result<(Arc<Inode>, Stat), Errno> {
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        self.know(open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
    }

    /// Counts a lookup of a file.
    fn know(&self, file: OwnedFd) -> Result<(Arc<Inode>, Stat), Errno> {
        let stat = fstat(&file)?;
        let key = (stat.st_dev, stat.st_ino);
        let mut table = self.table();
        if let Some(number) = table.numbers.get(&key).copied()
            && let Some(known) = table.known.get_mut(&number)
        {
            known.lookups += 1;
            return Ok((known.inode.clone(), stat));
        }
        table.last += 1;
        let number = table.last;
        let inode = Arc::new(Inode {
            number,
            file,
            key,
            locked: OnceLock::new(),
            seen: Mutex::default(),
            is_dirty: AtomicBool::new(false),
        });
        table.numbers.insert(key, number);
        table.known.insert(number, Known { inode: inode.clone(), lookups: 1 });
        Ok((inode, stat))
    }

    /// The kernel forgets some lookups of a file.
    pub(super) fn forget(&self, number: u64, lookups: u64) {
        let mut table = self.table();
        let Some(known) = table.known.get_mut(&number).filter(|_| number != ROOT) else { return };
        known.lookups = known.lookups.saturating_sub(lookups);
        let forgotten = if known.lookups == 0 { table.known.remove(&number) } else { None };
        if let Some(known) = &forgotten {
            table.numbers.remove(&known.inode.key);
        }
        // Its locks are released without the table.
        drop(table);
        drop(forgotten);
    }
}

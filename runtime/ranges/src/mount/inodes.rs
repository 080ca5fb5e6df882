//! The files that the kernel knows, each by a descriptor of the file in the backing directory.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, ResolveFlags, Stat, fstat, open, openat2, statat,
};
use rustix::io::Errno;

use super::caller::Caller;
use super::descriptors::{Descriptors, Taken};
use super::volume::Seen;

/// The number of the root.
const ROOT: u64 = 1;

/// A file that the kernel knows.
#[derive(Debug)]
pub(super) struct Inode {
    /// Its number for the kernel, which is never used again.
    pub(super) number: u64,
    file: OwnedFd,
    /// Its descriptor; the root has one of the process's own.
    _taken: Option<Taken>,
    key: FileKey,
    is_directory: bool,
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

    /// Whether the directory has no name any more, however it lost it.
    fn is_removed(&self) -> bool {
        fstat(&self.file).is_ok_and(|stat| stat.st_nlink == 0)
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
    descriptors: Arc<Descriptors>,
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
    /// The last name by which it was looked up, by which the kernel can be told to forget it.
    name: Option<Name>,
    /// How often the kernel has looked it up and not forgotten it.
    lookups: u64,
}

/// A name in a directory that the kernel knows.
pub(super) type Name = (u64, OsString);

impl Inodes {
    /// The files below an open directory.
    pub(super) fn new(root: OwnedFd, descriptors: Arc<Descriptors>) -> Result<Self, Errno> {
        let inodes = Self { table: Mutex::default(), descriptors };
        inodes.know(root, None, || Ok(None))?;
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
        caller: Caller,
    ) -> Result<(Arc<Inode>, Stat), Errno> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let within = ResolveFlags::NO_XDEV;
        let file = openat2(parent, name, flags, Mode::empty(), within)?;
        let name = (parent.number, name.to_owned());
        self.know(file, Some(name), || self.descriptors.remember(caller.user).map(Some))
    }

    /// Counts a lookup of a file that has just been made and is open.
    pub(super) fn know_same(
        &self,
        file: &OwnedFd,
        name: Name,
        taken: Taken,
    ) -> Result<(Arc<Inode>, Stat), Errno> {
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        let file = open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?;
        self.know(file, Some(name), || Ok(Some(taken)))
    }

    /// Counts a lookup of a file.
    fn know(
        &self,
        file: OwnedFd,
        name: Option<Name>,
        take: impl FnOnce() -> Result<Option<Taken>, Errno>,
    ) -> Result<(Arc<Inode>, Stat), Errno> {
        let stat = fstat(&file)?;
        let key = (stat.st_dev, stat.st_ino);
        let mut table = self.table();
        if let Some(number) = table.numbers.get(&key).copied()
            && let Some(known) = table.known.get_mut(&number)
        {
            known.lookups += 1;
            known.name = name;
            return Ok((known.inode.clone(), stat));
        }
        let taken = take()?;
        table.last += 1;
        let number = table.last;
        let inode = Arc::new(Inode {
            number,
            file,
            _taken: taken,
            key,
            is_directory: FileType::from_raw_mode(stat.st_mode) == FileType::Directory,
            locked: OnceLock::new(),
            seen: Mutex::default(),
            is_dirty: AtomicBool::new(false),
        });
        table.numbers.insert(key, number);
        table.known.insert(number, Known { inode: inode.clone(), name, lookups: 1 });
        Ok((inode, stat))
    }

    /// How many files the kernel has got to know.
    pub(super) fn made(&self) -> u64 {
        self.table().last
    }

    /// A file has another name.
    pub(super) fn renamed(&self, parent: &Inode, name: &OsStr) {
        // The next lookup learns the name that it does not learn here.
        let Ok(stat) = statat(parent, name, AtFlags::SYMLINK_NOFOLLOW) else { return };
        let mut table = self.table();
        let number = table.numbers.get(&(stat.st_dev, stat.st_ino)).copied();
        if let Some(known) = number.and_then(|number| table.known.get_mut(&number)) {
            known.name = Some((parent.number, name.to_owned()));
        }
    }

    /// How many files the kernel knows, and the names of some that nobody has open: of the older
    /// half, and of directories that were removed. Any other directory may be that of a program,
    /// which would have no path any more.
    pub(super) fn old_names(&self) -> (usize, Vec<Name>) {
        let table = self.table();
        let count = table.known.len();
        let closed = table.known.iter().filter(|(_, known)| Arc::strong_count(&known.inode) == 1);
        let named =
            closed.filter_map(|(_, known)| Some((known.inode.clone(), known.name.clone()?)));
        let (directories, mut old): (Vec<_>, Vec<_>) =
            named.partition(|(inode, _)| inode.is_directory);
        // Each directory is asked without the table.
        drop(table);
        old.sort_unstable_by_key(|(inode, _)| inode.number);
        old.truncate(old.len() / 2);
        let removed = directories.into_iter().filter(|(inode, _)| inode.is_removed());
        (count, old.into_iter().chain(removed).map(|(_, name)| name).collect())
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

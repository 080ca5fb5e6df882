//! The files that the kernel knows, each by a descriptor of the file in the backing directory. A
//! directory that nobody has open may have none, and is opened again when it is asked for.

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

use super::descriptors::{Descriptors, Taken};
use super::reopen::{Address, Behind};
use super::seen::Seen;
use crate::mount::kernel::caller::Caller;

/// The number of the root.
const ROOT: u64 = 1;

/// A file that the kernel knows.
#[derive(Debug)]
pub(super) struct Inode {
    /// Its number for the kernel, which is never used again.
    pub(super) number: u64,
    file: OwnedFd,
    /// Its descriptor; the root has one of the process's own.
    taken: Option<Taken>,
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
    fn new(number: u64, file: OwnedFd, stat: &Stat, taken: Option<Taken>) -> Self {
        Self {
            number,
            file,
            taken,
            key: (stat.st_dev, stat.st_ino),
            is_directory: FileType::from_raw_mode(stat.st_mode) == FileType::Directory,
            locked: OnceLock::new(),
            seen: Mutex::default(),
            is_dirty: AtomicBool::new(false),
        }
    }

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
    /// How directories are opened again.
    behind: Option<Behind>,
}

#[derive(Debug, Default)]
struct Table {
    known: HashMap<u64, Known>,
    numbers: HashMap<FileKey, u64>,
    last: u64,
    /// How often a file got a descriptor.
    opened: u64,
}

#[derive(Debug)]
struct Known {
    inode: Kept,
    /// The last name by which it was looked up, by which the kernel can be told to forget it.
    name: Option<Name>,
    /// How often the kernel has looked it up and not forgotten it.
    lookups: u64,
    /// How often the kernel was told to forget it, and did not: programs have it.
    tries: u32,
}

impl Known {
    fn new(inode: &Arc<Inode>, name: Option<Name>) -> Self {
        Self { inode: Kept::Open(inode.clone()), name, lookups: 1, tries: 0 }
    }
}

/// A file that the kernel knows, by its descriptor or without one.
#[derive(Debug)]
enum Kept {
    Open(Arc<Inode>),
    Closed(Box<Closed>),
}

/// A directory without a descriptor.
#[derive(Debug)]
struct Closed {
    address: Address,
    key: FileKey,
    /// Whose descriptor it had.
    user: u32,
}

impl Kept {
    fn key(&self) -> FileKey {
        match self {
            Self::Open(inode) => inode.key,
            Self::Closed(closed) => closed.key,
        }
    }

    /// Whether it is this file, which has the same key: that of a directory without a descriptor
    /// may be another file's by now.
    fn is(&self, file: &OwnedFd) -> bool {
        match self {
            Self::Open(_) => true,
            Self::Closed(closed) => Address::of(file) == Ok(closed.address),
        }
    }

    /// The file, if it has a descriptor and nobody uses it.
    fn idle(&self) -> Option<&Arc<Inode>> {
        match self {
            Self::Open(inode) if Arc::strong_count(inode) == 1 => Some(inode),
            Self::Open(_) | Self::Closed(_) => None,
        }
    }
}

/// A name in a directory that the kernel knows.
pub(super) type Name = (u64, OsString);

impl Inodes {
    /// The files below an open directory.
    pub(super) fn new(root: OwnedFd, descriptors: Arc<Descriptors>) -> Result<Self, Errno> {
        let behind = Behind::of(&root).ok();
        let inodes = Self { table: Mutex::default(), descriptors, behind };
        inodes.know(root, None, || Ok(None))?;
        Ok(inodes)
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A file that the kernel knows.
    pub(super) fn inode(&self, number: u64) -> Result<Arc<Inode>, Errno> {
        let mut table = self.table();
        let table = &mut *table;
        let known = table.known.get_mut(&number).ok_or(Errno::STALE)?;
        match &known.inode {
            Kept::Open(inode) => Ok(inode.clone()),
            Kept::Closed(closed) => {
                let Closed { address, user, .. } = **closed;
                let behind = self.behind.as_ref().ok_or(Errno::STALE)?;
                let taken = self.descriptors.remember_again(user)?;
                let file = behind.open(address)?;
                let stat = fstat(&file)?;
                let inode = Arc::new(Inode::new(number, file, &stat, Some(taken)));
                known.inode = Kept::Open(inode.clone());
                table.opened += 1;
                Ok(inode)
            }
        }
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
        let table = &mut *table;
        if let Some(number) = table.numbers.get(&key).copied()
            && let Some(known) = table.known.get_mut(&number)
            && known.inode.is(&file)
        {
            let inode = match &known.inode {
                Kept::Open(inode) => inode.clone(),
                Kept::Closed(_) => {
                    table.opened += 1;
                    Arc::new(Inode::new(number, file, &stat, take()?))
                }
            };
            known.inode = Kept::Open(inode.clone());
            known.lookups += 1;
            known.name = name;
            return Ok((inode, stat));
        }
        let taken = take()?;
        table.last += 1;
        table.opened += 1;
        let number = table.last;
        let inode = Arc::new(Inode::new(number, file, &stat, taken));
        table.numbers.insert(key, number);
        table.known.insert(number, Known::new(&inode, name));
        Ok((inode, stat))
    }

    /// How often a file got a descriptor.
    pub(super) fn opened(&self) -> u64 {
        self.table().opened
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

    /// How many files have descriptors, and the names of some that nobody has open: of the older
    /// half, and of directories that were removed. Any other directory may be that of a program,
    /// which would have no path any more. Of the files that programs have although nobody has them
    /// open (`O_PATH`) an eighth is tried again.
    pub(super) fn old_names(&self) -> (usize, Vec<Name>) {
        let mut table = self.table();
        let is_open = |known: &&Known| matches!(known.inode, Kept::Open(_));
        let count = table.known.values().filter(is_open).count();
        let idle = table.known.values_mut().filter(|known| known.inode.idle().is_some());
        let (mut directories, mut fresh, mut tried) = (Vec::new(), Vec::new(), Vec::new());
        for known in idle {
            let (Some(inode), Some(name)) = (known.inode.idle(), &known.name) else { continue };
            if inode.is_directory {
                directories.push((inode.clone(), name.clone()));
            } else if known.tries == 0 {
                fresh.push((inode.number, known));
            } else {
                tried.push((known.tries, inode.number, known));
            }
        }
        fresh.sort_unstable_by_key(|(number, _)| *number);
        fresh.truncate(fresh.len().div_ceil(2));
        tried.sort_unstable_by_key(|(tries, number, _)| (*tries, *number));
        tried.truncate(tried.len().div_ceil(8));
        let fresh = fresh.into_iter().map(|(_, known)| known);
        let old = fresh.chain(tried.into_iter().map(|(_, _, known)| known));
        let mut names: Vec<Name> = old
            .filter_map(|known| {
                known.tries = known.tries.saturating_add(1);
                known.name.clone()
            })
            .collect();
        // Each directory is asked without the table.
        drop(table);
        let removed = directories.into_iter().filter(|(inode, _)| inode.is_removed());
        names.extend(removed.map(|(_, name)| name));
        (count, names)
    }

    /// Closes directories that nobody has open, of the older half, if they can be opened again.
    pub(super) fn close_old_directories(&self) {
        let is_closable = |inode: &&Arc<Inode>| inode.is_directory && inode.number != ROOT;
        let table = self.table();
        let idle = table.known.values().filter_map(|known| known.inode.idle());
        let mut old: Vec<Arc<Inode>> = idle.filter(is_closable).cloned().collect();
        drop(table);
        old.sort_unstable_by_key(|inode| inode.number);
        old.truncate(old.len() / 2);
        for inode in old {
            let Some(closed) = self.closed(&inode) else { continue };
            let mut table = self.table();
            // The table has it, and this function: nobody else can get it meanwhile.
            if let Some(known) = table.known.get_mut(&inode.number)
                && Arc::strong_count(&inode) == 2
            {
                known.inode = Kept::Closed(Box::new(closed));
            }
        }
    }

    /// What a directory is opened again by, which is tried.
    fn closed(&self, inode: &Inode) -> Option<Closed> {
        let user = inode.taken.as_ref().filter(|_| !inode.is_removed())?.user();
        let address = Address::of(inode).ok()?;
        let again = fstat(self.behind.as_ref()?.open(address).ok()?).ok()?;
        let key = (again.st_dev, again.st_ino);
        (key == inode.key).then_some(Closed { address, key, user })
    }

    /// The kernel forgets some lookups of a file.
    pub(super) fn forget(&self, number: u64, lookups: u64) {
        let mut table = self.table();
        let Some(known) = table.known.get_mut(&number).filter(|_| number != ROOT) else { return };
        known.lookups = known.lookups.saturating_sub(lookups);
        let forgotten = if known.lookups == 0 { table.known.remove(&number) } else { None };
        if let Some(key) = forgotten.as_ref().map(|known| known.inode.key())
            && table.numbers.get(&key) == Some(&number)
        {
            table.numbers.remove(&key);
        }
        // Its locks are released without the table.
        drop(table);
        drop(forgotten);
    }
}

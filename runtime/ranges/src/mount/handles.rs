//! The files that programs have open.

use std::collections::HashMap;
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, Weak};

use rustix::io::Errno;

use super::descriptors::Taken;
use super::inodes::Inode;
use crate::Owner;

/// An open file or directory.
#[derive(Debug)]
pub(super) struct Handle {
    pub(super) inode: Arc<Inode>,
    pub(super) file: File,
    /// Its descriptors.
    _taken: Taken,
    /// The owners that have locked the file by this handle and not closed it since.
    owners: Mutex<Vec<Owner>>,
}

impl Handle {
    /// Adds an owner. Returns whether it is new.
    fn add(&self, owner: Owner) -> bool {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = !owners.contains(&owner);
        if is_new {
            owners.push(owner);
        }
        is_new
    }

    /// The owners that have locked the file by this handle.
    pub(super) fn owners(&self) -> Vec<Owner> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn left_by(&self, owner: Owner) {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.retain(|other| *other != owner);
    }
}

/// Handles by the number of the file and the owner that has locked it by them.
type LockedBy = HashMap<(u64, Owner), Vec<Weak<Handle>>>;

/// All open files, by the numbers that the kernel has.
#[derive(Debug, Default)]
pub(super) struct Handles {
    open: RwLock<HashMap<u64, Arc<Handle>>>,
    /// The handles by which an owner has locked a file.
    locked: Mutex<LockedBy>,
    last: AtomicU64,
}

impl Handles {
    /// Adds an open file.
    pub(super) fn add(&self, inode: Arc<Inode>, file: File, taken: Taken) -> u64 {
        let number = self.last.fetch_add(1, Ordering::Relaxed) + 1;
        let handle = Arc::new(Handle { inode, file, _taken: taken, owners: Mutex::default() });
        self.open.write().unwrap_or_else(PoisonError::into_inner).insert(number, handle);
        number
    }

    /// An open file.
    pub(super) fn handle(&self, number: u64) -> Result<Arc<Handle>, Errno> {
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        open.get(&number).cloned().ok_or(Errno::BADF)
    }

    /// Removes an open file.
    pub(super) fn remove(&self, number: u64) -> Option<Arc<Handle>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner).remove(&number)
    }

    /// An owner locks a file by a handle.
    pub(super) fn locked_by(&self, handle: &Arc<Handle>, owner: Owner) {
        if handle.add(owner) {
            let mut locked = self.locked.lock().unwrap_or_else(PoisonError::into_inner);
            let handles = locked.entry((handle.inode.number, owner)).or_default();
            handles.push(Arc::downgrade(handle));
        }
    }

    /// An owner has closed a file: whatever handle it has locked it by, its locks are gone.
    pub(super) fn left_by(&self, inode: &Inode, owner: Owner) {
        let mut locked = self.locked.lock().unwrap_or_else(PoisonError::into_inner);
        let left = locked.remove(&(inode.number, owner));
        drop(locked);
        for handle in left.into_iter().flatten().filter_map(|handle| handle.upgrade()) {
            handle.left_by(owner);
        }
    }
}

//! The files that programs have open.

use std::collections::HashMap;
use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use rustix::io::Errno;

use super::descriptors::Taken;
use super::inodes::Inode;
use crate::{ByteRange, Owner};

/// An open file or directory.
#[derive(Debug)]
pub(super) struct Handle {
    pub(super) inode: Arc<Inode>,
    pub(super) file: File,
    /// Its descriptors.
    _taken: Taken,
    /// The owners that have locked the file by this handle and not closed it since.
    owners: Mutex<Vec<Owner>>,
    /// What was requested by this handle while another one had the same owner.
    shared: Mutex<Vec<(Owner, ByteRange)>>,
}

/// How many requests of a handle are remembered whose owner another handle has, too.
const SHARED_MAX: usize = 1000;

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

    fn shared(&self) -> MutexGuard<'_, Vec<(Owner, ByteRange)>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
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
        let handle = Arc::new(Handle {
            inode,
            file,
            _taken: taken,
            owners: Mutex::default(),
            shared: Mutex::default(),
        });
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

    fn locked(&self) -> MutexGuard<'_, LockedBy> {
        self.locked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An owner locks a file by a handle.
    pub(super) fn locked_by(&self, handle: &Arc<Handle>, owner: Owner, range: ByteRange) {
        let mut locked = self.locked();
        let handles = locked.entry((handle.inode.number, owner)).or_default();
        if handle.add(owner) {
            handles.push(Arc::downgrade(handle));
        }
        let mut shared = handle.shared();
        if handles.len() > 1 && shared.len() < SHARED_MAX && shared.last() != Some(&(owner, range))
        {
            shared.push((owner, range));
        }
    }

    /// Releases the locks that were taken by a handle whose end the kernel tells. It does so in its
    /// own time: an open file may have come after it to which the kernel gave the same identity,
    /// and whose locks stay.
    pub(super) fn ended(&self, handle: &Arc<Handle>, mut unlock: impl FnMut(Owner, ByteRange)) {
        for owner in handle.owners() {
            // No other handle gets this owner meanwhile.
            let mut locked = self.locked();
            let key = (handle.inode.number, owner);
            let others: Vec<_> = locked.remove(&key).into_iter().flatten().collect();
            let others = others.into_iter().filter(|other| other.as_ptr() != Arc::as_ptr(handle));
            let others: Vec<_> = others.filter(|other| other.strong_count() > 0).collect();
            let kept =
                others.iter().filter_map(Weak::upgrade).flat_map(|other| kept(&other, owner));
            for range in gaps(kept.collect()) {
                unlock(owner, range);
            }
            if !others.is_empty() {
                locked.insert(key, others);
            }
        }
    }

    /// An owner has closed a file: whatever handle it has locked it by, its locks are gone.
    pub(super) fn left_by(&self, inode: &Inode, owner: Owner) {
        let mut locked = self.locked();
        let left = locked.remove(&(inode.number, owner));
        drop(locked);
        for handle in left.into_iter().flatten().filter_map(|handle| handle.upgrade()) {
            handle.left_by(owner);
        }
    }
}

/// What an owner has requested by a handle since another one had the same owner: everything, if
/// that was too much to be remembered.
fn kept(handle: &Handle, owner: Owner) -> Vec<ByteRange> {
    let shared = handle.shared();
    if shared.len() >= SHARED_MAX {
        return vec![ByteRange::ALL];
    }
    shared.iter().filter(|(other, _)| *other == owner).map(|(_, range)| *range).collect()
}

/// What is between ranges, before and behind them.
fn gaps(mut kept: Vec<ByteRange>) -> Vec<ByteRange> {
    if kept.is_empty() {
        return vec![ByteRange::ALL];
    }
    kept.sort_unstable_by_key(|range| range.first());
    let mut gaps = Vec::new();
    let mut next = Some(ByteRange::ALL.first());
    for range in kept {
        let Some(first) = next else { break };
        if range.first() > first {
            gaps.extend(ByteRange::new(first, range.first() - first));
        }
        next = range.last().checked_add(1).map(|end| end.max(first));
    }
    if let Some(first) = next
        && let last = ByteRange::ALL.last()
        && first <= last
    {
        gaps.extend(ByteRange::new(first, (last - first).saturating_add(1)));
    }
    gaps
}

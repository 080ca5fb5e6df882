//! Locks of programs: `fcntl` of processes and of open files, and `flock`.

use std::num::NonZeroU32;
use std::sync::Arc;

use polyfuse::Request;
use polyfuse::op;
use polyfuse::reply::LkOut;
use rustix::io::Errno;

use super::volume::Volume;
use crate::mount::kernel::answer::answer;
use crate::{ByteRange, HeldLock, LockError, LockRequest, LockType, Owner, WHOLE_FILE};

/// The numbers of the types of locks.
const READ: u32 = nix::libc::F_RDLCK as u32;
const WRITE: u32 = nix::libc::F_WRLCK as u32;
const UNLOCK: u32 = nix::libc::F_UNLCK as u32;

/// What a program asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct LockCall {
    inode: u64,
    handle: u64,
    owner: Owner,
    process: u32,
    /// `None`: to release.
    kind: Option<LockType>,
    range: ByteRange,
    waits: bool,
    is_flock: bool,
}

impl LockCall {
    pub(super) fn fcntl(op: &op::Setlk<'_>) -> Result<Self, Errno> {
        Ok(Self {
            inode: op.ino(),
            handle: op.fh(),
            owner: Owner(op.owner().into_raw()),
            process: op.pid(),
            kind: kind(op.typ())?,
            range: range(op.start(), op.end())?,
            waits: op.sleep(),
            is_flock: false,
        })
    }

    pub(super) fn flock(op: &op::Flock<'_>) -> Result<Self, Errno> {
        let operation = op.op().and_then(|op| i32::try_from(op).ok()).ok_or(Errno::INVAL)?;
        let kind = match operation & !nix::libc::LOCK_NB {
            nix::libc::LOCK_SH => Some(LockType::Shared),
            nix::libc::LOCK_EX => Some(LockType::Exclusive),
            nix::libc::LOCK_UN => None,
            _ => return Err(Errno::INVAL),
        };
        Ok(Self {
            inode: op.ino(),
            handle: op.fh(),
            // An open file has locks of both kinds, which have nothing to do with each other.
            owner: Owner(!op.owner().into_raw()),
            process: 0,
            kind,
            range: WHOLE_FILE,
            waits: operation & nix::libc::LOCK_NB == 0,
            is_flock: true,
        })
    }
}

fn kind(number: u32) -> Result<Option<LockType>, Errno> {
    match number {
        READ => Ok(Some(LockType::Shared)),
        WRITE => Ok(Some(LockType::Exclusive)),
        UNLOCK => Ok(None),
        _ => Err(Errno::INVAL),
    }
}

fn range(first: u64, last: u64) -> Result<ByteRange, Errno> {
    let length = last.checked_sub(first).ok_or(Errno::INVAL)?.saturating_add(1);
    ByteRange::new(first, length).map_err(|_| Errno::OVERFLOW)
}

/// Answers a request for a lock, now or when it has an outcome.
pub(super) fn lock(volume: &Arc<Volume>, request: Request, call: LockCall) {
    if !volume.has_locks() {
        return answer(&request, Ok(()));
    }
    let Some(kind) = call.kind else { return answer(&request, unlock(volume, &call)) };
    let inode = match volume.handles.handle(call.handle) {
        Ok(handle) => {
            volume.handles.locked_by(&handle, call.owner, call.range);
            handle.inode.clone()
        }
        Err(error) => return answer::<()>(&request, Err(error)),
    };
    let locked = volume.locked(&inode);
    if call.is_flock {
        // Another type replaces the lock in two steps, as on Linux.
        let held = volume.manager.held(locked, call.owner, call.range);
        if held.is_none_or(|held| held.kind != kind)
            && let Err(error) = volume.manager.unlock(locked, call.owner, call.range)
        {
            return answer::<()>(&request, Err(errno(error)));
        }
    }
    let number = request.unique();
    if call.waits && !volume.waits.begin(number) {
        return answer::<()>(&request, Err(Errno::INTR));
    }
    let LockCall { owner, process, range, waits, .. } = call;
    let wanted = LockRequest { owner, process, range, kind, waits };
    let shared = volume.clone();
    let ticket = volume.manager.request(locked, wanted, move |outcome| {
        if waits {
            shared.waits.end(number);
        }
        answer(&request, outcome.map_err(errno));
    });
    if let Some(ticket) = ticket
        && waits
        && !volume.waits.wait(number, ticket)
    {
        volume.manager.withdraw(ticket);
    }
}

fn unlock(volume: &Arc<Volume>, call: &LockCall) -> Result<(), Errno> {
    let inode = volume.inodes.inode(call.inode)?;
    let Some(locked) = inode.locked.get() else { return Ok(()) };
    volume.manager.unlock(locked, call.owner, call.range).map_err(errno)
}

/// A signal ends a wait.
pub(super) fn interrupt(volume: &Volume, number: u64) {
    if let Some(ticket) = volume.waits.interrupt(number) {
        volume.manager.withdraw(ticket);
    }
}

/// The lock that is in the way of another one.
pub(super) fn test(volume: &Volume, op: &op::Getlk<'_>) -> Result<LkOut, Errno> {
    let (kind, range) = (kind(op.typ())?, range(op.start(), op.end())?);
    let inode = volume.inodes.inode(op.ino())?;
    let owner = Owner(op.owner().into_raw());
    let found = inode.locked.get().and_then(|locked| match kind {
        Some(kind) => volume.manager.test(locked, owner, kind, range),
        // To release is in nobody's way: it asks for what the owner has itself.
        None => volume.manager.held(locked, owner, range),
    });
    let mut out = LkOut::default();
    let lock = out.file_lock();
    match found {
        None => lock.typ(UNLOCK),
        Some(HeldLock { process, kind, range, .. }) => {
            lock.typ(if kind == LockType::Shared { READ } else { WRITE });
            lock.start(range.first());
            lock.end(range.last());
            lock.pid(process.map_or(0, NonZeroU32::get));
        }
    }
    Ok(out)
}

fn errno(error: LockError) -> Errno {
    match error {
        LockError::WouldBlock => Errno::AGAIN,
        LockError::Withdrawn => Errno::INTR,
        LockError::Refused => Errno::NOLCK,
        LockError::Lost | LockError::Stopped => Errno::IO,
    }
}

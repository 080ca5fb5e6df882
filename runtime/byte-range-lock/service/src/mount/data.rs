//! The contents of files: opened, read, written, closed.

use std::fs::File;
use std::io::{BufRead, IoSlice};
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use polyfuse::Data;
use polyfuse::op;
use polyfuse::reply::{OpenOut, StatfsOut, WriteOut};
use rustix::fs::{
    self, FallocateFlags, Mode, OFlags, fallocate, fcntl_getfl, fdatasync, fstat, fstatfs, fsync,
};
use rustix::io::{Errno, ReadWriteFlags, pwritev2};

use super::descriptors::Taken;
use super::handles::Handle;
use super::inodes::Inode;
use super::volume::Volume;
use super::xattrs::keeping_rights;
use crate::mount::kernel::caller::Caller;
use crate::{Access, ByteRange, Owner, WHOLE_FILE};

pub(super) fn open(volume: &Volume, op: &op::Open<'_>, caller: Caller) -> Result<OpenOut, Errno> {
    let taken = volume.descriptors.open(caller.user)?;
    let inode = volume.inodes.inode(op.ino())?;
    // What is read is copied here, to where it need not be aligned.
    let unwanted =
        OFlags::CREATE | OFlags::EXCL | OFlags::NOCTTY | OFlags::NOFOLLOW | OFlags::DIRECT;
    let flags = (OFlags::from_bits_retain(op.flags()) | OFlags::CLOEXEC) - unwanted;
    let file = fs::open(inode.path(), flags, Mode::empty())?;
    Ok(opened(volume, inode, File::from(file), taken, flags))
}

/// A handle of an open file.
pub(super) fn opened(
    volume: &Volume,
    inode: Arc<Inode>,
    file: File,
    taken: Taken,
    flags: OFlags,
) -> OpenOut {
    let mut out = OpenOut::default();
    out.fh(volume.handles.add(inode, file, taken));
    // Past the kernel's copies, each read and write is asked for, with its owner; and an
    // append is one request, whose place the file system behind decides.
    out.direct_io(volume.is_mandatory || flags.contains(OFlags::APPEND));
    out
}

pub(super) fn read(volume: &Volume, op: &op::Read<'_>) -> Result<Vec<u8>, Errno> {
    let handle = volume.handles.handle(op.fh())?;
    let size = usize::try_from(op.size()).map_err(|_| Errno::INVAL)?;
    permit_at(volume, &handle, op.lock_owner(), Access::Read, op.offset(), size)?;
    let mut data = vec![0; size];
    let mut length = 0;
    while length < size {
        let at = op.offset() + u64::try_from(length).unwrap_or(u64::MAX);
        match handle.file.read_at(&mut data[length..], at).map_err(errno)? {
            0 => break,
            more => length += more,
        }
    }
    data.truncate(length);
    Ok(data)
}

pub(super) fn write(
    volume: &Arc<Volume>,
    op: &op::Write<'_>,
    mut data: Data<'_>,
    caller: Caller,
) -> Result<WriteOut, Errno> {
    let handle = volume.handles.handle(op.fh())?;
    let data = data.fill_buf().map_err(errno)?;
    let is_append = OFlags::from_bits_retain(op.flags()).contains(OFlags::APPEND);
    let end = if is_append { size_of(&handle)? } else { op.offset() };
    permit_at(volume, &handle, op.lock_owner(), Access::Write, end, data.len())?;
    handle.inode.mark_dirty();
    let write = || write_at(&handle, data, op.offset(), is_append);
    let write = || caller.change(&handle.file, write);
    let size = if caller.is_kernel() { keeping_rights(&handle.file, write)? } else { write()? };
    if is_append && size_of(&handle)? != op.offset() + size as u64 {
        volume.drop_copies_later(&handle.inode);
    }
    let mut out = WriteOut::default();
    out.size(u32::try_from(size).unwrap_or(u32::MAX));
    Ok(out)
}

fn permit_at(
    volume: &Volume,
    handle: &Handle,
    by: Option<op::LockOwner>,
    access: Access,
    offset: u64,
    size: usize,
) -> Result<(), Errno> {
    let size = u64::try_from(size).map_err(|_| Errno::INVAL)?;
    // Nothing is done with no bytes.
    let Ok(range) = ByteRange::new(offset, size) else { return Ok(()) };
    volume.permit(&handle.inode, Some(handle), by, access, range)
}

/// A program closes a descriptor: all of its locks of the file are released.
pub(super) fn flush(volume: &Volume, op: &op::Flush<'_>) -> Result<(), Errno> {
    let inode = volume.inodes.inode(op.ino())?;
    if let Some(locked) = inode.locked.get() {
        let owner = Owner(op.lock_owner().into_raw());
        // Another thread of the process may wait for a lock, and goes on to wait. That a lock
        // was lost is of no interest any more.
        let _lost = volume.manager.unlock(locked, owner, ALL_BYTES);
        volume.handles.left_by(&inode, owner);
    }
    Ok(())
}

/// Nobody has the open file any more. Locks that were taken by it are those of the open file
/// itself, or of a process that has passed it on; nobody else could release them.
pub(super) fn release(volume: &Volume, number: u64) {
    let Some(handle) = volume.handles.remove(number) else { return };
    let Some(locked) = handle.inode.locked.get() else { return };
    volume.handles.ended(&handle, |owner, range| {
        // That a lock was lost is of no interest any more.
        let _lost = volume.manager.unlock(locked, owner, range);
    });
}

pub(super) fn sync(volume: &Volume, number: u64, is_data_only: bool) -> Result<(), Errno> {
    let handle = volume.handles.handle(number)?;
    if is_data_only { fdatasync(&handle.file) } else { fsync(&handle.file) }
}

pub(super) fn allocate(
    volume: &Volume,
    op: &op::Fallocate<'_>,
    caller: Caller,
) -> Result<(), Errno> {
    let handle = volume.handles.handle(op.fh())?;
    let size = usize::try_from(op.length()).map_err(|_| Errno::FBIG)?;
    permit_at(volume, &handle, None, Access::Write, op.offset(), size)?;
    handle.inode.mark_dirty();
    let mode = FallocateFlags::from_bits_retain(op.mode());
    caller.change(&handle.file, || fallocate(&handle.file, mode, op.offset(), op.length()))
}

pub(super) fn statistics(volume: &Volume, number: u64) -> Result<StatfsOut, Errno> {
    let found = fstatfs(volume.inodes.inode(number)?.as_ref())?;
    let mut out = StatfsOut::default();
    let statfs = out.statfs();
    let size = u32::try_from(found.f_bsize).unwrap_or(4096);
    statfs.bsize(size);
    statfs.frsize(u32::try_from(found.f_frsize).unwrap_or(size));
    statfs.blocks(found.f_blocks);
    statfs.bfree(found.f_bfree);
    statfs.bavail(found.f_bavail);
    statfs.files(found.f_files);
    statfs.ffree(found.f_ffree);
    statfs.namelen(u32::try_from(found.f_namelen).unwrap_or(255));
    Ok(out)
}

/// The size of an open file.
fn size_of(handle: &Handle) -> Result<u64, Errno> {
    Ok(u64::try_from(fstat(&handle.file)?.st_size).unwrap_or(0))
}

/// Writes at a place, or at the end, wherever that is by now. The program may have changed its mind
/// about that since it has opened the file.
fn write_at(handle: &Handle, data: &[u8], at: u64, is_append: bool) -> Result<usize, Errno> {
    let how = if is_append { ReadWriteFlags::APPEND } else { ReadWriteFlags::empty() };
    let was_for_appends = fcntl_getfl(&handle.file)?.contains(OFlags::APPEND);
    let how = if was_for_appends && !is_append { NO_APPEND } else { how };
    pwritev2(&handle.file, &[IoSlice::new(data)], at, how)
}

/// `RWF_NOAPPEND`: a file that was opened for appends is written at a place (since Linux 6.9).
const NO_APPEND: ReadWriteFlags = ReadWriteFlags::from_bits_retain(0x20);

/// All bytes that a file can have.
const ALL_BYTES: ByteRange = match ByteRange::new(0, WHOLE_FILE.first()) {
    Ok(range) => range,
    Err(_) => unreachable!(),
};

/// The number of an error.
pub(super) fn errno(error: std::io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

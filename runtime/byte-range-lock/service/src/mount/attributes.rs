//! The attributes of files: read, told to the kernel, and changed.

use std::fs::File;

use polyfuse::op::{self, SetAttrTime};
use polyfuse::reply::{AttrOut, EntryOut, FileAttr};
use rustix::fs::{
    AtFlags, CWD, Gid, Mode, OFlags, Stat, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT, Uid,
    chmodat, chownat, fstat, ftruncate, open, utimensat,
};
use rustix::io::Errno;

use super::inodes::Inode;
use super::stat::{SET_IDS, since_epoch};
use super::volume::Volume;
use crate::mount::kernel::caller::Caller;
use crate::{Access, ByteRange};

fn fill(attr: &mut FileAttr, stat: &Stat) {
    attr.ino(stat.st_ino);
    attr.size(u64::try_from(stat.st_size).unwrap_or(0));
    attr.mode(stat.st_mode);
    attr.nlink(u32::try_from(stat.st_nlink).unwrap_or(u32::MAX));
    attr.uid(stat.st_uid);
    attr.gid(stat.st_gid);
    attr.rdev(u32::try_from(stat.st_rdev).unwrap_or(0));
    attr.blksize(u32::try_from(stat.st_blksize).unwrap_or(4096));
    attr.blocks(u64::try_from(stat.st_blocks).unwrap_or(0));
    attr.atime(since_epoch(stat.st_atime, stat.st_atime_nsec));
    attr.mtime(since_epoch(stat.st_mtime, stat.st_mtime_nsec));
    attr.ctime(since_epoch(stat.st_ctime, stat.st_ctime_nsec));
}

/// What the kernel gets to know of a name.
pub(super) fn entry(volume: &Volume, inode: &Inode, stat: &Stat) -> EntryOut {
    let mut entry = EntryOut::default();
    entry.ino(inode.number);
    entry.ttl_attr(volume.attributes_kept(stat));
    entry.ttl_entry(volume.names_kept);
    fill(entry.attr(), stat);
    entry
}

/// What the kernel gets to know of a file.
fn shown(volume: &Volume, stat: &Stat) -> AttrOut {
    let mut out = AttrOut::default();
    out.ttl(volume.attributes_kept(stat));
    fill(out.attr(), stat);
    out
}

pub(super) fn read(volume: &Volume, number: u64) -> Result<AttrOut, Errno> {
    Ok(shown(volume, &fstat(volume.inodes.inode(number)?.as_ref())?))
}

pub(super) fn set(volume: &Volume, op: &op::Setattr<'_>, caller: Caller) -> Result<AttrOut, Errno> {
    let inode = volume.inodes.inode(op.ino())?;
    let stat = fstat(&inode)?;
    if is_owners(op, &stat) && !caller.owns(&stat) {
        return Err(Errno::PERM);
    }
    if let Some(mode) = op.mode() {
        set_mode(&inode, mode & 0o7777)?;
    }
    if op.uid().is_some() || op.gid().is_some() {
        let (user, group) = (op.uid().map(Uid::from_raw), op.gid().map(Gid::from_raw));
        caller.change(&inode, || chownat(&inode, "", user, group, AtFlags::EMPTY_PATH))?;
    }
    if let Some(size) = op.size() {
        caller.change(&inode, || truncate(volume, &inode, op, size))?;
    }
    if op.atime().is_some() || op.mtime().is_some() {
        let last_access = time(op.atime());
        let last_modification = time(op.mtime());
        let times = Timestamps { last_access, last_modification };
        utimensat(&inode, "", &times, AtFlags::EMPTY_PATH)?;
    }
    Ok(shown(volume, &fstat(&inode)?))
}

/// To cut a file off is to write all bytes behind its new end.
fn truncate(volume: &Volume, inode: &Inode, op: &op::Setattr<'_>, size: u64) -> Result<(), Errno> {
    let handle = op.fh().map(|fh| volume.handles.handle(fh)).transpose()?;
    let range = ByteRange::new(size, crate::BYTES_END - size).map_err(|_| Errno::FBIG)?;
    volume.permit(inode, handle.as_deref(), op.lock_owner(), Access::Write, range)?;
    inode.mark_dirty();
    match handle {
        Some(handle) => ftruncate(&handle.file, size),
        None => {
            let flags = OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
            let file: File = open(inode.path(), flags, Mode::empty())?.into();
            ftruncate(&file, size)
        }
    }
}

/// Whether only the owner of a file may change what is to be changed. Before a write of others, the
/// kernel takes the bits of programs.
fn is_owners(op: &op::Setattr<'_>, stat: &Stat) -> bool {
    let is_set = |time| matches!(time, Some(SetAttrTime::Timespec(_)));
    let takes_bits = |mode| (mode ^ stat.st_mode) & 0o7777 & !(stat.st_mode & SET_IDS) == 0;
    op.mode().is_some_and(|mode| !takes_bits(mode))
        || op.uid().is_some()
        || op.gid().is_some()
        || is_set(op.atime())
        || is_set(op.mtime())
}

/// Sets the permissions of a file.
fn set_mode(inode: &Inode, mode: u32) -> Result<(), Errno> {
    let set = chmodat(CWD, inode.path(), Mode::from_raw_mode(mode), AtFlags::empty());
    // Without root, the kernel has asked whether the file is the program's. If it is not, this is
    // the kernel's wish before a write, which itself takes these bits.
    if set == Err(Errno::PERM) && (fstat(inode)?.st_mode ^ mode) & 0o7777 & !SET_IDS == 0 {
        return Ok(());
    }
    set
}

fn time(time: Option<SetAttrTime>) -> Timespec {
    match time {
        Some(SetAttrTime::Timespec(at)) => Timespec {
            tv_sec: i64::try_from(at.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: at.subsec_nanos().into(),
        },
        Some(SetAttrTime::Now) => Timespec { tv_sec: 0, tv_nsec: UTIME_NOW },
        Some(_) | None => Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT },
    }
}

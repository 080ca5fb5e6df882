//! Names: looked up, created, linked, renamed, removed.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use polyfuse::op;
use polyfuse::reply::{EntryOut, OpenOut};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RenameFlags, ResolveFlags, ftruncate, linkat, mkdirat,
    mknodat, openat2, readlinkat, renameat_with, statat, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::attributes::entry;
use super::data::opened;
use super::inodes::Inode;
use super::volume::Volume;
use crate::mount::kernel::caller::Caller;
use crate::{Access, ByteRange};

pub(super) fn look_up(
    volume: &Volume,
    op: &op::Lookup<'_>,
    caller: Caller,
) -> Result<EntryOut, Errno> {
    known(volume, &*volume.inodes.inode(op.parent())?, op.name(), caller)
}

pub(super) fn forget(volume: &Volume, forgets: &op::Forgets<'_>) {
    for forget in forgets.as_ref() {
        volume.inodes.forget(forget.ino(), forget.nlookup());
    }
}

pub(super) fn read_link(volume: &Volume, op: &op::Readlink<'_>) -> Result<Vec<u8>, Errno> {
    Ok(readlinkat(volume.inodes.inode(op.ino())?.as_ref(), "", Vec::new())?.into_bytes())
}

pub(super) fn make_link(
    volume: &Volume,
    op: &op::Symlink<'_>,
    caller: Caller,
) -> Result<EntryOut, Errno> {
    let parent = volume.inodes.inode(op.parent())?;
    caller.make(0, || symlinkat(op.link(), &parent, op.name()))?;
    known(volume, &parent, op.name(), caller)
}

pub(super) fn make_node(
    volume: &Volume,
    op: &op::Mknod<'_>,
    caller: Caller,
) -> Result<EntryOut, Errno> {
    let parent = volume.inodes.inode(op.parent())?;
    let (kind, mode) = (FileType::from_raw_mode(op.mode()), Mode::from_raw_mode(op.mode()));
    let device = op.rdev().into();
    caller.make(op.umask(), || mknodat(&parent, op.name(), kind, mode & Mode::all(), device))?;
    known(volume, &parent, op.name(), caller)
}

pub(super) fn make_directory(
    volume: &Volume,
    op: &op::Mkdir<'_>,
    caller: Caller,
) -> Result<EntryOut, Errno> {
    let parent = volume.inodes.inode(op.parent())?;
    let mode = Mode::from_raw_mode(op.mode());
    caller.make(op.umask(), || mkdirat(&parent, op.name(), mode))?;
    known(volume, &parent, op.name(), caller)
}

pub(super) fn create(
    volume: &Volume,
    op: &op::Create<'_>,
    caller: Caller,
) -> Result<(EntryOut, OpenOut), Errno> {
    let parent = volume.inodes.inode(op.parent())?;
    // What is there already, the kernel opens, if the program may: it looks the name up again.
    let flags = OFlags::from_bits_retain(op.open_flags()) | OFlags::CREATE | OFlags::EXCL;
    let flags = (flags | OFlags::NOFOLLOW | OFlags::CLOEXEC) - OFlags::DIRECT - OFlags::NOCTTY;
    let mode = Mode::from_raw_mode(op.mode() & 0o7777);
    let make = || openat2(&parent, op.name(), flags, mode, ResolveFlags::NO_XDEV);
    // Nothing is made that cannot be opened.
    let (open, remembered) =
        (volume.descriptors.open(caller.user)?, volume.descriptors.remember(caller.user)?);
    let asks_for_new = OFlags::from_bits_retain(op.open_flags()).contains(OFlags::EXCL);
    let made = caller.make(op.umask(), make);
    let is_there = matches!(made, Err(Errno::EXIST)) && !asks_for_new;
    let file = if is_there { open_there(&parent, op, caller, flags)? } else { made? };
    let name = (parent.number, op.name().to_owned());
    let (inode, stat) = volume.inodes.know_same(&file, name, remembered)?;
    if is_there && flags.contains(OFlags::TRUNC) {
        volume.permit(&inode, None, None, Access::Write, ByteRange::ALL)?;
        inode.mark_dirty();
        caller.change(&file, || ftruncate(&file, 0)).map_err(|_| Errno::STALE)?;
    }
    let known = entry(volume, &inode, &stat);
    Ok((known, opened(volume, inode, File::from(file), open, flags)))
}

/// What the kernel gets to know of a name.
pub(super) fn known(
    volume: &Volume,
    parent: &Inode,
    name: &OsStr,
    caller: Caller,
) -> Result<EntryOut, Errno> {
    let (inode, stat) = volume.inodes.look_up(parent, name, caller)?;
    Ok(entry(volume, &inode, &stat))
}

pub(super) fn link(volume: &Volume, op: &op::Link<'_>, caller: Caller) -> Result<EntryOut, Errno> {
    let (inode, parent) = (volume.inodes.inode(op.ino())?, volume.inodes.inode(op.newparent())?);
    let path = inode.path();
    linkat(rustix::fs::CWD, path, &parent, op.newname(), AtFlags::SYMLINK_FOLLOW)?;
    known(volume, &parent, op.newname(), caller)
}

pub(super) fn remove(
    volume: &Volume,
    parent: u64,
    name: &OsStr,
    flags: AtFlags,
) -> Result<(), Errno> {
    unlinkat(volume.inodes.inode(parent)?.as_ref(), name, flags)
}

pub(super) fn rename(volume: &Volume, op: &op::Rename<'_>) -> Result<(), Errno> {
    let [from, to] = [op.parent(), op.newparent()].map(|parent| volume.inodes.inode(parent));
    let [from, to]: [Arc<Inode>; 2] = [from?, to?];
    let flags = RenameFlags::from_bits_retain(op.flags());
    renameat_with(&from, op.name(), &to, op.newname(), flags)?;
    volume.inodes.renamed(&to, op.newname());
    if flags.contains(RenameFlags::EXCHANGE) {
        volume.inodes.renamed(&from, op.name());
    }
    Ok(())
}

/// Opens what another mount has made since the kernel looked, and may remove before it looks again,
/// or makes it. The program needs its own rights for that. Where it has none, or what is there is
/// no regular file, the kernel looks again.
fn open_there(
    parent: &Inode,
    op: &op::Create<'_>,
    caller: Caller,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let found = statat(parent, op.name(), AtFlags::SYMLINK_NOFOLLOW);
    if found.is_ok_and(|it| FileType::from_raw_mode(it.st_mode) != FileType::RegularFile) {
        return Err(Errno::STALE);
    }
    let (flags, mode) =
        (flags - OFlags::EXCL - OFlags::TRUNC, Mode::from_raw_mode(op.mode() & 0o7777));
    let open = || openat2(parent, op.name(), flags, mode, ResolveFlags::NO_XDEV);
    caller.as_itself(op.umask(), open).map_err(|_| Errno::STALE)
}

//! Names: looked up, created, linked, renamed, removed.

use std::ffi::OsStr;
use std::fs::File;
use std::sync::Arc;

use polyfuse::op;
use polyfuse::reply::{EntryOut, OpenOut};
use rustix::fs::{
    AtFlags, FileType, Gid, Mode, OFlags, RenameFlags, ResolveFlags, Stat, Uid, chownat, fstat,
    linkat, mkdirat, mknodat, openat2, readlinkat, renameat_with, symlinkat, unlinkat,
};
use rustix::io::Errno;

use super::inodes::Inode;
use super::request::Caller;
use super::volume::Volume;

/// The bit of a directory by which what is created in it gets its group.
const SET_GROUP: u32 = 0o2000;

impl Volume {
    pub(super) fn look_up(&self, op: &op::Lookup<'_>) -> Result<EntryOut, Errno> {
        let parent = self.inodes.inode(op.parent())?;
        let (inode, stat) = self.inodes.look_up(&parent, op.name())?;
        Ok(self.entry(&inode, &stat))
    }

    pub(super) fn forget(&self, forgets: &op::Forgets<'_>) {
        for forget in forgets.as_ref() {
            self.inodes.forget(forget.ino(), forget.nlookup());
        }
    }

    pub(super) fn read_link(&self, op: &op::Readlink<'_>) -> Result<Vec<u8>, Errno> {
        Ok(readlinkat(self.inodes.inode(op.ino())?.as_ref(), "", Vec::new())?.into_bytes())
    }

    pub(super) fn make_link(
        &self,
        op: &op::Symlink<'_>,
        caller: Caller,
    ) -> Result<EntryOut, Errno> {
        let parent = self.inodes.inode(op.parent())?;
        symlinkat(op.link(), &parent, op.name())?;
        self.made_entry(&parent, op.name(), caller)
    }

    pub(super) fn make_node(&self, op: &op::Mknod<'_>, caller: Caller) -> Result<EntryOut, Errno> {
        let parent = self.inodes.inode(op.parent())?;
        let (kind, mode) = (FileType::from_raw_mode(op.mode()), Mode::from_raw_mode(op.mode()));
        mknodat(&parent, op.name(), kind, mode & Mode::all(), op.rdev().into())?;
        self.made_entry(&parent, op.name(), caller)
    }

    pub(super) fn make_directory(
        &self,
        op: &op::Mkdir<'_>,
        caller: Caller,
    ) -> Result<EntryOut, Errno> {
        let parent = self.inodes.inode(op.parent())?;
        mkdirat(&parent, op.name(), Mode::from_raw_mode(op.mode()))?;
        self.made_entry(&parent, op.name(), caller)
    }

    pub(super) fn create(
        &self,
        op: &op::Create<'_>,
        caller: Caller,
    ) -> Result<(EntryOut, OpenOut), Errno> {
        let parent = self.inodes.inode(op.parent())?;
        let flags = OFlags::from_bits_retain(op.open_flags()) | OFlags::CREATE;
        let flags = (flags | OFlags::NOFOLLOW | OFlags::CLOEXEC) - OFlags::NOCTTY;
        let mode = Mode::from_raw_mode(op.mode() & 0o7777);
        let file = openat2(&parent, op.name(), flags, mode, ResolveFlags::NO_XDEV)?;
        let (inode, stat) = self.made(&parent, op.name(), caller)?;
        let entry = self.entry(&inode, &stat);
        Ok((entry, self.opened(inode, File::from(file))))
    }

    fn made_entry(&self, parent: &Inode, name: &OsStr, caller: Caller) -> Result<EntryOut, Errno> {
        let (inode, stat) = self.made(parent, name, caller)?;
        Ok(self.entry(&inode, &stat))
    }

    /// Gives a new file to the program's user, if the file system may do that.
    fn made(
        &self,
        parent: &Inode,
        name: &OsStr,
        caller: Caller,
    ) -> Result<(Arc<Inode>, Stat), Errno> {
        if rustix::process::geteuid().is_root() {
            let has_group = fstat(parent)?.st_mode & SET_GROUP != 0;
            let group = (!has_group).then(|| Gid::from_raw(caller.group));
            let user = Some(Uid::from_raw(caller.user));
            chownat(parent, name, user, group, AtFlags::SYMLINK_NOFOLLOW)?;
        }
        self.inodes.look_up(parent, name)
    }

    pub(super) fn link(&self, op: &op::Link<'_>) -> Result<EntryOut, Errno> {
        let (inode, parent) = (self.inodes.inode(op.ino())?, self.inodes.inode(op.newparent())?);
        let path = inode.path();
        linkat(rustix::fs::CWD, path, &parent, op.newname(), AtFlags::SYMLINK_FOLLOW)?;
        let (inode, stat) = self.inodes.look_up(&parent, op.newname())?;
        Ok(self.entry(&inode, &stat))
    }

    pub(super) fn remove(&self, parent: u64, name: &OsStr, flags: AtFlags) -> Result<(), Errno> {
        unlinkat(self.inodes.inode(parent)?.as_ref(), name, flags)
    }

    pub(super) fn rename(&self, op: &op::Rename<'_>) -> Result<(), Errno> {
        let [from, to] = [op.parent(), op.newparent()].map(|parent| self.inodes.inode(parent));
        let [from, to]: [Arc<Inode>; 2] = [from?, to?];
        let flags = RenameFlags::from_bits_retain(op.flags());
        renameat_with(&from, op.name(), &to, op.newname(), flags)
    }
}

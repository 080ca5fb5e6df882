//! Extended attributes, passed on. The kernel has asked whether the program may.

use std::ffi::OsStr;
use std::os::fd::AsFd;

use polyfuse::op;
use polyfuse::reply::XattrOut;
use rustix::buffer::spare_capacity;
use rustix::fs::{
    XattrFlags, fgetxattr, fsetxattr, getxattr, getxattr_query, listxattr, listxattr_query,
    removexattr, setxattr,
};
use rustix::io::Errno;

use super::inodes::Inodes;
use crate::mount::kernel::caller::Caller;

/// What the kernel gets of an attribute.
pub(super) enum Attribute {
    /// Its length, if the kernel asks for zero bytes.
    Length(XattrOut),
    /// The attribute.
    Value(Vec<u8>),
}

impl Attribute {
    /// Answers with a length if nothing else is asked for.
    fn read(
        size: u32,
        length: impl FnOnce() -> Result<usize, Errno>,
        value: impl FnOnce(&mut Vec<u8>) -> Result<usize, Errno>,
    ) -> Result<Self, Errno> {
        if size == 0 {
            let mut out = XattrOut::default();
            out.size(u32::try_from(length()?).map_err(|_| Errno::TOOBIG)?);
            return Ok(Self::Length(out));
        }
        let mut found = Vec::with_capacity(usize::try_from(size).map_err(|_| Errno::TOOBIG)?);
        value(&mut found)?;
        Ok(Self::Value(found))
    }
}

/// The attribute of the capabilities that a program gets by being executed. The kernel removes it
/// before a file is written to.
const FILE_CAPABILITIES: &str = "security.capability";

/// The attribute of who may do what with a file.
const ACCESS_LIST: &str = "system.posix_acl_access";

pub(super) fn read(inodes: &Inodes, op: &op::Getxattr<'_>) -> Result<Attribute, Errno> {
    let path = &inodes.inode(op.ino())?.path();
    Attribute::read(
        op.size(),
        || getxattr_query(path, op.name()),
        |value| getxattr(path, op.name(), spare_capacity(value)),
    )
}

/// The file system behind shows some names to privileged programs alone.
pub(super) fn list(
    inodes: &Inodes,
    op: &op::Listxattr<'_>,
    caller: Caller,
) -> Result<Attribute, Errno> {
    let path = &inodes.inode(op.ino())?.path();
    caller.without_privileges(|| {
        Attribute::read(
            op.size(),
            || listxattr_query(path),
            |names| listxattr(path, spare_capacity(names)),
        )
    })
}

/// An access list may cost a file its set-group-id bit.
pub(super) fn set(inodes: &Inodes, op: &op::Setxattr<'_>, caller: Caller) -> Result<(), Errno> {
    let inode = inodes.inode(op.ino())?;
    let flags = XattrFlags::from_bits_retain(op.flags());
    let set = || setxattr(inode.path(), op.name(), op.value(), flags);
    if op.name() == OsStr::new(ACCESS_LIST) { caller.change(&inode, set) } else { set() }
}

pub(super) fn remove(inodes: &Inodes, op: &op::Removexattr<'_>) -> Result<(), Errno> {
    match removexattr(inodes.inode(op.ino())?.path(), op.name()) {
        // Without root, this is not a program's wish, which the kernel has refused, but the
        // kernel's before a write. The write itself removes it.
        Err(Errno::PERM) if op.name() == OsStr::new(FILE_CAPABILITIES) => Ok(()),
        outcome => outcome,
    }
}

/// Changes a file as a write to shared memory does, which leaves it the capabilities that it gives.
/// Before any other write the kernel has removed them.
pub(super) fn keeping_rights<T>(file: impl AsFd + Copy, change: impl FnOnce() -> T) -> T {
    let mut rights = [0; RIGHTS_MAX];
    let length = fgetxattr(file, FILE_CAPABILITIES, &mut rights).unwrap_or(0);
    let changed = change();
    if length > 0
        && let Err(error) =
            fsetxattr(file, FILE_CAPABILITIES, &rights[..length], XattrFlags::empty())
    {
        tracing::warn!(%error, "a file has lost its capabilities");
    }
    changed
}

/// The most bytes of such an attribute (`XATTR_CAPS_SZ`).
const RIGHTS_MAX: usize = 24;

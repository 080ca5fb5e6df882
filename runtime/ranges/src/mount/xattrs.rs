//! Extended attributes, passed on.

use polyfuse::op;
use polyfuse::reply::XattrOut;
use rustix::fs::{XattrFlags, getxattr, listxattr, removexattr, setxattr};
use rustix::io::Errno;

use super::volume::Volume;

/// What the kernel gets of an attribute.
pub(super) enum Attribute {
    /// Its length, if the kernel asks for zero bytes.
    Length(XattrOut),
    /// The attribute.
    Value(Vec<u8>),
}

impl Attribute {
    fn read(
        size: u32,
        read: impl FnOnce(&mut [u8]) -> Result<usize, Errno>,
    ) -> Result<Self, Errno> {
        let mut value = vec![0; usize::try_from(size).unwrap_or(0)];
        let length = read(&mut value)?;
        if size == 0 {
            let mut out = XattrOut::default();
            out.size(u32::try_from(length).unwrap_or(u32::MAX));
            return Ok(Self::Length(out));
        }
        value.truncate(length);
        Ok(Self::Value(value))
    }
}

impl Volume {
    pub(super) fn attribute(&self, op: &op::Getxattr<'_>) -> Result<Attribute, Errno> {
        let path = self.inodes.inode(op.ino())?.path();
        Attribute::read(op.size(), |value| getxattr(path, op.name(), value))
    }

    pub(super) fn attribute_names(&self, op: &op::Listxattr<'_>) -> Result<Attribute, Errno> {
        let path = self.inodes.inode(op.ino())?.path();
        Attribute::read(op.size(), |value| listxattr(path, value))
    }

    pub(super) fn set_attribute(&self, op: &op::Setxattr<'_>) -> Result<(), Errno> {
        let path = self.inodes.inode(op.ino())?.path();
        setxattr(path, op.name(), op.value(), XattrFlags::from_bits_retain(op.flags()))
    }

    pub(super) fn remove_attribute(&self, op: &op::Removexattr<'_>) -> Result<(), Errno> {
        removexattr(self.inodes.inode(op.ino())?.path(), op.name())
    }
}

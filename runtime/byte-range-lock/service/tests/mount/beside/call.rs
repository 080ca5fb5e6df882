//! Calls of a program that uses files.

use std::fmt;
use std::io::SeekFrom;

use rustix::fs::{Access, FallocateFlags, FileType, OFlags, RenameFlags, XattrFlags};

/// How many files a user may have open.
pub(crate) const SLOTS: usize = 2;

/// A call.
#[derive(Clone, Debug)]
pub(crate) enum FileCall {
    Open { slot: usize, path: &'static str, flags: OFlags, mode: u32 },
    Close { slot: usize },
    OnOpen { slot: usize, call: OpenFileCall },
    OnPath { path: &'static str, call: PathCall },
    Copy { from: usize, to: usize, length: usize },
    Umask(u32),
}

/// A call about an open file.
#[derive(Clone, Debug)]
pub(crate) enum OpenFileCall {
    Read(usize),
    ReadAt(u64, usize),
    Write(usize, u8),
    WriteAt(u64, usize, u8),
    SetAppend(bool),
    Seek(SeekFrom),
    Truncate(u64),
    Allocate { mode: FallocateFlags, at: u64, length: u64 },
    Stat,
    Sync,
    Chmod(u32),
    Chown(Option<u32>, Option<u32>),
    Times(Option<Stamp>, Option<Stamp>),
}

/// A call about a path.
#[derive(Clone, Debug)]
pub(crate) enum PathCall {
    Name(NameCall),
    Attribute(AttributeCall),
    Xattr(XattrCall),
}

/// A call about names.
#[derive(Clone, Debug)]
pub(crate) enum NameCall {
    Link { to: &'static str, follows: bool },
    Symlink { target: &'static str },
    ReadLink,
    Rename { to: &'static str, flags: RenameFlags },
    Unlink,
    RemoveDirectory,
    MakeDirectory(u32),
    MakeNode(FileType, u32),
    List,
}

/// A call about attributes.
#[derive(Clone, Debug)]
pub(crate) enum AttributeCall {
    Stat { follows: bool },
    Access(Access),
    Truncate(i64),
    Chmod(u32),
    Chown { user: Option<u32>, group: Option<u32>, follows: bool },
    Times { access: Option<Stamp>, change: Option<Stamp>, follows: bool },
}

/// A call about extended attributes.
#[derive(Clone, Debug)]
pub(crate) enum XattrCall {
    Set { name: &'static str, value: Value, flags: XattrFlags },
    Read { name: &'static str, size: usize },
    List { size: usize },
    Remove(&'static str),
}

/// A time to be set.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stamp {
    /// Seconds and nanoseconds since 1970, long ago.
    At(i64, i64),
    Now,
}

/// The value of an extended attribute.
#[derive(Clone)]
pub(crate) struct Value(pub(crate) Vec<u8>);

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes {:?}", self.0.len(), &self.0[..self.0.len().min(4)])
    }
}

impl FileCall {
    /// Whether it makes a FIFO.
    pub(crate) fn makes_fifo(&self) -> bool {
        let Self::OnPath { call: PathCall::Name(NameCall::MakeNode(kind, _)), .. } = self else {
            return false;
        };
        *kind == FileType::Fifo
    }

    /// The same call of other open files.
    pub(crate) fn with_slots_from(&self, first: usize) -> Self {
        let mut call = self.clone();
        match &mut call {
            Self::Open { slot, .. } | Self::Close { slot } | Self::OnOpen { slot, .. } => {
                *slot += first;
            }
            Self::Copy { from, to, .. } => {
                *from += first;
                *to += first;
            }
            Self::OnPath { .. } | Self::Umask(_) => {}
        }
        call
    }

    /// The open file whose contents or attributes it is about.
    pub(crate) const fn slot(&self) -> Option<usize> {
        match self {
            Self::Open { .. } | Self::OnPath { .. } | Self::Umask(_) => None,
            Self::Close { slot } | Self::OnOpen { slot, .. } | Self::Copy { to: slot, .. } => {
                Some(*slot)
            }
        }
    }

    /// The path that it is about.
    pub(crate) const fn path(&self) -> Option<&'static str> {
        match self {
            Self::Open { path, .. } | Self::OnPath { path, .. } => Some(path),
            Self::Close { .. } | Self::OnOpen { .. } | Self::Copy { .. } | Self::Umask(_) => None,
        }
    }
}

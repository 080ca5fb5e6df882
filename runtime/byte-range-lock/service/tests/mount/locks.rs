//! Locks of this process.

use std::fs::{File, OpenOptions};
use std::os::fd::AsFd;
use std::path::Path;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc::{self, flock};

/// A type of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    Write,
    Unlock,
}

/// A lock as `fcntl` takes it.
pub(crate) fn description(kind: Kind, start: i64, length: i64) -> flock {
    let kind = match kind {
        Kind::Read => libc::F_RDLCK,
        Kind::Write => libc::F_WRLCK,
        Kind::Unlock => libc::F_UNLCK,
    };
    flock {
        l_type: i16::try_from(kind).expect("it is small"),
        l_whence: i16::try_from(libc::SEEK_SET).expect("it is small"),
        l_start: start,
        l_len: length,
        l_pid: 0,
    }
}

/// Opens a file to read and write it, and makes it if it is not there.
pub(crate) fn open(path: &Path) -> File {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    options.open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Locks bytes, or is refused.
pub(crate) fn try_lock(file: impl AsFd, kind: Kind, start: i64, length: i64) -> Result<(), Errno> {
    fcntl(file, FcntlArg::F_SETLK(&description(kind, start, length))).map(|_| ())
}

/// Locks bytes, and waits for them.
pub(crate) fn lock(file: impl AsFd, kind: Kind, start: i64, length: i64) -> Result<(), Errno> {
    fcntl(file, FcntlArg::F_SETLKW(&description(kind, start, length))).map(|_| ())
}

/// Locks bytes for an open file, and waits for them.
pub(crate) fn lock_open_file(
    file: impl AsFd,
    kind: Kind,
    start: i64,
    length: i64,
) -> Result<(), Errno> {
    fcntl(file, FcntlArg::F_OFD_SETLKW(&description(kind, start, length))).map(|_| ())
}

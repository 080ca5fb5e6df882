//! Calls about paths.

use rustix::fs::{
    AtFlags, CWD, Mode, accessat, chmodat, chownat, getxattr, lgetxattr, linkat, listxattr,
    mkdirat, mknodat, readlinkat, removexattr, renameat_with, setxattr, statat, symlinkat,
    unlinkat, utimensat,
};
use rustix::io::Errno;
use rustix::thread::{Gid, Uid};

use super::call::{AttributeCall, NameCall, PathCall, XattrCall};
use super::{state, user::times};

const fn follow(follows: bool) -> AtFlags {
    if follows { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW }
}

/// Makes a call, and answers with what it has found.
pub(super) fn make(path: &str, call: &PathCall) -> Result<String, Errno> {
    match call {
        PathCall::Name(call) => names(path, call),
        PathCall::Attribute(call) => attributes(path, call),
        PathCall::Xattr(call) => extended(path, call),
    }
}

fn names(path: &str, call: &NameCall) -> Result<String, Errno> {
    let done = |outcome: Result<(), Errno>| outcome.map(|()| "ok".into());
    match call {
        NameCall::Link { to, follows } => {
            let flags = if *follows { AtFlags::SYMLINK_FOLLOW } else { AtFlags::empty() };
            done(linkat(CWD, path, CWD, *to, flags))
        }
        NameCall::Symlink { target } => done(symlinkat(*target, CWD, path)),
        NameCall::ReadLink => Ok(format!("{:?}", readlinkat(CWD, path, Vec::new())?)),
        NameCall::Rename { to, flags } => done(renameat_with(CWD, path, CWD, *to, *flags)),
        NameCall::Unlink => done(unlinkat(CWD, path, AtFlags::empty())),
        NameCall::RemoveDirectory => done(unlinkat(CWD, path, AtFlags::REMOVEDIR)),
        NameCall::MakeDirectory(mode) => done(mkdirat(CWD, path, Mode::from_raw_mode(*mode))),
        NameCall::MakeNode(kind, mode) => {
            done(mknodat(CWD, path, *kind, Mode::from_raw_mode(*mode), rustix::fs::makedev(1, 3)))
        }
        NameCall::List => {
            let entries = std::fs::read_dir(path)
                .map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
            let mut names: Vec<_> =
                entries.map(|entry| entry.map(|entry| entry.file_name()).ok()).collect();
            names.sort_unstable();
            Ok(format!("{names:?}"))
        }
    }
}

fn attributes(path: &str, call: &AttributeCall) -> Result<String, Errno> {
    let done = |outcome: Result<(), Errno>| outcome.map(|()| "ok".into());
    match call {
        AttributeCall::Stat { follows } => Ok(state::shown(&statat(CWD, path, follow(*follows))?)),
        AttributeCall::Access(access) => done(accessat(CWD, path, *access, AtFlags::empty())),
        AttributeCall::Truncate(size) => {
            let outcome = nix::unistd::truncate(path, *size);
            done(outcome.map_err(|error| Errno::from_raw_os_error(error as i32)))
        }
        AttributeCall::Chmod(mode) => {
            done(chmodat(CWD, path, Mode::from_raw_mode(*mode), AtFlags::empty()))
        }
        AttributeCall::Chown { user, group, follows } => {
            let (user, group) = (user.map(Uid::from_raw), group.map(Gid::from_raw));
            done(chownat(CWD, path, user, group, follow(*follows)))
        }
        AttributeCall::Times { access, change, follows } => {
            done(utimensat(CWD, path, &times(*access, *change), follow(*follows)))
        }
    }
}

fn extended(path: &str, call: &XattrCall) -> Result<String, Errno> {
    let done = |outcome: Result<(), Errno>| outcome.map(|()| "ok".into());
    match call {
        XattrCall::Set { name, value, flags } => done(setxattr(path, *name, &value.0, *flags)),
        XattrCall::Read { name, size } => {
            let mut value = vec![0; *size];
            let length = getxattr(path, *name, &mut value[..])?;
            let of_link = lgetxattr(path, *name, &mut vec![0; *size][..]);
            Ok(format!("{length} {} {of_link:?}", state::sum(&value[..length])))
        }
        XattrCall::List { size } => {
            let mut names = vec![0; *size];
            let length = listxattr(path, &mut names[..])?;
            Ok(state::names(&names[..length]))
        }
        XattrCall::Remove(name) => done(removexattr(path, *name)),
    }
}

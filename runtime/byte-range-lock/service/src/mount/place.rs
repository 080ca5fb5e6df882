//! The place of a mount in the tree of files, which it leaves.

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::mount::{UnmountFlags, unmount as detach};

use super::serve::FUSERMOUNT;

/// The attempts to see a mount while others are made and unmounted at its place.
const ATTEMPTS: usize = 3;

/// Where a mount is.
enum Standing {
    /// It is in the tree no more.
    Gone,
    /// Another one was mounted over it.
    Covered,
    /// It is what is seen, with this number.
    Seen(Vec<u8>),
}

/// Takes a mount out of the tree of files, if it is still there. Programs that have files of it
/// open keep them.
///
/// # Errors
/// When it cannot be unmounted, as while another one is mounted over it.
pub fn unmount(mountpoint: &Path, connection: u32) -> io::Result<()> {
    if take_out(mountpoint, connection)? {
        return Ok(());
    }
    Err(io::Error::other(format!(
        "another file system is mounted over {}: unmount that first",
        mountpoint.display()
    )))
}

/// Takes a mount out of the tree of files. Returns `false` while another one is mounted over it.
pub(super) fn take_out(mountpoint: &Path, connection: u32) -> io::Result<bool> {
    for _ in 0..ATTEMPTS {
        match standing(mountpoint, connection)? {
            Standing::Gone => return Ok(true),
            Standing::Covered => return Ok(false),
            Standing::Seen(number) if leave(mountpoint, &number)? => return Ok(true),
            // Another one was mounted over it meanwhile, or somebody has unmounted it.
            Standing::Seen(_) => {}
        }
    }
    // Perhaps another one is mounted over a folder above.
    Ok(false)
}

/// Where the mount of a connection is.
fn standing(mountpoint: &Path, connection: u32) -> io::Result<Standing> {
    let place = mountpoint.as_os_str().as_bytes().iter().fold(Vec::new(), |mut place, byte| {
        match byte {
            b' ' | b'\t' | b'\n' | b'\\' => place.extend(format!("\\{byte:03o}").bytes()),
            other => place.push(*other),
        }
        place
    });
    let own = format!("0:{connection}");
    let mounts = fs::read("/proc/self/mountinfo")?;
    let mut standing = Standing::Gone;
    for line in mounts.split(|byte| *byte == b'\n') {
        let mut fields = line.split(|byte| *byte == b' ');
        let (number, device, at) = (fields.next(), fields.nth(1), fields.nth(1));
        if at != Some(&place) {
            continue;
        }
        standing = match (standing, number) {
            (_, Some(number)) if device == Some(own.as_bytes()) => Standing::Seen(number.to_vec()),
            (Standing::Gone, _) => Standing::Gone,
            (Standing::Seen(_) | Standing::Covered, _) => Standing::Covered,
        };
    }
    Ok(standing)
}

/// Unmounts a mount of this number, if it is what is seen at the place.
fn leave(mountpoint: &Path, number: &[u8]) -> io::Result<bool> {
    let place = match open(mountpoint, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        Err(Errno::NOENT) => return Ok(false),
        place => place?,
    };
    if mount_number(&place)? != number {
        return Ok(false);
    }
    // The descriptor is this mount's, whatever is mounted at the place by now.
    let path = format!("/proc/self/fd/{}", place.as_raw_fd());
    match detach(&path, UnmountFlags::DETACH) {
        Ok(()) => return Ok(true),
        // A user may unmount by the program alone, which takes a path.
        Err(Errno::PERM) => drop(place),
        Err(Errno::INVAL) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    let status = Command::new(FUSERMOUNT).args(["-u", "-z", "--"]).arg(mountpoint).status()?;
    let said = || format!("{FUSERMOUNT} cannot unmount {}: {status}", mountpoint.display());
    if status.success() { Ok(true) } else { Err(io::Error::other(said())) }
}

/// The number of the mount of an open directory.
fn mount_number(place: impl AsFd) -> io::Result<Vec<u8>> {
    let about = fs::read(format!("/proc/self/fdinfo/{}", place.as_fd().as_raw_fd()))?;
    let mut lines = about.split(|byte| *byte == b'\n');
    let number = lines.find_map(|line| line.strip_prefix(b"mnt_id:"));
    let number = number.ok_or_else(|| io::Error::other("the system does not number its mounts"))?;
    Ok(number.trim_ascii().to_vec())
}

//! Directories: opened and read.

use std::fs::File;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;

use polyfuse::op::{self, ReaddirMode};
use polyfuse::reply::{EntryOut, OpenOut};
use rustix::fs::{FileType, Mode, OFlags, RawDir, ResolveFlags, SeekFrom, openat2, seek};
use rustix::io::Errno;

use super::names::known;
use super::volume::Volume;
use crate::mount::kernel::caller::Caller;
use crate::mount::kernel::reply::Listing;

/// The size of the buffer for entries, in bytes.
const ENTRIES: usize = 16 << 10;

pub(super) fn open(
    volume: &Volume,
    op: &op::Opendir<'_>,
    caller: Caller,
) -> Result<OpenOut, Errno> {
    let taken = volume.descriptors.open(caller.user)?;
    let inode = volume.inodes.inode(op.ino())?;
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let file = openat2(&inode, ".", flags, Mode::empty(), ResolveFlags::NO_XDEV)?;
    let mut out = OpenOut::default();
    out.fh(volume.handles.add(inode, File::from(file), taken));
    Ok(out)
}

/// The names of a directory. With what is known of their files, that is a lookup of each.
pub(super) fn read(
    volume: &Volume,
    op: &op::Readdir<'_>,
    caller: Caller,
) -> Result<Vec<u8>, Errno> {
    let handle = volume.handles.handle(op.fh())?;
    seek(&handle.file, SeekFrom::Start(op.offset()))?;
    let size = usize::try_from(op.size()).unwrap_or(ENTRIES);
    let mut listing = Listing::new(size);
    let mut buffer = vec![MaybeUninit::uninit(); ENTRIES];
    let mut entries = RawDir::new(&handle.file, &mut buffer);
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = std::ffi::OsStr::from_bytes(entry.file_name().to_bytes());
        let kind = kind(entry.file_type());
        // A name that is gone, or not to be entered, is left to be looked up.
        let look_up = || match name.as_bytes() {
            b"." | b".." => EntryOut::default(),
            _ => known(volume, &handle.inode, name, caller).unwrap_or_default(),
        };
        let known = (op.mode() == ReaddirMode::Plus).then_some(look_up);
        let record = (entry.ino(), kind, entry.next_entry_cookie());
        if !listing.add(name, record, known) {
            break;
        }
    }
    Ok(listing.into_bytes())
}

/// A type of a file, as a directory has it.
fn kind(kind: FileType) -> u32 {
    kind.as_raw_mode() >> 12
}

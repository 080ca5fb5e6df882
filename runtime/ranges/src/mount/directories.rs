//! Directories: opened and read.

use std::fs::File;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;

use polyfuse::op::{self, ReaddirMode};
use polyfuse::reply::{OpenOut, ReaddirOut};
use rustix::fs::{FileType, Mode, OFlags, RawDir, ResolveFlags, SeekFrom, openat2, seek};
use rustix::io::Errno;

use super::volume::Volume;

/// The size of the buffer for entries, in bytes.
const ENTRIES: usize = 16 << 10;

impl Volume {
    pub(super) fn open_directory(&self, op: &op::Opendir<'_>) -> Result<OpenOut, Errno> {
        let inode = self.inodes.inode(op.ino())?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let file = openat2(&inode, ".", flags, Mode::empty(), ResolveFlags::NO_XDEV)?;
        let mut out = OpenOut::default();
        out.fh(self.handles.add(inode, File::from(file)));
        Ok(out)
    }

    pub(super) fn read_directory(&self, op: &op::Readdir<'_>) -> Result<ReaddirOut, Errno> {
        if op.mode() == ReaddirMode::Plus {
            return Err(Errno::NOSYS);
        }
        let handle = self.handles.handle(op.fh())?;
        seek(&handle.file, SeekFrom::Start(op.offset()))?;
        let size = usize::try_from(op.size()).unwrap_or(ENTRIES);
        let mut out = ReaddirOut::new(size);
        let mut buffer = vec![MaybeUninit::uninit(); ENTRIES];
        let mut entries = RawDir::new(&handle.file, &mut buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = std::ffi::OsStr::from_bytes(entry.file_name().to_bytes());
            let kind = kind(entry.file_type());
            if out.entry(name, entry.ino(), kind, entry.next_entry_cookie()) {
                break;
            }
        }
        Ok(out)
    }
}

/// A type of a file, as a directory has it.
fn kind(kind: FileType) -> u32 {
    kind.as_raw_mode() >> 12
}

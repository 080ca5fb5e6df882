//! The log that is being written: a header, then frames.
//!
//! The file is extended in zeroed chunks ahead of the writes: a sync then does not change the file
//! size, which makes it several times as fast on ext4. Where the disk has no room for a chunk, they
//! are small.

use std::io;

use super::directory::{Directory, DirectoryFile};
use super::files::log_name;
use crate::store::format::frame::{self, Position};
use crate::store::format::header::{HEADER_BYTES, Header, Kind};
use crate::store::format::manifest::LogMark;

/// The size in bytes of the zeroed chunks; shorter near the maximum size of the log.
const CHUNK_BYTES: usize = 1 << 20;
const CHUNK_BYTES_MIN: u64 = 4096;

/// A log, open.
#[derive(Debug)]
pub(super) struct Writer {
    header: Header,
    file: Box<dyn DirectoryFile>,
    position: Position,
    len: u64,
    allocated: u64,
    chunk: &'static [u8],
}

impl Writer {
    /// Creates the log that continues from the end of another, and syncs it with its name. Its
    /// expected size is `max` bytes, and there is room for a first frame of `first` bytes.
    pub(super) fn create(
        directory: &dyn Directory,
        max: u64,
        end: LogMark,
        first: usize,
    ) -> io::Result<Self> {
        static ZEROES: [u8; CHUNK_BYTES] = [0; CHUNK_BYTES];
        let header = Header::new(Kind::Log, end.log + 1, end.position)?;
        let name = log_name(header.number);
        let chunk = &ZEROES[..max.clamp(CHUNK_BYTES_MIN, CHUNK_BYTES as u64) as usize];
        let file = directory.create(&name)?;
        let (position, len) = (end.position, HEADER_BYTES as u64);
        let mut writer = Self { header, file, position, len, allocated: 0, chunk };
        let begun = writer.begin_file(first).and_then(|()| directory.sync());
        if begun.is_err() {
            // Free the space of a full disk. The next attempt starts with an empty file.
            let _removed = directory.remove(&name);
        }
        begun.map(|()| writer)
    }

    fn begin_file(&mut self, first: usize) -> io::Result<()> {
        self.allocate(self.len + first as u64)?;
        self.file.write_at(&self.header.bytes(), 0)?;
        self.file.sync()
    }

    /// The position of the chain at the start of this log.
    pub(super) const fn begin(&self) -> LogMark {
        LogMark { log: self.header.number, position: self.header.position, is_clean: false }
    }

    /// The position of the chain at the end of this log, all of which is synced.
    pub(super) const fn end(&self) -> LogMark {
        LogMark { log: self.header.number, position: self.position, is_clean: false }
    }

    /// The bytes up to the end.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Appends a frame and syncs it.
    ///
    /// # Errors
    /// When the system call fails. The content after the end of this log is then unknown.
    pub(super) fn append(&mut self, frame: &mut [u8]) -> io::Result<()> {
        let position = frame::seal(frame, &self.header.key, self.position);
        let len = self.len + frame.len() as u64;
        self.allocate(len)?;
        self.file.write_at(frame, self.len)?;
        self.file.sync()?;
        (self.position, self.len) = (position, len);
        Ok(())
    }

    /// Whether the log still exists under the path that was opened.
    pub(super) fn is_in_place(&self, directory: &dyn Directory) -> io::Result<bool> {
        directory.is_in_place(&*self.file)
    }

    /// Extends the file with zeroes beyond `end`.
    fn allocate(&mut self, end: u64) -> io::Result<()> {
        let before = self.allocated;
        while self.allocated < end {
            let extended = self.file.write_at(self.chunk, self.allocated);
            match extended {
                Ok(()) => self.allocated += self.chunk.len() as u64,
                Err(error) if is_no_space(&error) => {
                    // What is there of them fills the disk.
                    self.allocated = before;
                    self.file.cut(before)?;
                    let small = CHUNK_BYTES_MIN as usize;
                    if self.chunk.len() == small {
                        return Err(error);
                    }
                    self.chunk = &self.chunk[..small];
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Whether a disk or a quota is full.
pub(super) fn is_no_space(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

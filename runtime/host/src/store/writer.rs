//! The log that is written now: a header, then frames behind each other.
//!
//! The file grows by zeroed chunks ahead of the writes: a sync then has no change of size to
//! journal, which on ext4 makes it several times as fast.

use std::io;

use super::directory::{Directory, DirectoryFile};
use super::files::log_name;
use super::frame::{self, Position};
use super::header::{HEADER_BYTES, Header, Kind};
use super::manifest::Mark;

/// The file grows by so many zeroes at a time, or fewer if it is to stay shorter.
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
    /// Makes the log that follows upon the end of another, synced with its name; it is to have
    /// about `max` bytes.
    pub(super) fn create(directory: &dyn Directory, max: u64, end: Mark) -> io::Result<Self> {
        static ZEROES: [u8; CHUNK_BYTES] = [0; CHUNK_BYTES];
        let header = Header::new(Kind::Log, end.log + 1, end.position)?;
        let name = log_name(header.number);
        let chunk = &ZEROES[..max.clamp(CHUNK_BYTES_MIN, CHUNK_BYTES as u64) as usize];
        let file = directory.create(&name)?;
        let (position, len) = (end.position, HEADER_BYTES as u64);
        let mut writer = Self { header, file, position, len, allocated: 0, chunk };
        let begun = writer.begin_file().and_then(|()| directory.sync());
        if begun.is_err() {
            // A disk that is full has use for the room. The next attempt begins with an empty file.
            let _removed = directory.remove(&name);
        }
        begun.map(|()| writer)
    }

    fn begin_file(&mut self) -> io::Result<()> {
        self.allocate(self.len)?;
        self.file.write_at(&self.header.bytes(), 0)?;
        self.file.sync()
    }

    /// Where this log begins.
    pub(super) const fn begin(&self) -> Mark {
        Mark { log: self.header.number, position: self.header.position, is_clean: false }
    }

    /// Where this log ends; all of it is synced.
    pub(super) const fn end(&self) -> Mark {
        Mark { log: self.header.number, position: self.position, is_clean: false }
    }

    /// The bytes up to the end.
    pub(super) const fn len(&self) -> u64 {
        self.len
    }

    /// Appends a frame that was begun, and syncs it.
    ///
    /// # Errors
    /// When the system refuses. What is behind the end of this log is unknown then.
    pub(super) fn append(&mut self, frame: &mut [u8]) -> io::Result<()> {
        let position = frame::seal(frame, &self.header.key, self.position);
        let len = self.len + frame.len() as u64;
        self.allocate(len)?;
        self.file.write_at(frame, self.len)?;
        self.file.sync()?;
        (self.position, self.len) = (position, len);
        Ok(())
    }

    /// Whether the next process would find this log.
    pub(super) fn is_in_place(&self, directory: &dyn Directory) -> io::Result<bool> {
        directory.is_in_place(&*self.file)
    }

    /// Fills the file with zeroes until it reaches beyond `end`.
    fn allocate(&mut self, end: u64) -> io::Result<()> {
        while self.allocated < end {
            self.file.write_at(self.chunk, self.allocated)?;
            self.allocated += self.chunk.len() as u64;
        }
        Ok(())
    }
}

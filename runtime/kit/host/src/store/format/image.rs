//! An image: the complete content of a store at one position of the chain, in a file of its own, by
//! key.

use std::io;

use crate::store::batch::Visitor;
use crate::store::directory::Directory;
use crate::store::files::{Files, NEW_IMAGE, image_name};
use crate::store::format::entry;
use crate::store::format::frame::{self, HEAD_BYTES, Position};
use crate::store::format::header::{HEADER_BYTES, Header, Kind, other_version};
use crate::store::format::key::Key;
use crate::store::refusal::{self, refuse};

/// The approximate size of an image's frames, in bytes.
const FRAME_BYTES: usize = 1 << 20;

/// Writes the keys and values that `tell` yields in key order to a temporary file, and renames it
/// to the image.
pub(crate) fn put(
    directory: &dyn Directory,
    number: u64,
    position: Position,
    tell: impl FnOnce(Visitor<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let written = write(directory, number, position, tell);
    if written.is_err() {
        // Free the space of a full disk. If this fails, too, the next image overwrites the file.
        let _removed = directory.remove(NEW_IMAGE);
    }
    written?;
    directory.rename(NEW_IMAGE, &image_name(number))?;
    directory.sync()
}

fn write(
    directory: &dyn Directory,
    number: u64,
    position: Position,
    tell: impl FnOnce(Visitor<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let file = directory.create(NEW_IMAGE)?;
    let mut header = Header::new(Kind::Image(0), number, position)?;
    let (mut at, mut after, mut out) = (HEADER_BYTES as u64, position, Vec::new());
    let mut flush = |out: &mut Vec<u8>| {
        after = frame::seal(out, &header.key, after);
        file.write_at(out, at)?;
        at += out.len() as u64;
        frame::begin(out);
        Ok::<(), io::Error>(())
    };
    frame::begin(&mut out);
    tell(&mut |key, value| {
        entry::put_entry(&mut out, key, |out| out.extend_from_slice(value));
        if out.len() >= FRAME_BYTES { flush(&mut out) } else { Ok(()) }
    })?;
    if !frame::is_empty(&out) {
        flush(&mut out)?;
    }
    header.kind = Kind::Image(at);
    file.write_at(&header.bytes(), 0)?;
    file.sync()
}

/// An image whose header has been read.
#[derive(Debug)]
pub(crate) struct ImageFile {
    name: String,
    header: Header,
    len: u64,
}

impl ImageFile {
    /// The current image; `None` if there is none.
    pub(crate) fn latest(directory: &dyn Directory, files: &Files) -> io::Result<Option<Self>> {
        files.image().map(|number| Self::open(directory, number)).transpose()
    }

    fn open(directory: &dyn Directory, number: u64) -> io::Result<Self> {
        let name = image_name(number);
        let bytes = directory.read(&name, 0, HEADER_BYTES as u64)?;
        if let Some(header) = Header::read(&bytes)
            && let Kind::Image(len) = header.kind
            && header.number == number
            && directory.read(&name, len.saturating_sub(1), 2)?.len() == 1
        {
            return Ok(Self { name, header, len });
        }
        Err(match other_version(&bytes) {
            Some(other) => refusal::of_version(&name, other),
            None => refuse(format!("{name} is corrupt or truncated")),
        })
    }

    /// The position of the chain up to which the image has all writes.
    pub(crate) const fn position(&self) -> Position {
        self.header.position
    }

    /// Calls `each` for all keys in order, with one frame in memory at a time.
    pub(crate) fn read(&self, directory: &dyn Directory, each: Visitor<'_>) -> io::Result<()> {
        let (mut at, mut after) = (HEADER_BYTES as u64, self.header.position);
        let mut last: Option<Key> = None;
        let damaged = |at: u64| refuse(format!("{} is corrupt at byte {at}", self.name));
        while at < self.len {
            let head = directory.read(&self.name, at, HEAD_BYTES as u64)?;
            let len = frame::len(&head).ok_or_else(|| damaged(at))?;
            let frame = directory.read(&self.name, at, len)?;
            let taken = frame::take_next(&mut frame.as_slice(), &self.header.key, after);
            let (mut entries, position) = taken.ok_or_else(|| damaged(at))?;
            while !entries.is_empty() {
                let (key, value) = entry::take_entry(&mut entries)?;
                let value = value.filter(|_| last < Some(key)).ok_or_else(|| damaged(at))?;
                each(&key, value)?;
                last = Some(key);
            }
            (at, after) = (at + len, position);
        }
        if at == self.len { Ok(()) } else { Err(damaged(at)) }
    }
}

//! The minimum content of the directory: the current log and the position that it has reached, and
//! the note.
//!
//! It distinguishes a log that was truncated, emptied or removed from one that never was longer.
//! Its position may lag behind and is never ahead: each log is recorded and synced before any write
//! to it is acknowledged; the position is recorded after each sync of the log and not synced
//! itself, so that a power loss may take it back.

use std::io;

use crate::store::directory::{Directory, DirectoryFile};
use crate::store::format::entry::take_array;
use crate::store::format::frame::Position;
use crate::store::format::header::{VERSION, other_version};
use crate::store::format::sip::sip;
use crate::store::note::{Note, NoteValue};
use crate::store::refusal::{self, refuse};

/// The file's name.
pub(crate) const NAME: &str = "manifest";
/// The name of an unfinished manifest.
pub(crate) const NEW: &str = "manifest.new";
/// The distance of the slots in bytes, so that no page of the cache has two.
const SLOT_BYTES: u64 = 4096;
/// The offset after the two slots of the logs, which alternate.
const END_SLOT: u64 = 2;
const NOTE_SLOT: u64 = 3;
const SLOTS: u64 = 4;
const MARK_BYTES: usize = 48;
const MAGIC: [u8; 8] = [b't', b'u', b'r', b'n', b's', b't', b'l', VERSION];

/// A position that the store has reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LogMark {
    /// The log that is being written.
    pub log: u64,
    /// Everything up to here is synced.
    pub position: Position,
    /// The store was closed here: nothing follows.
    pub is_clean: bool,
}

/// The content of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogMarks {
    /// Where the current log starts.
    pub begin: LogMark,
    /// The minimum position that it has reached.
    pub end: LogMark,
    pub note: Option<NoteValue>,
}

/// The manifest, open.
#[derive(Debug)]
pub(crate) struct Manifest {
    file: Box<dyn DirectoryFile>,
}

impl Manifest {
    /// Creates the manifest of a directory without one.
    pub(crate) fn create(directory: &dyn Directory, begin: LogMark) -> io::Result<Self> {
        let file = directory.create(NEW)?;
        file.write_at(&[0; (SLOTS * SLOT_BYTES) as usize], 0)?;
        let manifest = Self { file };
        manifest.begin(begin)?;
        directory.rename(NEW, NAME)?;
        directory.sync()?;
        Ok(manifest)
    }

    /// Opens the manifest and rewrites its content, which may have been in the page cache only.
    pub(crate) fn open(directory: &dyn Directory, marks: LogMarks) -> io::Result<Self> {
        let manifest = Self { file: directory.open(NAME)? };
        if let Some(note) = marks.note {
            manifest.note(note)?;
        }
        manifest.reach(marks.end)?;
        manifest.begin(marks.begin)?;
        Ok(manifest)
    }

    /// Records a new log. The mark of the previous log stays until this one is synced.
    pub(crate) fn begin(&self, mark: LogMark) -> io::Result<()> {
        self.file.write_at(&mark.bytes(), mark.log % END_SLOT * SLOT_BYTES)?;
        self.file.sync()
    }

    /// Records the position of the log. This is not synced.
    pub(crate) fn reach(&self, mark: LogMark) -> io::Result<()> {
        self.file.write_at(&mark.bytes(), END_SLOT * SLOT_BYTES)
    }

    /// Replaces the note. This is not synced.
    fn note(&self, value: NoteValue) -> io::Result<()> {
        self.file.write_at(&sealed([value[0], value[1], value[2], 0]), NOTE_SLOT * SLOT_BYTES)
    }

    /// Records that the store is closed.
    pub(crate) fn close(&self, mark: LogMark) -> io::Result<()> {
        self.reach(mark)?;
        self.file.sync()
    }
}

impl LogMarks {
    /// Reads the manifest.
    ///
    /// # Errors
    /// When it is corrupt or of an unsupported version.
    pub(crate) fn read(directory: &dyn Directory) -> io::Result<Self> {
        let bytes = directory.read(NAME, 0, SLOTS * SLOT_BYTES)?;
        // A program that writes another version may have replaced some of the slots.
        if let Some(other) = bytes.chunks(SLOT_BYTES as usize).find_map(other_version) {
            return Err(refusal::of_version(NAME, other));
        }
        let slot = |slot: u64| {
            let at = usize::try_from(slot * SLOT_BYTES).ok()?;
            bytes.get(at..).and_then(unsealed)
        };
        let mark = |number| slot(number).map(LogMark::of);
        let begin = mark(0).max(mark(1)).ok_or_else(|| refuse(format!("{NAME} is corrupt")))?;
        let end = mark(END_SLOT).filter(|end| end.log == begin.log).max(Some(begin));
        let note = slot(NOTE_SLOT).map(|[first, second, third, _]| [first, second, third]);
        Ok(Self { begin, end: end.unwrap_or(begin), note })
    }
}

impl LogMark {
    fn bytes(&self) -> [u8; MARK_BYTES] {
        let Position { sequence, chain } = self.position;
        sealed([self.log, sequence, chain, u64::from(self.is_clean)])
    }

    fn of([log, sequence, chain, is_clean]: [u64; 4]) -> Self {
        Self { log, position: Position { sequence, chain }, is_clean: is_clean == 1 }
    }
}

/// The note of a directory, by a file of its own: it is replaced while the store syncs.
#[derive(Debug)]
pub(crate) struct ManifestNote(Manifest);

impl ManifestNote {
    pub(crate) fn open(directory: &dyn Directory) -> io::Result<Self> {
        Ok(Self(Manifest { file: directory.open(NAME)? }))
    }
}

impl Note for ManifestNote {
    fn put(&mut self, value: NoteValue) -> io::Result<()> {
        self.0.note(value)
    }
}

/// Numbers as the content of a slot, with a checksum.
fn sealed(numbers: [u64; 4]) -> [u8; MARK_BYTES] {
    let mut bytes = [0; MARK_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    for (place, number) in bytes[8..].chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_le_bytes());
    }
    let sum = sip(&[0; 16], &[], &bytes[..MARK_BYTES - 8]);
    bytes[MARK_BYTES - 8..].copy_from_slice(&sum.to_le_bytes());
    bytes
}

fn unsealed(bytes: &[u8]) -> Option<[u64; 4]> {
    let bytes: &[u8; MARK_BYTES] = bytes.first_chunk()?;
    let mut rest = &bytes[8..];
    let mut numbers = [0; 4];
    for number in &mut numbers {
        *number = take_array(&mut rest).map(u64::from_le_bytes).ok()?;
    }
    (sealed(numbers) == *bytes).then_some(numbers)
}

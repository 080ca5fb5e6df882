//! What the directory has to hold at least: which log is written, and how far it has come.
//!
//! Without it nobody could tell a log that was cut, emptied or removed from one that never was
//! longer. It says too little at times and never too much: each log is noted here, synced, before
//! anything is answered from it; how far it has come is noted after each sync of the log, not
//! synced itself, so that a power loss may take the last of it back.

use std::io;

use super::directory::{Directory, DirectoryFile};
use super::entry::take_array;
use super::frame::Position;
use super::header::{VERSION, later_version};
use super::refusal::{self, refuse};
use super::sip::sip;

/// The file's name.
pub(super) const NAME: &str = "manifest";
const NEW: &str = "manifest.new";
/// Slots are so far apart, so that no page of the system's cache has two.
const SLOT_BYTES: u64 = 4096;
/// Behind the two slots of the logs, which take turns.
const END_SLOT: u64 = 2;
const SLOTS: u64 = 3;
const MARK_BYTES: usize = 48;
const MAGIC: [u8; 8] = [b't', b'u', b'r', b'n', b's', b't', b'l', VERSION];

/// A place that the store has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Mark {
    /// The log that is written.
    pub log: u64,
    /// Everything up to here is synced.
    pub position: Position,
    /// The store was closed here: nothing follows.
    pub is_clean: bool,
}

/// What a manifest says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Marks {
    /// Where the log that is written began.
    pub begin: Mark,
    /// How far it has come at least.
    pub end: Mark,
}

/// The manifest, open.
#[derive(Debug)]
pub(super) struct Manifest {
    file: Box<dyn DirectoryFile>,
}

impl Manifest {
    /// Makes the manifest of a directory that has none.
    pub(super) fn create(directory: &dyn Directory, begin: Mark) -> io::Result<Self> {
        let file = directory.create(NEW)?;
        file.write_at(&[0; (SLOTS * SLOT_BYTES) as usize], 0)?;
        let manifest = Self { file };
        manifest.begin(begin)?;
        directory.rename(NEW, NAME)?;
        directory.sync()?;
        Ok(manifest)
    }

    /// Opens the manifest and writes once more what was read from it: it may never have reached the
    /// disk.
    pub(super) fn open(directory: &dyn Directory, marks: Marks) -> io::Result<Self> {
        let manifest = Self { file: directory.open(NAME)? };
        manifest.reach(marks.end)?;
        manifest.begin(marks.begin)?;
        Ok(manifest)
    }

    /// A log is written from now on. The mark of the log before stays until this one is synced.
    pub(super) fn begin(&self, mark: Mark) -> io::Result<()> {
        self.file.write_at(&mark.bytes(), mark.log % END_SLOT * SLOT_BYTES)?;
        self.file.sync()
    }

    /// The log has come so far. This is not synced.
    pub(super) fn reach(&self, mark: Mark) -> io::Result<()> {
        self.file.write_at(&mark.bytes(), END_SLOT * SLOT_BYTES)
    }

    /// The store is closed.
    pub(super) fn close(&self, mark: Mark) -> io::Result<()> {
        self.reach(mark)?;
        self.file.sync()
    }
}

impl Marks {
    /// Reads the manifest.
    ///
    /// # Errors
    /// When it says nothing, or is of another version.
    pub(super) fn read(directory: &dyn Directory) -> io::Result<Self> {
        let bytes = directory.read(NAME, 0, SLOTS * SLOT_BYTES)?;
        let mark = |slot: u64| {
            let at = usize::try_from(slot * SLOT_BYTES).ok()?;
            bytes.get(at..).and_then(Mark::read)
        };
        let Some(begin) = mark(0).max(mark(1)) else {
            return Err(match later_version(&bytes) {
                Some(later) => refusal::of_version(NAME, later),
                None => refuse(format!("{NAME} is damaged")),
            });
        };
        let end = mark(END_SLOT).filter(|end| end.log == begin.log).max(Some(begin));
        Ok(Self { begin, end: end.unwrap_or(begin) })
    }
}

impl Mark {
    fn bytes(&self) -> [u8; MARK_BYTES] {
        let mut bytes = [0; MARK_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        let Position { sequence, chain } = self.position;
        let numbers = [self.log, sequence, chain, u64::from(self.is_clean)];
        for (place, number) in bytes[8..].chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        let sum = sip(&[0; 16], &[], &bytes[..MARK_BYTES - 8]);
        bytes[MARK_BYTES - 8..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; MARK_BYTES] = bytes.first_chunk()?;
        let mut rest = &bytes[8..];
        let mut next = || take_array(&mut rest).map(u64::from_le_bytes).ok();
        let log = next()?;
        let position = Position { sequence: next()?, chain: next()? };
        let mark = Self { log, position, is_clean: next()? == 1 };
        (mark.bytes() == *bytes).then_some(mark)
    }
}

//! A small durable key-value store with a two-step commit: [`Store::write`], then [`Store::sync`].
//!
//! The store treats values as bytes. A message or a notice that depends on a batch may leave the
//! node only after [`Store::sync`] has returned; [`crate::Host`] ensures that.

mod changes;
mod content;
mod directory;
mod disk;
mod entry;
mod files;
mod frame;
mod header;
mod held;
mod image;
mod legacy;
mod log;
mod manifest;
mod medium;
mod new;
mod note;
mod os;
mod recover;
mod refusal;
mod replay;
mod sip;
mod writer;

use std::io;

pub use directory::{Background, BackgroundWork, Directory, DirectoryFile};
pub use disk::{Disk, DiskStore};
pub use log::{LOG_MAX, LogStore};
pub use medium::{Faults, Medium};
pub use new::{NewDirectory, NewFile, has_files};
pub use note::{Note, NoteValue};
pub use os::OsDirectory;
pub use recover::PreviousUse;
pub use refusal::REMEDY;

/// The key of a value: a kind, and a number if there are several values of that kind. Keys are
/// ordered by kind, then by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    kind: u8,
    number: Option<u64>,
}

impl Key {
    /// The key of the only value of a kind; the kind is 1 to 127.
    #[must_use]
    pub const fn single(kind: u8) -> Self {
        Self::new(kind, None)
    }

    /// The key of one of several values of a kind; the kind is 1 to 127.
    #[must_use]
    pub const fn numbered(kind: u8, number: u64) -> Self {
        Self::new(kind, Some(number))
    }

    const fn new(kind: u8, number: Option<u64>) -> Self {
        assert!(kind > 0 && kind < entry::REMOVED, "a kind is 1 to 127");
        Self { kind, number }
    }

    /// The kind, 1 to 127.
    #[must_use]
    pub const fn kind(self) -> u8 {
        self.kind
    }

    /// The number, where there are several values of the kind.
    #[must_use]
    pub const fn number(self) -> Option<u64> {
        self.number
    }
}

/// The writes of one commit, in order; the last write of a key wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    entries: Vec<u8>,
}

impl Batch {
    /// Writes a value.
    pub fn put(&mut self, key: &Key, value: &[u8]) {
        self.put_with(key, |out| out.extend_from_slice(value));
    }

    /// Writes the value that a function appends to a vector.
    ///
    /// # Panics
    /// When the function removes bytes.
    pub fn put_with(&mut self, key: &Key, value: impl FnOnce(&mut Vec<u8>)) {
        entry::put_entry(&mut self.entries, key, value);
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &Key) {
        entry::remove_entry(&mut self.entries, key);
    }

    /// Whether the batch is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The size of the writes in bytes.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// The writes as bytes, which [`Batch::read`] reads.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.entries
    }

    /// Calls `each` with each key and value that a batch of these bytes writes, in the order of
    /// writing.
    ///
    /// # Errors
    /// When the bytes are no batch; and the errors of `each`.
    pub fn read(mut bytes: &[u8], each: Visitor<'_>) -> io::Result<()> {
        while !bytes.is_empty() {
            if let (key, Some(value)) = entry::take_entry(&mut bytes)? {
                each(&key, value)?;
            }
        }
        Ok(())
    }

    /// Removes all writes and keeps the allocation.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

/// Called with each key and value of a store.
pub type Visitor<'a> = &'a mut dyn FnMut(&Key, &[u8]) -> io::Result<()>;

/// All keys and values of a small store.
pub type Image = std::collections::BTreeMap<Key, Vec<u8>>;

/// Durable storage, or a simulation of it.
pub trait Store: Send {
    /// Calls `each` for every key once, in order, with all batches that were synced, and possibly a
    /// prefix of those that were only written.
    ///
    /// # Errors
    /// When the medium cannot be read or has corrupt data; and the errors of `each`.
    fn read(&mut self, each: Visitor<'_>) -> io::Result<()>;

    /// Reads all keys and values into memory.
    ///
    /// # Errors
    /// As [`Store::read`].
    fn load(&mut self) -> io::Result<Image> {
        let mut image = Image::new();
        self.read(&mut |key, value| {
            image.insert(*key, value.to_vec());
            Ok(())
        })?;
        Ok(image)
    }

    /// Whether the medium took writes when the store was opened, or has since.
    fn takes_writes(&self) -> bool {
        true
    }

    /// Writes a batch. A crash before the next sync keeps or loses the batch as a whole.
    fn write(&mut self, batch: &Batch);

    /// The note beside the content, and what replaces it.
    ///
    /// # Errors
    /// When the medium cannot be used, or the store has no note.
    fn note(&mut self) -> io::Result<(Option<NoteValue>, Box<dyn Note>)> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "the store has no note"))
    }

    /// Returns once everything written survives a crash.
    ///
    /// # Errors
    /// When the medium rejects a write. The store keeps the unsynced batches: the caller may write
    /// more and call again, and when a call succeeds, all of them are durable. Without unsynced
    /// batches it is an error only while [`Store::takes_writes`] is `false`.
    fn sync(&mut self) -> io::Result<()>;
}

/// Applies a batch's writes to an image.
fn apply(image: &mut Image, entries: &[u8]) -> io::Result<()> {
    let mut rest = entries;
    while !rest.is_empty() {
        let (key, value) = entry::take_entry(&mut rest)?;
        match value {
            Some(value) => {
                image.insert(key, value.to_vec());
            }
            None => {
                image.remove(&key);
            }
        }
    }
    Ok(())
}

//! A small durable key-value store with a two-step commit: [`Store::write`], then [`Store::sync`].
//!
//! The store knows keys and bytes and nothing of what they mean. A message or a notice that depends
//! on a batch may leave the node only after [`Store::sync`] has returned: [`crate::Host`] keeps
//! that order.

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
mod os;
mod recover;
mod refusal;
mod replay;
mod sip;
mod writer;

use std::io;

pub use directory::{Background, Directory, DirectoryFile, Work};
pub use disk::{Disk, DiskStore};
pub use log::{LOG_MAX, LogStore};
pub use medium::{Faults, Medium};
pub use os::OsDirectory;

/// The name of a value: a kind, and a number where there are several values of that kind. Keys are
/// ordered by kind, then by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    kind: u8,
    number: Option<u64>,
}

impl Key {
    /// The only value of a kind, 1 to 127.
    #[must_use]
    pub const fn single(kind: u8) -> Self {
        Self::new(kind, None)
    }

    /// One of the values of a kind, 1 to 127.
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

/// The writes of one commit, in order; a later write of a key wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    entries: Vec<u8>,
}

impl Batch {
    /// Writes a value.
    pub fn put(&mut self, key: &Key, value: &[u8]) {
        entry::put_entry(&mut self.entries, key, Some(value));
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &Key) {
        entry::put_entry(&mut self.entries, key, None);
    }

    /// Has nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many bytes the writes are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Forgets the writes and keeps the room.
    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

/// Hears what a store holds, one key after the other.
pub type Each<'a> = &'a mut dyn FnMut(&Key, &[u8]) -> io::Result<()>;

/// All that a small store holds.
pub type Image = std::collections::BTreeMap<Key, Vec<u8>>;

/// Something that survives the process, or a stand-in for it.
pub trait Store: Send {
    /// Tells everything that was synced, and possibly batches that were only written, the first of
    /// them first: each key once, in their order.
    ///
    /// # Errors
    /// When the medium cannot be read, or holds what no store has written; and those of `each`.
    fn read(&mut self, each: Each<'_>) -> io::Result<()>;

    /// The same, all at once.
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

    /// Takes a batch, which is on the medium whole or, after a crash, not at all.
    fn write(&mut self, batch: &Batch);

    /// Returns once everything written survives a crash.
    ///
    /// # Errors
    /// When the medium refuses. The store keeps what was written: the caller may write more and
    /// call again, and once a call succeeds all of it survives.
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

//! Where the server keeps what it has answered: a small key-value store with a two-step commit.
//!
//! The store knows keys and bytes, never claims. What a batch says may be answered only after
//! [`Store::sync`] has returned; that order is the committer's, see `server::commit`.

mod changes;
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
pub use os::OsDirectory;

/// What a key names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// The server's own counters and its clock.
    Meta,
    /// What the core saved of a claim, its history and its lease.
    Claim(u64),
    /// What a claim's owner said of it; written once.
    Data(u64),
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

//! Where the server keeps what it has answered: a small key-value store with a two-step commit.
//!
//! The store knows keys and bytes, never claims. What a batch says may be answered only after
//! [`Store::sync`] has returned; that order is the committer's, see `server::commit`.

mod disk;
mod frame;
mod log;

use std::io;

pub use disk::{Disk, DiskStore};
pub use log::{LOG_MAX, LogStore};

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
        frame::put_entry(&mut self.entries, key, Some(value));
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &Key) {
        frame::put_entry(&mut self.entries, key, None);
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

/// All that a store holds, as it is read back at a start.
pub type Image = std::collections::BTreeMap<Key, Vec<u8>>;

/// Something that survives the process, or a stand-in for it.
///
/// After an error a store's content is unknown: the caller writes nothing more and says so to
/// everyone who asks.
pub trait Store: Send {
    /// Reads everything that was synced, and possibly batches that were only written.
    ///
    /// # Errors
    /// When the medium cannot be read, or holds what no store has written.
    fn load(&mut self) -> io::Result<Image>;

    /// Hands a batch to the medium, whole or, after a crash, not at all.
    ///
    /// # Errors
    /// When the medium refuses.
    fn write(&mut self, batch: &Batch) -> io::Result<()>;

    /// Returns once everything written survives a crash.
    ///
    /// # Errors
    /// When the medium refuses.
    fn sync(&mut self) -> io::Result<()>;
}

/// Applies a batch's writes to an image.
fn apply(image: &mut Image, entries: &[u8]) -> io::Result<()> {
    let mut rest = entries;
    while !rest.is_empty() {
        let (key, value) = frame::take_entry(&mut rest)?;
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

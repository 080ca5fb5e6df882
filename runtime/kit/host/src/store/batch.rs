//! The writes of one commit, and what is read and written as keys and values.

use std::io;

use crate::store::format::entry;
use crate::store::format::key::Key;

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

/// Applies a batch's writes to an image.
pub(super) fn apply(image: &mut Image, entries: &[u8]) -> io::Result<()> {
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

//! What a store does: it writes batches, makes them durable, and reads what it has.

use std::io;

use super::batch::{Batch, Image, Visitor};
use super::note::{Note, NoteValue};

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

//! A note: a few numbers beside the content of a store, which cost no sync.
//!
//! A process that ends, however it does, leaves the note as it was replaced last. A power loss may
//! take back the replacements since the store was opened; the note is none that never was.

use std::io;

/// The content of a note.
pub type NoteValue = [u64; 3];

/// The note of a store.
pub trait Note: Send {
    /// Replaces the note.
    ///
    /// # Errors
    /// When the medium rejects it; the note is then the one before, this one, or none.
    fn put(&mut self, value: NoteValue) -> io::Result<()>;
}

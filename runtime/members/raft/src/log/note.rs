//! The note of the engine, and the sync of what is committed while nothing else is written.

use std::io;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::time::sleep;
use turnstile_host::store::{Batch, NoteValue};

use super::Log;

impl Log {
    /// The note as the log was opened.
    pub(crate) fn noted(&self) -> Option<NoteValue> {
        self.lock().noted
    }

    /// Replaces the note: it survives the process, and perhaps no power loss.
    ///
    /// # Errors
    /// When the store rejects it.
    pub(crate) fn put_note(&self, value: NoteValue) -> io::Result<()> {
        self.note.lock().unwrap_or_else(PoisonError::into_inner).put(value)
    }

    /// Syncs what is committed if nothing else is written for such a pause, until the log is
    /// closed.
    pub(crate) async fn keep_synced(self: Arc<Self>, pause: Duration) {
        while !self.gives_up() {
            sleep(pause).await;
            let is_due = std::mem::take(&mut self.lock().is_commit_unsynced);
            // An error means that the log is closed.
            if is_due && self.write_and_wait(Batch::default()).await.is_err() {
                return;
            }
        }
    }
}

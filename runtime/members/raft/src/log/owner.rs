//! Whose log it is: its own number, by which a member is recognised that has lost its log, the
//! application, and the group of its member.

use std::io;

use bytes::Bytes;
use turnstile_host::store::Batch;

use super::{Log, record};
use crate::writer::Write;

impl Log {
    /// The number of this log, once it is durable: another one begins with another number.
    pub(crate) async fn number(&self) -> u64 {
        self.begun.after(0).await;
        self.lock().number
    }

    /// Waits until the number is durable.
    ///
    /// # Errors
    /// When the log was closed first.
    pub(crate) async fn begin(&self) -> io::Result<()> {
        // The number was written when the log was opened, and so before this.
        self.write_and_wait(Batch::default()).await?;
        self.begun.ring();
        Ok(())
    }

    /// Whether nothing is written but its number.
    pub(crate) fn is_empty(&self) -> bool {
        let state = self.lock();
        let is_begun = state.group.is_some() || state.founding.is_some() || state.vote.is_some();
        !is_begun && state.snapshot.is_none() && state.last_index().is_none()
    }

    /// Checks whose operations it has, if that was noted.
    ///
    /// # Errors
    /// When it has those of another application.
    pub(crate) fn check_application(&self, name: &str) -> io::Result<()> {
        let noted = &self.lock().application;
        if [noted, name].contains(&"") || noted == name {
            return Ok(());
        }
        let text = format!("the data are those of {noted:?}, and not of {name:?}");
        Err(io::Error::new(io::ErrorKind::InvalidInput, text))
    }

    /// Notes whose operations it has: once the application has taken what is there.
    pub(crate) fn note_application(&self, name: &str) {
        let mut state = self.lock();
        if name.is_empty() || state.application == name {
            return;
        }
        name.clone_into(&mut state.application);
        let mut batch = Batch::default();
        batch.put(&record::APPLICATION, name.as_bytes());
        self.writer.write(Write { batch, done: None });
    }

    /// The group, encoded.
    pub(crate) fn group(&self) -> Option<Bytes> {
        self.lock().group.clone()
    }

    /// Notes the group, and returns once it is durable.
    ///
    /// # Errors
    /// When the log was closed first.
    pub(crate) async fn put_group(&self, group: Bytes) -> io::Result<()> {
        let mut batch = Batch::default();
        batch.put(&record::GROUP, &group);
        self.lock().group = Some(group);
        self.write_and_wait(batch).await
    }

    /// What its member is to begin with what was restored, encoded.
    pub(crate) fn founding(&self) -> Option<Bytes> {
        self.lock().founding.clone()
    }

    /// Notes what its member is to begin. It is durable before whatever is written later.
    pub(crate) fn put_founding(&self, founding: Bytes) {
        let mut batch = Batch::default();
        batch.put(&record::FOUNDING, &founding);
        let mut state = self.lock();
        state.founding = Some(founding);
        self.writer.write(Write { batch, done: None });
    }
}

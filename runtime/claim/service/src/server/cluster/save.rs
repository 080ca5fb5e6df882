//! The file of all claims at a member, for a client.

use std::sync::Arc;

use bytes::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::archive::file;
use super::shared::Shared;
use crate::server::state::reply::Reply;

/// A file that is being sent: the next one waits for its end.
struct SentFile {
    bytes: Vec<u8>,
    _turn: OwnedSemaphorePermit,
}

impl AsRef<[u8]> for SentFile {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// The files of all claims, of which one is sent at a time.
pub(super) struct Saves {
    shared: Arc<Shared>,
    /// Its only permit is for the file that is being sent.
    turn: Arc<Semaphore>,
}

impl Saves {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, turn: Arc::new(Semaphore::new(1)) }
    }

    /// The bytes of a file with all that is applied here.
    ///
    /// # Errors
    /// 429 while another one is sent, and the 503 when the state is not known.
    pub(super) async fn next(&self) -> Result<Bytes, Reply> {
        let turn = Arc::clone(&self.turn).try_acquire_owned();
        let turn = turn.map_err(|_| {
            Reply::message(429, "This member sends a snapshot to another client: try again")
        })?;
        let shared = Arc::clone(&self.shared);
        let captured = tokio::task::spawn_blocking(move || {
            let captured = {
                let replica = shared.lock();
                replica.failure().is_none().then(|| replica.capture())
            };
            captured.as_ref().map(file)
        });
        let bytes = captured.await.ok().flatten().ok_or_else(Reply::storage_in_trouble)?;
        Ok(Bytes::from_owner(SentFile { bytes, _turn: turn }))
    }
}

//! The changes of this member's status, for listeners.

use std::fmt;

use tokio::sync::broadcast;
use turnstile_replicated_lock_core::types::{LockName, LockStatus};

/// The status of this member for one lock has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusChange {
    /// The lock.
    pub lock: LockName,
    /// Its id, if this member has used it.
    pub id: Option<String>,
    /// The new status.
    pub status: LockStatus,
    /// The fencing token, if the member holds the lock.
    pub token: Option<u64>,
}

/// So many changes were not read in time, and are skipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} changes were not read in time")]
pub struct Lagged(pub u64);

/// The changes since this listener was created, in order.
pub struct Changes(pub(crate) broadcast::Receiver<StatusChange>);

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes").field("waiting", &self.0.len()).finish()
    }
}

impl Changes {
    /// The next change; `None` when the service has stopped.
    ///
    /// # Errors
    /// When this listener lags behind; the next call returns the oldest change that is kept.
    pub async fn next(&mut self) -> Result<Option<StatusChange>, Lagged> {
        match self.0.recv().await {
            Ok(change) => Ok(Some(change)),
            Err(broadcast::error::RecvError::Closed) => Ok(None),
            Err(broadcast::error::RecvError::Lagged(number)) => Err(Lagged(number)),
        }
    }
}

//! The places of a member's users: each that waits for a lock or holds one takes one.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The maximum number of requests that are answered at once; further ones wait. Users that wait for
/// a lock or hold one have places of their own.
const ANSWERING_MAX: usize = 64;

/// The places of a member's users.
pub(crate) struct Places {
    users_max: usize,
    users: Arc<Semaphore>,
    /// For users that hold a lock already: those that wait for it must not keep them from another.
    nested: Arc<Semaphore>,
    /// For requests that need no lock.
    pub(crate) answering: Semaphore,
}

impl Places {
    pub(crate) fn new(users_max: usize) -> Self {
        let semaphore = || Arc::new(Semaphore::new(users_max));
        let answering = Semaphore::new(ANSWERING_MAX);
        Self { users_max, users: semaphore(), nested: semaphore(), answering }
    }

    /// A place for a user; the error says that there is none.
    pub(crate) fn take(&self, is_nested: bool) -> Result<OwnedSemaphorePermit, String> {
        let places = if is_nested { &self.nested } else { &self.users };
        Arc::clone(places).try_acquire_owned().map_err(|_| {
            let most = self.users_max;
            format!("{most} users wait or hold locks already: try again, or raise --users")
        })
    }
}

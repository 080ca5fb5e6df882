//! What a lock service and its program have to supply.

use std::fmt;
use std::pin::Pin;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::wire::{LockRequest, UserToken};

/// A member of a lock service. Clones are handles of the same one.
pub trait Service: Clone + Send + Sync + 'static {
    /// The first line of a connection: among others `{"lock": ...}`, a [`LockRequest`].
    type Request: DeserializeOwned + Send;
    /// The answer to a request that asks for no lock: among others `{"error": "..."}`.
    type Reply: Serialize + Send + Sync;
    /// A lock that is held. Dropping it unlocks.
    type Guard: LockGuard;

    /// What a request asks for.
    fn handle(&self, request: Self::Request) -> Work<'_, Self::Reply>;

    /// Waits for a lock. It is cancelled when the user has gone, or its time is over.
    fn lock(&self, id: &str) -> impl Future<Output = Result<Self::Guard, String>> + Send;

    /// Takes a lock if it is free now; it waits for no other user, and answers within 10 s.
    fn try_lock(
        &self,
        id: &str,
    ) -> impl Future<Output = Result<Option<Self::Guard>, String>> + Send;
}

/// What a request asks for.
pub enum Work<'a, R> {
    /// A lock, which the connection holds.
    Lock(LockRequest),
    /// One answer.
    Reply(Pin<Box<dyn Future<Output = R> + Send + 'a>>),
}

impl<'a, R> Work<'a, R> {
    /// One answer, once it is there.
    pub fn reply(answer: impl Future<Output = R> + Send + 'a) -> Self {
        Self::Reply(Box::pin(answer))
    }
}

impl<R> fmt::Debug for Work<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lock(request) => f.debug_tuple("Lock").field(request).finish(),
            Self::Reply(_) => f.debug_tuple("Reply").finish_non_exhaustive(),
        }
    }
}

/// A lock that is held. Dropping it unlocks.
pub trait LockGuard: Send + Sync {
    /// The fencing token, if the service has them.
    fn token(&self) -> Option<UserToken>;

    /// Waits until the lock is lost.
    fn lost(&self) -> impl Future<Output = ()> + Send;

    /// Unlocks, and waits until the service has.
    fn unlock(self) -> impl Future<Output = Result<(), UnlockError>> + Send;
}

/// Why a lock is not unlocked as it should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnlockError {
    /// It was lost before.
    Lost,
    /// The service says something else, and unlocks by itself.
    Failed(String),
}

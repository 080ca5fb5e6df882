//! A lock across members, for the tasks of one.

use std::fmt;
use std::sync::Arc;

use tokio::sync::OwnedMutexGuard;
use turnstile_replicated_lock_core::message::Command;
use turnstile_replicated_lock_core::types::LockName;

use crate::error::LockError;
use crate::inner::Inner;
use crate::turns::{LockTurns, Locked, Loss};

/// A lock of the cluster. Clones, and others with the same id, are the same lock.
#[derive(Clone)]
pub struct Mutex {
    inner: Arc<Inner>,
    turn: Arc<LockTurns>,
}

impl fmt::Debug for Mutex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutex").field("name", &self.turn.lock).finish_non_exhaustive()
    }
}

impl Mutex {
    pub(crate) const fn new(inner: Arc<Inner>, turn: Arc<LockTurns>) -> Self {
        Self { inner, turn }
    }

    /// The name of the lock in the core.
    #[must_use]
    pub fn name(&self) -> LockName {
        self.turn.lock
    }

    /// Waits until this task holds the lock. Tasks of one member are served in their order, and so
    /// are members; a wait for another holder has no time-out. A future that is dropped gives the
    /// lock back when it is granted.
    ///
    /// # Errors
    /// When the member is in no majority, or its command fails.
    pub async fn lock(&self) -> Result<Guard, LockError> {
        self.inner.ready().await?;
        let queue = Arc::clone(&self.turn.queue).lock_owned().await;
        let locked = self.execute(queue, Command::Lock(self.turn.lock)).await?;
        // lock() returns with the lock.
        locked.ok_or(LockError::Failed)
    }

    /// Holds the lock if nobody has it, nor another task of this member its turn.
    ///
    /// # Errors
    /// As [`Mutex::lock`].
    pub async fn try_lock(&self) -> Result<Option<Guard>, LockError> {
        self.inner.ready().await?;
        let Ok(queue) = Arc::clone(&self.turn.queue).try_lock_owned() else { return Ok(None) };
        self.execute(queue, Command::TryLock(self.turn.lock)).await
    }

    /// Executes a command to its end, also when the caller has gone: the guard that nobody takes
    /// unlocks.
    async fn execute(
        &self,
        queue: OwnedMutexGuard<()>,
        command: Command,
    ) -> Result<Option<Guard>, LockError> {
        let Self { inner, turn } = self.clone();
        let run = async move {
            let outcome = turn.await_lock()?;
            inner.command(command).await?;
            let locked: Locked = outcome.await.map_err(|_| LockError::Stopped)?;
            let Some(loss) = locked? else { return Ok(None) };
            let token = inner.token(turn.lock);
            let queue = Some(queue);
            let guard = Guard { inner, turn, token: token.unwrap_or_default(), loss, queue };
            // Without a token it is lost again; the guard is dropped.
            if token.is_some() { Ok(Some(guard)) } else { Err(LockError::Lost) }
        };
        let running = self.inner.runtime().spawn(run);
        running.await.map_err(|_| LockError::Stopped)?
    }
}

/// A held lock. Dropping it unlocks in the background.
#[must_use = "dropping it unlocks"]
pub struct Guard {
    inner: Arc<Inner>,
    turn: Arc<LockTurns>,
    token: u64,
    loss: Loss,
    /// `None` once it is unlocked.
    queue: Option<OwnedMutexGuard<()>>,
}

impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guard").field("token", &self.token).finish_non_exhaustive()
    }
}

impl Guard {
    /// The fencing token: greater than that of every earlier grant of this lock. Give it to what
    /// the lock protects, which rejects a token that is less than one it has seen: a member learns
    /// with a delay that it has lost the lock.
    #[must_use]
    pub const fn token(&self) -> u64 {
        self.token
    }

    /// Whether the member knows that it has lost the lock.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        *self.loss.borrow() || self.loss.has_changed().is_err()
    }

    /// Waits until the lock is lost: the member was cut off from the majority, or excluded.
    pub async fn lost(&self) {
        let mut loss = self.loss.clone();
        // Closed: the service has stopped.
        let _lost = loss.wait_for(|is_lost| *is_lost).await;
    }

    /// Unlocks, and waits until it is done. The lock is given back in any case, if necessary later.
    ///
    /// # Errors
    /// When the lock was lost before, or the member does not know in time that it is unlocked.
    pub async fn unlock(mut self) -> Result<(), LockError> {
        let queue = self.queue.take().expect("only this and drop take it");
        let (inner, turn) = (Arc::clone(&self.inner), Arc::clone(&self.turn));
        let running = self.inner.runtime().spawn(release(inner, turn, queue));
        running.await.map_err(|_| LockError::Stopped)?
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(queue) = self.queue.take() {
            let (inner, turn) = (Arc::clone(&self.inner), Arc::clone(&self.turn));
            // Its outcome concerns nobody; the core repeats what fails.
            let _running = self.inner.runtime().spawn(release(inner, turn, queue));
        }
    }
}

async fn release(
    inner: Arc<Inner>,
    turn: Arc<LockTurns>,
    _queue: OwnedMutexGuard<()>,
) -> Result<(), LockError> {
    let outcome = turn.await_unlock()?;
    inner.command(Command::Unlock(turn.lock)).await?;
    outcome.await.map_err(|_| LockError::Stopped)?
}

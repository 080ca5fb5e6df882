//! A lock that a connection waits for and holds.

use std::io;
use std::pin::pin;
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{interval, sleep};

use crate::service::{LockGuard, Service, UnlockError};
use crate::wire::{Lines, LockReply, LockRequest, Unlock, write};

/// How often a user is told that a lock is held, and for how long without it may be taken for held.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The interval of the lines that say so.
    pub heartbeat: Duration,
    /// The time after the last of them when the lock is lost.
    pub lease: Duration,
}

/// Waits for a lock, and holds it until the user unlocks it or hangs up.
pub(crate) async fn use_lock<S: Service>(
    mut lines: Lines<OwnedReadHalf>,
    mut sink: OwnedWriteHalf,
    service: &S,
    request: &LockRequest,
    times: Times,
) -> io::Result<()> {
    let most = request.timeout_ms.map_or(Duration::MAX, Duration::from_millis);
    let mut end = pin!(lines.next::<Unlock>());
    let locked = tokio::select! {
        locked = lock(service, &request.id, most.is_zero()) => locked,
        () = sleep(most), if !most.is_zero() => Ok(None),
        // The user has gone; who waits gives the lock back when it is granted.
        _ = &mut end => return Ok(()),
    };
    match locked {
        Ok(Some(guard)) => hold(guard, end, &mut sink, times).await,
        Ok(None) => write(&mut sink, &LockReply::TimedOut).await,
        Err(text) => write(&mut sink, &LockReply::Error(text)).await,
    }
}

async fn lock<S: Service>(
    service: &S,
    id: &str,
    only_if_free: bool,
) -> Result<Option<S::Guard>, String> {
    if only_if_free { service.try_lock(id).await } else { service.lock(id).await.map(Some) }
}

/// Holds a lock until the user unlocks it or hangs up, or it is lost.
async fn hold(
    guard: impl LockGuard,
    end: impl Future<Output = io::Result<Option<Unlock>>>,
    sink: &mut (impl AsyncWrite + Unpin),
    times: Times,
) -> io::Result<()> {
    let lease_ms = u64::try_from(times.lease.as_millis()).unwrap_or(u64::MAX);
    write(sink, &LockReply::Held { token: guard.token(), lease_ms }).await?;
    let mut beats = interval(times.heartbeat);
    let mut end = pin!(end);
    let end = loop {
        tokio::select! {
            biased;
            () = guard.lost() => return write(sink, &LockReply::Lost).await,
            end = &mut end => break end,
            _ = beats.tick() => write(sink, &LockReply::StillHeld).await?,
        }
    };
    if !matches!(end, Ok(Some(Unlock::Unlock))) {
        // The user has hung up. Dropping the guard unlocks.
        return Ok(());
    }
    let answer = match guard.unlock().await {
        Ok(()) => LockReply::Unlocked,
        Err(UnlockError::Lost) => LockReply::Lost,
        Err(UnlockError::Failed(text)) => LockReply::Error(text),
    };
    write(sink, &answer).await
}

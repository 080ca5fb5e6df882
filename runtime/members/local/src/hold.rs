//! A lock that a connection waits for and holds.

use std::io;
use std::pin::{Pin, pin};
use std::time::Duration;

use rustix::net::sockopt::set_socket_send_buffer_size;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::{interval, sleep, timeout};

use crate::service::{LockGuard, Service, UnlockError};
use crate::wire::{LineError, Lines, LockReply, LockRequest, Unlock, refuse, write};

/// How often a user is told that a lock is held, and for how long without it may be taken for held.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    /// The interval of the lines that say so.
    pub heartbeat: Duration,
    /// The time after the last of them when the lock is lost.
    pub lease: Duration,
}

/// How much longer a user is waited for than it may take its lock for held.
const SILENCE: Duration = Duration::from_secs(1);

impl Times {
    /// How long a user may leave unread what it is told: one that goes on may read a former line at
    /// the end of its lease, and then takes the lock for held for another one.
    const fn silence_max(self) -> Duration {
        self.lease.saturating_mul(2).saturating_add(SILENCE)
    }
}

/// Waits for a lock, and holds it until the user unlocks it or hangs up.
pub(crate) async fn use_lock<S: Service>(
    lines: Lines<OwnedReadHalf>,
    mut sink: OwnedWriteHalf,
    service: &S,
    request: &LockRequest,
    times: Times,
) -> io::Result<()> {
    let most = request.timeout_ms.map_or(Duration::MAX, Duration::from_millis);
    let mut end = pin!(End::of(lines));
    let locked = tokio::select! {
        locked = lock(service, &request.id, most.is_zero()) => locked,
        () = sleep(most), if !most.is_zero() => Ok(None),
        // Who waits gives the lock back when it is granted.
        (end, lines) = &mut end => return match end {
            End::Gone => Ok(()),
            End::Unlock => write(&mut sink, &LockReply::Unlocked).await,
            End::Wrong(why) => {
                refuse(lines, sink, second_request(&why, "it no longer waits for the lock")).await
            }
        },
    };
    match locked {
        Ok(Some(guard)) => hold(guard, end, sink, times).await,
        Ok(None) => write(&mut sink, &LockReply::TimedOut).await,
        Err(text) => write(&mut sink, &LockReply::Error(text)).await,
    }
}

/// How a user ends its wait for a lock, or its hold.
enum End {
    /// It unlocks.
    Unlock,
    /// It has hung up.
    Gone,
    /// It has sent something else; the text says what is wrong with that.
    Wrong(String),
}

impl End {
    /// Waits for it.
    async fn of(mut lines: Lines<OwnedReadHalf>) -> (Self, Lines<OwnedReadHalf>) {
        let end = match lines.request().await {
            Ok(Some(Unlock::Unlock)) => Self::Unlock,
            Ok(None) | Err(LineError::Failed(_)) => Self::Gone,
            Err(LineError::Wrong(why)) => Self::Wrong(why),
        };
        (end, lines)
    }
}

/// What is said to a user that sends more than a request for a lock and the end of it.
fn second_request(why: &str, so: &str) -> String {
    format!(
        "a connection has one request, and after one for a lock it takes \"unlock\" alone: {why}; \
         {so}, and another request needs another connection"
    )
}

async fn lock<S: Service>(
    service: &S,
    id: &str,
    only_if_free: bool,
) -> Result<Option<S::Guard>, String> {
    if only_if_free { service.try_lock(id).await } else { service.lock(id).await.map(Some) }
}

/// Tells a user that reads what it is told.
///
/// # Errors
/// When the user has gone, or reads nothing: it is stopped, or hangs.
async fn tell(sink: &mut OwnedWriteHalf, what: &LockReply, times: Times) -> io::Result<()> {
    let told = timeout(times.silence_max(), write(sink, what)).await;
    told.unwrap_or_else(|_| {
        tracing::warn!("a user of a lock reads nothing, as if it were stopped: it keeps no lock");
        Err(io::ErrorKind::TimedOut.into())
    })
}

/// Holds a lock until the user unlocks it, hangs up or reads nothing, or it is lost.
async fn hold(
    guard: impl LockGuard,
    mut end: Pin<&mut impl Future<Output = (End, Lines<OwnedReadHalf>)>>,
    mut sink: OwnedWriteHalf,
    times: Times,
) -> io::Result<()> {
    let lease_ms = u64::try_from(times.lease.as_millis()).unwrap_or(u64::MAX);
    // The least, so that a user that does not read is soon noticed.
    set_socket_send_buffer_size(sink.as_ref(), 1)?;
    tell(&mut sink, &LockReply::Held { token: guard.token(), lease_ms }, times).await?;
    let mut beats = interval(times.heartbeat);
    let (end, lines) = loop {
        tokio::select! {
            biased;
            () = guard.lost() => return tell(&mut sink, &LockReply::Lost, times).await,
            end = &mut end => break end,
            _ = beats.tick() => tell(&mut sink, &LockReply::StillHeld, times).await?,
        }
    };
    if matches!(end, End::Gone) {
        // Dropping the guard unlocks.
        return Ok(());
    }
    let unlocked = guard.unlock().await;
    match end {
        End::Gone => Ok(()),
        End::Unlock => {
            let answer = match unlocked {
                Ok(()) => LockReply::Unlocked,
                Err(UnlockError::Lost) => LockReply::Lost,
                Err(UnlockError::Failed(text)) => LockReply::Error(text),
            };
            tell(&mut sink, &answer, times).await
        }
        End::Wrong(why) => {
            let so = match unlocked {
                Ok(()) => "the lock is unlocked",
                Err(UnlockError::Lost) => "the lock was lost before",
                Err(UnlockError::Failed(_)) => "the member unlocks the lock",
            };
            refuse(lines, sink, second_request(&why, so)).await
        }
    }
}

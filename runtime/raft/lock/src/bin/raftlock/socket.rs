//! The socket of a member, for the users of its machine.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::Semaphore;
use tokio::time::{interval, sleep, timeout};
use turnstile_raft_lock::{Guard, LockError, LockService};

use super::wire::{Lines, Reply, Request, Unlock, write};
use super::{lock_id, status};

/// The maximum number of connections; further ones wait.
const CONNECTIONS_MAX: usize = 1024;
/// The maximum time for the first line of a connection.
const REQUEST_MAX: Duration = Duration::from_secs(10);
/// The pause before a failed command is repeated.
const REPEAT_PAUSE: Duration = Duration::from_millis(100);
/// The pause after a connection could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How often a user is told that a lock is held, and for how long without it may be taken for held.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) heartbeat: Duration,
    pub(crate) lease: Duration,
}

/// Listens at a path, to which only this user can connect. A socket at which nobody listens any
/// more is replaced.
///
/// # Errors
/// When another process listens there, or the path cannot be used.
pub(crate) async fn bind(path: &Path) -> io::Result<UnixListener> {
    if UnixStream::connect(path).await.is_ok() {
        return Err(io::Error::new(io::ErrorKind::AddrInUse, "another member listens there"));
    }
    match fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => fs::remove_file(path)?,
        Ok(_) => {
            let text = "a file that is no socket is there";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let listener = UnixListener::bind(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600))?;
    Ok(listener)
}

/// Serves connections until it is dropped.
pub(crate) async fn serve(listener: UnixListener, service: LockService, times: Times) {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else { return };
        match listener.accept().await {
            Ok((stream, _)) => {
                let service = service.clone();
                tokio::spawn(async move {
                    if let Err(error) = answer(stream, &service, times).await {
                        tracing::debug!(%error, "a connection has failed");
                    }
                    drop(place);
                });
            }
            // There are too many open files, for example.
            Err(error) => {
                tracing::warn!(%error, "a connection cannot be accepted");
                sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn answer(stream: UnixStream, service: &LockService, times: Times) -> io::Result<()> {
    let (lines, mut sink) = stream.into_split();
    let mut lines = Lines::new(lines);
    match timeout(REQUEST_MAX, lines.next::<Request>()).await {
        Ok(Ok(Some(Request::Status))) => {
            write(&mut sink, &Reply::Status(status::json(&service.status()))).await
        }
        Ok(Ok(Some(Request::Lock { id, timeout_ms }))) => {
            let mut end = pin!(lines.next::<Unlock>());
            let most = timeout_ms.map_or(Duration::MAX, Duration::from_millis);
            if let Err(text) = lock_id(&id) {
                return write(&mut sink, &Reply::Error(text)).await;
            }
            let locked = tokio::select! {
                locked = lock(service, &id, most.is_zero()) => locked,
                () = sleep(most), if !most.is_zero() => Ok(None),
                // The user has gone; who waits gives the lock back when it is granted.
                _ = &mut end => return Ok(()),
            };
            match locked {
                Ok(Some(guard)) => hold(guard, end, &mut sink, times).await,
                Ok(None) => write(&mut sink, &Reply::TimedOut).await,
                Err(error) => write(&mut sink, &Reply::Error(error.to_string())).await,
            }
        }
        Ok(Ok(None)) => Ok(()),
        Ok(Err(error)) => {
            write(&mut sink, &Reply::Error(format!("the request is not understood: {error}"))).await
        }
        Err(_) => write(&mut sink, &Reply::Error("the request did not come in time".into())).await,
    }
}

/// Waits for a lock. A command that fails, for example since the leader has changed, is repeated:
/// if it has locked nevertheless, the member unlocks first.
async fn lock(
    service: &LockService,
    id: &str,
    only_if_free: bool,
) -> Result<Option<Guard>, LockError> {
    let mutex = service.lock(id);
    if only_if_free {
        return mutex.try_lock().await;
    }
    loop {
        match mutex.lock().await {
            // A lock that is lost at once was not used.
            Err(LockError::Failed | LockError::NoMajority | LockError::Lost) => {
                sleep(REPEAT_PAUSE).await;
            }
            locked @ (Ok(_) | Err(LockError::Stopped)) => return locked.map(Some),
        }
    }
}

/// Holds a lock until the user unlocks it or hangs up, or it is lost.
async fn hold(
    guard: Guard,
    end: impl Future<Output = io::Result<Option<Unlock>>>,
    sink: &mut (impl AsyncWrite + Unpin),
    times: Times,
) -> io::Result<()> {
    let lease_ms = u64::try_from(times.lease.as_millis()).unwrap_or(u64::MAX);
    write(sink, &Reply::Held { token: guard.token(), lease_ms }).await?;
    let mut beats = interval(times.heartbeat);
    let mut end = pin!(end);
    let end = loop {
        tokio::select! {
            biased;
            () = guard.lost() => return write(sink, &Reply::Lost).await,
            end = &mut end => break end,
            _ = beats.tick() => write(sink, &Reply::StillHeld).await?,
        }
    };
    if !matches!(end, Ok(Some(Unlock::Unlock))) {
        // The user has hung up. Dropping the guard unlocks.
        return Ok(());
    }
    let answer = match guard.unlock().await {
        Ok(()) => Reply::Unlocked,
        Err(LockError::Lost) => Reply::Lost,
        Err(error @ (LockError::NoMajority | LockError::Failed | LockError::Stopped)) => {
            Reply::Error(error.to_string())
        }
    };
    write(sink, &answer).await
}

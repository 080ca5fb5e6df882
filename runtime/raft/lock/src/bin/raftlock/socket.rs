//! The socket of a member, for the users of its machine.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, FileTypeExt as _, PermissionsExt as _};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncWrite;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{interval, sleep, timeout};
use turnstile_raft::{MemberChange, MemberError};
use turnstile_raft_lock::{Guard, LockError, LockService};

use super::arrivals::{Arrival, Arrivals};
use super::cli::lock_id;
use super::wire::{Lines, Reply, Request, Unlock, write};
use super::{snapshot, status};

/// The maximum number of connections that have not sent their request yet.
const SILENT_MAX: usize = 64;
/// The maximum number of requests that are answered at once; further ones wait. Users that wait for
/// a lock or hold one have places of their own.
const ANSWERING_MAX: usize = 64;
/// The maximum time for the first line of a connection, and for taking an answer.
const REQUEST_MAX: Duration = Duration::from_secs(10);
/// The maximum time for a change of the members: the leader, which has a shorter one, may be gone.
const CHANGE_MAX: Duration = Duration::from_secs(15);
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

/// The places of a member's users.
struct Places {
    users_max: usize,
    users: Arc<Semaphore>,
    /// For users that hold a lock already: those that wait for it must not keep them from another.
    nested: Arc<Semaphore>,
    /// For requests that need no lock.
    answering: Semaphore,
}

impl Places {
    fn new(users_max: usize) -> Self {
        let semaphore = || Arc::new(Semaphore::new(users_max));
        let answering = Semaphore::new(ANSWERING_MAX);
        Self { users_max, users: semaphore(), nested: semaphore(), answering }
    }

    /// A place for a user; the error says that there is none.
    fn take(&self, is_nested: bool) -> Result<OwnedSemaphorePermit, String> {
        let places = if is_nested { &self.nested } else { &self.users };
        Arc::clone(places).try_acquire_owned().map_err(|_| {
            let most = self.users_max;
            format!("{most} users wait or hold locks already: try again, or raise --users")
        })
    }
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
        Ok(found) if found.file_type().is_socket() => {}
        Ok(_) => {
            let text = "a file that is no socket is there";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // The mode of a socket can be changed only once it is there. So it is bound in a folder that is
    // closed to others, and then moved, which replaces the former one.
    let folder = path.with_file_name(format!(".rl{}", std::process::id()));
    let inside = folder.join("s");
    // Remains of a process with the same number.
    let _removed = fs::remove_file(&inside).and_then(|()| fs::remove_dir(&folder));
    fs::DirBuilder::new().mode(0o700).create(&folder)?;
    let bound = UnixListener::bind(&inside).and_then(|listener| {
        fs::set_permissions(&inside, fs::Permissions::from_mode(0o600))?;
        fs::rename(&inside, path)?;
        Ok(listener)
    });
    if bound.is_err() {
        // It may not be there.
        let _removed = fs::remove_file(&inside);
    }
    fs::remove_dir(&folder)?;
    bound
}

/// Serves connections until it is dropped: at most so many users that wait for a lock or hold one,
/// and as many again that hold one already.
pub(crate) async fn serve(
    listener: UnixListener,
    service: LockService,
    times: Times,
    users_max: usize,
) {
    let arrivals = Arrivals::new(SILENT_MAX);
    let places = Arc::new(Places::new(users_max));
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                let arrival = arrivals.take_in();
                let (service, places) = (service.clone(), Arc::clone(&places));
                tokio::spawn(async move {
                    if let Err(error) = answer(stream, arrival, &service, times, &places).await {
                        tracing::debug!(%error, "a connection has failed");
                    }
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

async fn answer(
    stream: UnixStream,
    mut arrival: Arrival,
    service: &LockService,
    times: Times,
    places: &Places,
) -> io::Result<()> {
    let (lines, mut sink) = stream.into_split();
    let mut lines = Lines::new(lines);
    let request = tokio::select! {
        biased;
        request = timeout(REQUEST_MAX, lines.next::<Request>()) => request,
        () = arrival.gives_way() => {
            let text = "too many connections are silent: this one is closed for a newer one";
            return timeout(REQUEST_MAX, write(&mut sink, &Reply::Error(text.into()))).await?;
        }
    };
    drop(arrival);
    let is_user = matches!(request, Ok(Ok(Some(Request::Lock { .. }))));
    let _turn = if is_user { None } else { places.answering.acquire().await.ok() };
    let reply = match request {
        Ok(Ok(Some(Request::Lock { id, timeout_ms, nested }))) => {
            let place = lock_id(&id).and_then(|_| places.take(nested));
            match place {
                Ok(_place) => {
                    let most = timeout_ms.map_or(Duration::MAX, Duration::from_millis);
                    return use_lock(lines, sink, service, &id, most, times).await;
                }
                Err(text) => Reply::Error(text),
            }
        }
        Ok(Ok(Some(Request::Status))) => Reply::Status(status::json(&service.status())),
        Ok(Ok(Some(Request::AddMember { id, address }))) => {
            change(service, &MemberChange::Add { id, address }).await
        }
        Ok(Ok(Some(Request::RemoveMember { id }))) => {
            change(service, &MemberChange::Remove { id }).await
        }
        Ok(Ok(Some(Request::Save { file }))) => match snapshot::save(service, file).await {
            Ok(()) => Reply::Done,
            Err(error) => Reply::Error(error.to_string()),
        },
        Ok(Ok(None)) => return Ok(()),
        Ok(Err(error)) => Reply::Error(format!("the request is not understood: {error}")),
        Err(_) => Reply::Error("the request did not come in time".into()),
    };
    timeout(REQUEST_MAX, write(&mut sink, &reply)).await?
}

/// Changes the members, here or at the leader.
async fn change(service: &LockService, change: &MemberChange) -> Reply {
    let changed = timeout(CHANGE_MAX, service.raft().change_members(change)).await;
    let error = match changed.unwrap_or(Err(MemberError::TimedOut)) {
        Ok(()) => return Reply::Done,
        Err(MemberError::NotLeader { .. }) => {
            let text = "there is no leader: a majority of the members must run";
            return Reply::Unknown(text.into());
        }
        Err(error) => error,
    };
    let text = error.to_string();
    match change {
        _ if !error.is_not_executed() => Reply::Unknown(text),
        MemberChange::Remove { id } if error.is_no_member(*id) => Reply::NoMember(text),
        MemberChange::Add { .. } | MemberChange::Remove { .. } => Reply::Error(text),
    }
}

/// Waits for a lock, and holds it until the user unlocks it or hangs up.
async fn use_lock(
    mut lines: Lines<OwnedReadHalf>,
    mut sink: OwnedWriteHalf,
    service: &LockService,
    id: &str,
    most: Duration,
    times: Times,
) -> io::Result<()> {
    let mut end = pin!(lines.next::<Unlock>());
    let locked = tokio::select! {
        locked = lock(service, id, most.is_zero()) => locked,
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
            locked @ (Ok(_) | Err(LockError::Stopped | LockError::Removed)) => {
                return locked.map(Some);
            }
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
        Err(
            error @ (LockError::NoMajority
            | LockError::Removed
            | LockError::Failed
            | LockError::Stopped),
        ) => Reply::Error(error.to_string()),
    };
    write(sink, &answer).await
}

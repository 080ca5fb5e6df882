//! `raftlock run`: runs a command under a lock, and ends it when the lock is lost.

use std::convert::Infallible;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::watch;
use tokio::time::timeout;
use turnstile_supervisor::{Held, Reaper, Signals, end_by, supervise};

use super::wire::{Lines, Reply, Request, Unlock, write};
use super::{Failure, REPLY_MAX, exchange};

/// The variable with the ids of the locks that a command runs under, one on each line.
const HELD: &str = "RAFTLOCK_HELD";

/// A member that says nothing for so long after the timeout is stopped, or overloaded.
const LATE_MAX: Duration = Duration::from_secs(1);

/// Who waits for so long is told where to look.
const QUIET_MAX: Duration = Duration::from_secs(5);

/// What to run, and under which lock.
pub(crate) struct Run<'a> {
    pub(crate) socket: &'a Path,
    pub(crate) id: &'a str,
    pub(crate) timeout: Option<Duration>,
    pub(crate) grace: Duration,
    pub(crate) command: &'a [OsString],
}

/// Runs the command and returns its exit status.
pub(crate) async fn run(run: Run<'_>) -> Result<u8, Failure> {
    let Run { socket, id, timeout: most, grace, command } = run;
    let held = std::env::var(HELD).unwrap_or_default();
    if held.lines().any(|one| one == id) {
        let text = format!("this command already runs under {id:?}: it would wait for itself");
        return Err(Failure::Usage(text));
    }
    let mut signals = Signals::listen().map_err(|error| Failure::System(error.to_string()))?;
    // Start the reaper while the request is in progress, so that it adds no delay.
    let reaper = Reaper::start();
    let reaper =
        reaper.inspect_err(|error| eprintln!("raftlock: cannot start the reaper: {error}")).ok();
    let timeout_ms = most.map(|most| u64::try_from(most.as_millis()).unwrap_or(u64::MAX));
    let nested = !held.is_empty();
    let request = Request::Lock { id: id.to_owned(), timeout_ms, nested };
    let (reply, (lines, sink)) = tokio::select! {
        biased;
        answered = timeout(patience(most), exchange(socket, &request)) => {
            answered.map_err(|_| undecided())??
        }
        // The member withdraws the request when the connection is closed.
        signal = signals.end() => return Ok(end_by(signal)),
        never = tell_of_wait(id) => match never {},
    };
    let (token, lease) = match reply {
        Reply::Held { token, lease_ms } => (token, Duration::from_millis(lease_ms)),
        Reply::TimedOut => return Err(Failure::TimedOut),
        Reply::Error(text) => return Err(Failure::Unavailable(text)),
        Reply::StillHeld
        | Reply::Lost
        | Reply::Unlocked
        | Reply::Done
        | Reply::Status(_)
        | Reply::Unknown(_)
        | Reply::NoMember(_) => {
            return Err(Failure::Unavailable("the member gives no answer to the request".into()));
        }
    };
    let all_held = format!("{held}{id}\n");
    let variables = [
        ("RAFTLOCK_FENCING_TOKEN", token.to_string()),
        ("RAFTLOCK_ID", id.to_owned()),
        (HELD, all_held),
    ];
    let lock = MemberLock::watch(lines, lease);
    let ended = supervise(command, &variables, reaper, &lock, &mut signals, grace).await;
    let was_lost = lock.release(sink).await;
    Ok(ended.exit_status("raftlock", command, was_lost))
}

/// Says once, after some time, that the lock is not granted yet.
async fn tell_of_wait(id: &str) -> Infallible {
    tokio::time::sleep(QUIET_MAX).await;
    eprintln!("raftlock: still waits for {id:?}: `raftlock status` shows the member and the locks");
    std::future::pending().await
}

/// The member has neither granted the lock nor refused it.
fn undecided() -> Failure {
    let text = "the member does not answer: it is stopped, or overloaded, or has no contact to a \
                majority (see `raftlock status`)";
    Failure::Unavailable(text.into())
}

/// The maximum time for the member's first answer. It counts the timeout, too, unless it is
/// stopped; without a time to wait it only tries.
fn patience(most: Option<Duration>) -> Duration {
    match most {
        None => Duration::MAX,
        Some(Duration::ZERO) => REPLY_MAX,
        Some(most) => most.saturating_add(LATE_MAX),
    }
}

/// The maximum time for the member to acknowledge that it has unlocked.
const RELEASE_MAX: Duration = Duration::from_secs(5);

/// What the member has said of the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LockState {
    Held,
    Lost,
    Unlocked,
}

/// The lock that a connection to a member holds.
struct MemberLock(watch::Receiver<LockState>);

impl MemberLock {
    /// Reads what the member says; a connection that ends, or is silent for the lease, has lost the
    /// lock.
    fn watch(mut lines: Lines<OwnedReadHalf>, lease: Duration) -> Self {
        let (state, watched) = watch::channel(LockState::Held);
        tokio::spawn(async move {
            let said = loop {
                match timeout(lease, lines.next::<Reply>()).await {
                    Ok(Ok(Some(Reply::StillHeld))) => {}
                    Ok(Ok(Some(Reply::Unlocked))) => break LockState::Unlocked,
                    // Only unlocking has an error, and the member repeats it.
                    Ok(Ok(Some(Reply::Error(text)))) => {
                        eprintln!("raftlock: {text}");
                        break LockState::Unlocked;
                    }
                    Ok(_) | Err(_) => break LockState::Lost,
                }
            };
            state.send_replace(said);
            state.closed().await;
        });
        Self(watched)
    }

    async fn until(&self, is_so: impl FnMut(&LockState) -> bool) -> LockState {
        let mut state = self.0.clone();
        let reached = state.wait_for(is_so).await;
        reached.map_or(LockState::Lost, |state| *state)
    }

    /// Unlocks. Returns whether the lock was lost before.
    async fn release(self, mut sink: OwnedWriteHalf) -> bool {
        // An error means that the connection has ended, which its reader reports.
        let _ended = write(&mut sink, &Unlock::Unlock).await;
        let said = timeout(RELEASE_MAX, self.until(|state| *state != LockState::Held)).await;
        match said {
            Ok(state) => state == LockState::Lost,
            Err(_) => {
                eprintln!("raftlock: the member has not acknowledged that the lock is unlocked");
                false
            }
        }
    }
}

impl Held for MemberLock {
    fn is_held(&self) -> bool {
        *self.0.borrow() == LockState::Held
    }

    async fn lost(&self) {
        self.until(|state| *state == LockState::Lost).await;
    }

    fn on_loss(&self) {
        eprintln!("raftlock: the lock is lost; terminating the command");
    }

    /// None: the others may have the lock already.
    fn grace_max(&self) -> Duration {
        Duration::ZERO
    }
}

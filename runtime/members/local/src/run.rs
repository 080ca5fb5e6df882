//! `PROGRAM run`: runs a command under a lock, and ends it when the lock is lost.

use std::convert::Infallible;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Serialize;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::runtime::Builder;
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;
use turnstile_supervisor::{HeldLock, Reaper, Signals, end_by, since_boot, supervise};

use crate::arguments::RunArgs;
use crate::client::{Client, REPLY_MAX};
use crate::program::{Failure, Program};
use crate::wire::{Lines, LockReply, LockRequest, Unlock, UserToken, write};

/// A member that says nothing for so long after the timeout is stopped, or overloaded.
const LATE_MAX: Duration = Duration::from_secs(1);

/// Who waits for so long is told where to look.
const QUIET_MAX: Duration = Duration::from_secs(5);

/// The request for a lock, in the form that every program has.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum RunRequest {
    Lock(LockRequest),
}

impl Program {
    /// Runs a command under a lock of the member at a socket. It has to be called from the main
    /// thread: the kernel ties a child to the thread that started it (`PR_SET_PDEATHSIG`).
    ///
    /// The command's environment has, after [`Program::variable`], `_FENCING_TOKEN`, if the service
    /// has tokens, `_ID`, the lock's id, and `_HELD`, the ids of all locks that the command runs
    /// under, one on each line. A nested run for one of these is refused.
    #[must_use]
    pub fn run(self, socket: &Path, run: &RunArgs) -> ExitCode {
        self.finish(Builder::new_current_thread(), Client::new(self, socket).run(run))
    }
}

impl Client<'_> {
    /// Runs a command under a lock, and returns its exit status.
    ///
    /// # Errors
    /// When the lock is not granted.
    async fn run(&self, run: &RunArgs) -> Result<u8, Failure> {
        let RunArgs { id, timeout: most, grace, command } = run;
        let (most, grace) = (*most, *grace);
        let Program { name, variable, .. } = self.program;
        let held_variable = format!("{variable}_HELD");
        let held = std::env::var(&held_variable).unwrap_or_default();
        if held.lines().any(|one| one == id) {
            let text = format!("this command already runs under {id:?}: it would wait for itself");
            return Err(Failure::Usage(text));
        }
        let mut signals = Signals::listen().map_err(|error| Failure::System(error.to_string()))?;
        // Start the reaper while the request is in progress, so that it adds no delay.
        let reaper = Reaper::start();
        let reaper =
            reaper.inspect_err(|error| eprintln!("{name}: cannot start the reaper: {error}")).ok();
        let timeout_ms = most.map(|most| u64::try_from(most.as_millis()).unwrap_or(u64::MAX));
        let nested = !held.is_empty();
        let request = RunRequest::Lock(LockRequest { id: id.to_owned(), timeout_ms, nested });
        let (reply, (lines, sink)) = tokio::select! {
            biased;
            answered = timeout(patience(most), self.exchange(&request)) => {
                answered.map_err(|_| self.undecided())??
            }
            // The member withdraws the request when the connection is closed.
            signal = signals.end() => return Ok(end_by(signal)),
            never = self.tell_of_wait(id) => match never {},
        };
        let (token, lease) = granted(reply)?;
        let token_variable = format!("{variable}_FENCING_TOKEN");
        let id_variable = format!("{variable}_ID");
        let mut variables = vec![
            (&*id_variable, Some(id.to_owned())),
            (&*held_variable, Some(format!("{held}{id}\n"))),
        ];
        variables.push((&*token_variable, token.map(|token| token.to_string())));
        let lock = MemberLock::watch(name, lines, sink, lease);
        let ended = supervise(command, &variables, reaper, &lock, &mut signals, grace).await;
        let was_lost = lock.release().await;
        Ok(ended.exit_status(name, command, was_lost))
    }

    /// Says once, after some time, that the lock is not granted yet.
    async fn tell_of_wait(&self, id: &str) -> Infallible {
        tokio::time::sleep(QUIET_MAX).await;
        let name = self.program.name;
        eprintln!("{name}: still waits for {id:?}: `{name} status` shows the member and the locks");
        std::future::pending().await
    }

    /// The member has neither granted the lock nor refused it.
    fn undecided(&self) -> Failure {
        let Program { name, undecided, .. } = self.program;
        Failure::Unavailable(format!(
            "the member does not answer: it is stopped, or overloaded, or {undecided} (see \
             `{name} status`)"
        ))
    }
}

/// The token and the lease of a lock that is granted.
fn granted(reply: LockReply) -> Result<(Option<UserToken>, Duration), Failure> {
    match reply {
        LockReply::Held { token, lease_ms } => Ok((token, Duration::from_millis(lease_ms))),
        LockReply::TimedOut => Err(Failure::TimedOut),
        LockReply::Error(text) => Err(Failure::Unavailable(text)),
        LockReply::StillHeld | LockReply::Lost | LockReply::Unlocked => {
            Err(Failure::Unavailable("the member gives no answer to the request".into()))
        }
    }
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
    /// Without another line until this time since the boot, it is lost.
    Held(Duration),
    Lost,
    Unlocked,
}

impl LockState {
    const fn is_held(self) -> bool {
        matches!(self, Self::Held(_))
    }

    /// Whether the lease is not over.
    fn lasts(self) -> bool {
        matches!(self, Self::Held(until) if since_boot() < until)
    }
}

/// The lock that a connection to a member holds.
struct MemberLock {
    program: &'static str,
    sink: OwnedWriteHalf,
    state: watch::Receiver<LockState>,
    /// Has seen each change that the supervisor was told of.
    renewals: Mutex<watch::Receiver<LockState>>,
}

impl MemberLock {
    /// Reads what the member says; a connection that ends, or is silent for the lease, has lost the
    /// lock. Only the last of the lines that have come together renews it: the others are older.
    fn watch(
        program: &'static str,
        mut lines: Lines<OwnedReadHalf>,
        sink: OwnedWriteHalf,
        lease: Duration,
    ) -> Self {
        let held = move || LockState::Held(since_boot().saturating_add(lease));
        let (state, watched) = watch::channel(held());
        tokio::spawn(async move {
            let said = loop {
                match timeout(lease, lines.next::<LockReply>()).await {
                    Ok(Ok(Some(LockReply::StillHeld))) if state.borrow().lasts() => {
                        if !lines.has_more() {
                            state.send_replace(held());
                        }
                    }
                    Ok(Ok(Some(LockReply::Unlocked))) => break LockState::Unlocked,
                    // Only unlocking has an error, and the member repeats it.
                    Ok(Ok(Some(LockReply::Error(text)))) => {
                        eprintln!("{program}: {text}");
                        break LockState::Unlocked;
                    }
                    Ok(_) | Err(_) => break LockState::Lost,
                }
            };
            state.send_replace(said);
            state.closed().await;
        });
        Self { program, sink, renewals: Mutex::new(watched.clone()), state: watched }
    }

    async fn until(&self, is_so: impl FnMut(&LockState) -> bool) -> LockState {
        let mut state = self.state.clone();
        let reached = state.wait_for(is_so).await;
        reached.map_or(LockState::Lost, |state| *state)
    }

    /// Unlocks. Returns whether the lock was lost before.
    async fn release(mut self) -> bool {
        // An error means that the connection has ended, which its reader reports.
        let _ended = write(&mut self.sink, &Unlock::Unlock).await;
        let said = timeout(RELEASE_MAX, self.until(|state| !state.is_held())).await;
        match said {
            Ok(state) => state == LockState::Lost,
            Err(_) => {
                let program = self.program;
                eprintln!("{program}: the member has not acknowledged that the lock is unlocked");
                false
            }
        }
    }
}

impl HeldLock for MemberLock {
    /// Not by what the member has said alone, which may be long ago: it may have hung up since.
    fn is_held(&self) -> bool {
        let mut connection = [PollFd::new(self.sink.as_ref(), PollFlags::RDHUP)];
        let hung_up = poll(&mut connection, Some(&Timespec { tv_sec: 0, tv_nsec: 0 }));
        self.state.borrow().lasts() && hung_up == Ok(0)
    }

    async fn lost(&self) {
        self.until(|state| *state == LockState::Lost).await;
    }

    fn on_loss(&self) {
        eprintln!("{}: the lock is lost; terminating the command", self.program);
    }

    /// None: the others may have the lock already.
    fn grace_max(&self) -> Duration {
        Duration::ZERO
    }

    fn deadline(&self) -> Option<Duration> {
        match *self.state.borrow() {
            LockState::Held(until) => Some(until),
            LockState::Lost | LockState::Unlocked => None,
        }
    }

    async fn renewed(&self) {
        if self.renewals.lock().await.changed().await.is_err() {
            // Its reader has ended, and has said so.
            std::future::pending().await
        }
    }
}

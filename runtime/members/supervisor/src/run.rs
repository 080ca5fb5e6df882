//! A command under a lock, from its start to its end.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;
use std::pin::pin;
use std::process::ExitStatus;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal, setrlimit};
use tokio::time::{Instant, sleep_until};

use crate::guarded::Guarded;
use crate::process::{Process, Stopped};
use crate::reaper::{Reaper, since_boot};
use crate::signals::{SignalMeaning, SignalTarget, Signals, raise_default};
use crate::terminal::Terminal;

/// A lock under which a command runs.
pub trait HeldLock {
    /// Whether it is held now.
    fn is_held(&self) -> bool;

    /// Completes when it is lost.
    fn lost(&self) -> impl Future<Output = ()>;

    /// Called once when its loss is noticed, before the command is terminated.
    fn on_loss(&self);

    /// The maximum time after the loss during which the command may still run.
    fn grace_max(&self) -> Duration;

    /// Until when it is held without a renewal, in time [since the boot](crate::since_boot); `None`
    /// for a lock without a lease. The [`Reaper`] ends the command by itself if this process is
    /// stopped or hangs until then, and [`grace_max`](Self::grace_max) longer.
    fn deadline(&self) -> Option<Duration> {
        None
    }

    /// Completes after each change of its deadline since it last completed.
    fn renewed(&self) -> impl Future<Output = ()> {
        std::future::pending()
    }
}

/// Exit status: the lock was lost while the command ran, and the command was terminated.
pub const LOST: u8 = 76;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself, or by a signal.
    By(ExitStatus),
    /// The lock was lost, and the command was terminated.
    Lost,
    /// The reaper has terminated the command: the lease was over, and this process did not do it.
    Lapsed,
}

/// The end of a command.
#[derive(Debug)]
pub struct Ended {
    /// How it ended, or why it could not be started.
    pub end: io::Result<End>,
    /// Where a key of the terminal ends the rest of the job; `None` without a terminal.
    target: Option<SignalTarget>,
}

impl Ended {
    /// The exit status of a supervisor with this name, once it has released the lock: that of the
    /// command; [`LOST`]; 127 if there is no such command, and 126 if it cannot be executed, which
    /// is printed.
    ///
    /// If a key of the terminal ended the command, the process exits by that signal, so that the
    /// surrounding script exits, too: a shell continues after a command that only returns a status.
    #[must_use]
    pub fn exit_status(&self, name: &str, command: &[OsString], was_lost: bool) -> u8 {
        let status = match &self.end {
            Err(error) => {
                let command = command.first().map(|word| word.to_string_lossy());
                eprintln!("{name}: {}: {error}", command.unwrap_or_default());
                return if error.kind() == io::ErrorKind::NotFound { 127 } else { 126 };
            }
            Ok(End::Lapsed) => {
                eprintln!(
                    "{name}: this process was stopped, or hung, until the end of the lease: the \
                     command was terminated"
                );
                return LOST;
            }
            Ok(End::Lost) => return LOST,
            Ok(End::By(_)) if was_lost => return LOST,
            Ok(End::By(status)) => *status,
        };
        if let Some(signal) = status.signal().and_then(Signal::from_named_raw) {
            exit_by(signal, self.target);
        }
        status_of(status)
    }
}

/// Starts a command and waits until it has ended: by itself, after a signal, or after the loss of
/// the lock. It inherits the environment of this process, except for the `variables`, which have a
/// value or are withheld. `grace` is the time between the signal to terminate and SIGKILL.
pub async fn supervise(
    command: &[OsString],
    variables: &[(&str, Option<String>)],
    reaper: Option<Reaper>,
    lock: &impl HeldLock,
    signals: &mut Signals,
    grace: Duration,
) -> Ended {
    if !lock.is_held() {
        // This process was stopped before the command started.
        lock.on_loss();
        return Ended { end: Ok(End::Lost), target: None };
    }
    let guarded = guarded(lock, grace);
    let mut process = match Process::start(command, variables, reaper, guarded) {
        Ok(process) => process,
        Err(error) => return Ended { end: Err(error), target: None },
    };
    let end = wait(&mut process, lock, signals, grace).await;
    let was_lent = process.take_terminal_back();
    let target =
        was_lent.map(|lent| if lent { SignalTarget::Group } else { SignalTarget::Process });
    Ended { end, target }
}

async fn wait(
    process: &mut Process,
    lock: &impl HeldLock,
    signals: &mut Signals,
    grace: Duration,
) -> io::Result<End> {
    let mut kill_at: Option<Instant> = None;
    let mut is_lost = false;
    let mut lost = pin!(lock.lost());
    loop {
        tokio::select! {
            status = process.child.wait() => {
                // The rest of the group must not run after the lock is released.
                process.signal(Signal::KILL);
                return Ok(match (process.has_lapsed(), is_lost) {
                    (true, _) => End::Lapsed,
                    (false, true) => End::Lost,
                    (false, false) => End::By(status?),
                });
            }
            () = lock.renewed(), if !is_lost => process.guard(guarded(lock, grace)),
            meaning = signals.next() => {
                let (end, goes_on) = handle_signal(process, meaning, kill_at.is_some());
                // A lock that is held although its deadline has passed is about to be renewed or
                // lost.
                if !is_lost && lock.deadline().is_some_and(|deadline| since_boot() < deadline) {
                    process.guard(guarded(lock, grace));
                }
                if let Some(signal) = end {
                    process.signal(signal);
                    kill_at = kill_at.or(Some(Instant::now() + grace));
                }
                if goes_on && lock.is_held() {
                    process.signal(Signal::CONT);
                } else if goes_on {
                    // The lock was lost while the command was stopped, so the command must not
                    // continue.
                    is_lost = true;
                    lock.on_loss();
                    process.signal(Signal::KILL);
                }
            }
            () = &mut lost, if !is_lost => {
                is_lost = true;
                lock.on_loss();
                process.signal(Signal::TERM);
                let grace = grace.min(lock.grace_max());
                kill_at = Some(Instant::now() + grace);
                let kill_after = since_boot() + grace + HEAD_START;
                process.guard(Guarded { term_at: None, kill_at: Some(kill_after) });
            }
            () = sleep_until(kill_at.unwrap_or_else(Instant::now)), if kill_at.is_some() => {
                process.signal(Signal::KILL);
                kill_at = None;
            }
        }
    }
}

/// How long before the reaper this process kills a command, if it runs.
const HEAD_START: Duration = Duration::from_millis(100);

/// When the reaper is to end the command, if this process does neither that nor renew the lock.
fn guarded(lock: &impl HeldLock, grace: Duration) -> Guarded {
    let Some(deadline) = lock.deadline() else { return Guarded::NEVER };
    let grace = grace.min(lock.grace_max()).max(HEAD_START);
    let term_at = deadline.saturating_add((grace / 4).max(HEAD_START / 2));
    Guarded { term_at: Some(term_at), kill_at: Some(deadline.saturating_add(grace)) }
}

/// Handles a signal. Returns the signal that is to terminate the command, if any, and whether the
/// stopped command is to continue.
fn handle_signal(
    process: &mut Process,
    meaning: SignalMeaning,
    is_ending: bool,
) -> (Option<Signal>, bool) {
    let stopped = match meaning {
        SignalMeaning::End(signal) => return (Some(signal), false),
        SignalMeaning::Stop => {
            // What is stopped does not run beside the next holder.
            process.guard(Guarded::NEVER);
            process.stop_both();
            Stopped::GoesOn
        }
        SignalMeaning::OfChild => match process.stopped_by() {
            None => Stopped::Alone,
            Some(signal) => {
                process.guard(Guarded::NEVER);
                process.follow(signal)
            }
        },
    };
    match stopped {
        Stopped::Alone => (None, false),
        Stopped::GoesOn => (None, true),
        // The kernel does the same with orphaned stopped process groups.
        Stopped::Forever => (Some(Signal::HUP), !is_ending),
    }
}

/// Exits by a signal that came before a command was started. Returns the exit status if the signal
/// does not terminate the process.
#[must_use]
pub fn end_by(signal: Signal) -> u8 {
    // Keys of the terminal have already reached the whole job.
    exit_by(signal, Terminal::open().map(|_| SignalTarget::Process));
    128 + signal.as_raw() as u8
}

fn exit_by(signal: Signal, target: Option<SignalTarget>) {
    let Some(target) = target.filter(|_| [Signal::INT, Signal::QUIT].contains(&signal)) else {
        return;
    };
    // Only the command's core dump is of interest. If this fails, there are two.
    let _dumped = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    raise_default(signal, target);
}

/// The exit status of a command: its own, or 128 + N if signal N terminated it.
fn status_of(status: ExitStatus) -> u8 {
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

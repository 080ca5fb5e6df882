//! The reaper: a second process, which ends the command's process group if its supervisor is
//! killed, or does not say before the end of the lease that the lock is still held.
//!
//! If the supervisor is killed, the kernel kills the command (PR_SET_PDEATHSIG), but not its
//! children. If it is stopped or hangs, nobody else ends the command. Both would run on beside the
//! next holder of the lock. Processes that have left the group are not ended.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, Signal, kill_process_group};
use rustix::time::{
    ClockId, Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, clock_gettime,
    timerfd_create, timerfd_settime,
};

use crate::guarded::Guarded;
use crate::record::{RECORD_LEN, Record};

/// The only argument with which the program must call [`reap`]: its hidden subcommand.
pub const REAP: &str = "reap";

/// The time since the boot, suspensions included (`CLOCK_BOOTTIME`).
#[must_use]
pub fn since_boot() -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(ClockId::Boottime);
    let seconds = u64::try_from(tv_sec).unwrap_or_default();
    Duration::new(seconds, u32::try_from(tv_nsec).unwrap_or_default())
}

/// A running reaper: a second process of this program. Dropping it disarms it.
#[derive(Debug)]
pub struct Reaper(Child);

impl Reaper {
    /// Starts a reaper, in its own process group, so that keys of the terminal do not reach it. It
    /// runs this program with the argument [`REAP`].
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start() -> io::Result<Self> {
        // The running executable, even if the file has been replaced.
        let program = std::path::Path::new("/proc/self/exe");
        let program = if program.exists() { program.to_owned() } else { std::env::current_exe()? };
        let mut command = Command::new(program);
        command.arg(REAP).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let reaper = Self(command.spawn()?);
        // Neither a reaper that is stopped nor one that has ended may hold its supervisor up.
        let Child { stdin: Some(input), stdout: Some(output), .. } = &reaper.0 else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        rustix::io::ioctl_fionbio(input, true)?;
        rustix::io::ioctl_fionbio(output, true)?;
        Ok(reaper)
    }

    /// The descriptor to which the child writes its process id, after which the reaper ends its
    /// group if this process dies.
    pub(crate) fn pipe(&self) -> Option<RawFd> {
        self.0.stdin.as_ref().map(AsRawFd::as_raw_fd)
    }

    /// Says until when the command may run.
    pub(crate) fn guard(&mut self, guarded: Guarded) {
        self.send(Record::Guard(guarded));
    }

    /// Whether it has ended the command, because its lease was over.
    pub(crate) fn has_ended_command(&mut self) -> bool {
        let mut said = [0];
        self.0.stdout.as_mut().is_some_and(|output| output.read(&mut said).is_ok_and(|len| len > 0))
    }

    fn send(&mut self, record: Record) {
        // An error means that the reaper is gone, or has been stopped for thousands of renewals.
        let _gone = self.0.stdin.as_mut().map(|input| input.write_all(&record.to_bytes()));
    }
}

/// Registers the calling process with the reaper, after fork and before exec. Errors are ignored:
/// without a reaper the command still runs.
///
/// Async-signal-safe: it calls signal, getpid and write, and neither allocates nor locks.
///
/// # Safety
///
/// The descriptor is that of [`Reaper::pipe`], and the reaper has not been dropped.
#[expect(unsafe_code, reason = "only a bare descriptor outlives a fork")]
pub(crate) unsafe fn watch_this_process(pipe: RawFd) {
    let record = Record::Group(rustix::process::getpid()).to_bytes();
    // SAFETY: the caller guarantees that the descriptor is open; the signal handler is restored.
    unsafe {
        let before = libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // A write of this size to a pipe is atomic.
        let _gone = rustix::io::write(BorrowedFd::borrow_raw(pipe), &record);
        libc::signal(libc::SIGPIPE, before);
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        // The reaper is not waited for: this process is about to exit, too.
        self.send(Record::Done);
    }
}

/// What the reaper knows of the command.
struct Watched {
    group: Option<Pid>,
    guarded: Guarded,
}

/// The main function of the reaper: of this program with the argument [`REAP`].
pub fn reap() {
    // Without a timer it still ends the command of a supervisor that is killed.
    let timer = timerfd_create(TimerfdClockId::Boottime, TimerfdFlags::NONBLOCK).ok();
    let mut watched = Watched { group: None, guarded: Guarded::NEVER };
    // Not through a buffer: what it holds would not be polled for.
    let Ok(mut input) = io::stdin().as_fd().try_clone_to_owned().map(File::from) else { return };
    loop {
        // First all that was said, so that no renewal is overlooked.
        if is_readable(&input, timer.as_ref()) {
            let mut bytes = [0; RECORD_LEN];
            match input.read_exact(&mut bytes).ok().and_then(|()| Record::read(bytes)) {
                Some(Record::Group(group)) => watched.group = Some(group),
                Some(Record::Guard(guarded)) => watched.guarded = guarded,
                Some(Record::Done) => return,
                // The supervisor is gone.
                None => return watched.signal(Signal::KILL),
            }
        } else if watched.end_what_is_due() {
            return;
        }
        if let Some(timer) = &timer {
            set(timer, watched.due());
        }
    }
}

impl Watched {
    /// When something is to be done; nothing before there is a command.
    fn due(&self) -> Option<Duration> {
        self.group.and(self.guarded.next())
    }

    /// Does what is due. Returns whether the command has been killed.
    fn end_what_is_due(&mut self) -> bool {
        let now = since_boot();
        if self.due().is_none_or(|due| now < due) {
            return false;
        }
        // An error means that the supervisor is gone. It reads this after the end of the command.
        let _gone = io::stdout().write_all(b".").and_then(|()| io::stdout().flush());
        if self.guarded.kill_at.is_some_and(|at| at <= now) {
            self.signal(Signal::KILL);
            return true;
        }
        self.signal(Signal::TERM);
        self.guarded.term_at = None;
        false
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // An error means that the group has already ended.
            let _ended = kill_process_group(group, signal);
        }
    }
}

/// Waits until there is input or the timer has expired. Returns whether there is input.
fn is_readable(input: &impl AsFd, timer: Option<&OwnedFd>) -> bool {
    let mut polled = vec![PollFd::new(input, PollFlags::IN)];
    polled.extend(timer.map(|timer| PollFd::new(timer, PollFlags::IN)));
    loop {
        match poll(&mut polled, None) {
            Ok(_) => return !polled[0].revents().is_empty(),
            Err(Errno::INTR) => {}
            // Reading waits, too.
            Err(_) => return true,
        }
    }
}

/// Sets the timer to a time since the boot, or stops it.
fn set(timer: &OwnedFd, due: Option<Duration>) {
    let at = due.map_or(Duration::ZERO, |due| due.max(Duration::from_nanos(1)));
    let seconds = i64::try_from(at.as_secs()).unwrap_or(i64::MAX);
    let it_value = Timespec { tv_sec: seconds, tv_nsec: at.subsec_nanos().into() };
    let it_interval = Timespec { tv_sec: 0, tv_nsec: 0 };
    // An error is one of arguments, which are in range.
    let _set =
        timerfd_settime(timer, TimerfdTimerFlags::ABSTIME, &Itimerspec { it_interval, it_value });
}

//! The reaper: a second process that kills the command's process group if its supervisor is killed.
//!
//! The kernel kills the command then (PR_SET_PDEATHSIG), but not its children, which would run on
//! beside the next holder. Processes that have left the group are not killed.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

/// The only argument with which the program must call [`reap`]: its hidden subcommand.
pub const REAP: &str = "reap";

const DONE: u8 = b'.';

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
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(Self)
    }

    /// The descriptor to which the child writes its process id, after which the reaper kills its
    /// group if this process dies.
    pub(crate) fn pipe(&self) -> Option<RawFd> {
        self.0.stdin.as_ref().map(AsRawFd::as_raw_fd)
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
    let id = rustix::process::getpid().as_raw_nonzero().get().to_ne_bytes();
    // SAFETY: the caller guarantees that the descriptor is open; the signal handler is restored.
    unsafe {
        let before = libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // A write of this size to a pipe is atomic.
        let _gone = rustix::io::write(BorrowedFd::borrow_raw(pipe), &id);
        libc::signal(libc::SIGPIPE, before);
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        // An error means that the reaper is gone.
        // The reaper is not waited for: this process is about to exit, too.
        let _gone = self.0.stdin.as_mut().map(|input| input.write_all(&[DONE]));
    }
}

/// The main function of the reaper: of this program with the argument [`REAP`].
pub fn reap() {
    let mut said = Vec::new();
    // The pipe yields a process id of four bytes, and one more byte if the reaper is disarmed.
    let heard = io::stdin().lock().take(5).read_to_end(&mut said);
    let id = heard.ok().and_then(|_| <[u8; 4]>::try_from(said).ok()).map(i32::from_ne_bytes);
    if let Some(group) = id.and_then(Pid::from_raw) {
        let _ended = kill_process_group(group, Signal::KILL);
    }
}

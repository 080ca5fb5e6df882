//! The end of a command whose `claim run` was killed: a second process that kills the command's
//! process group once the first is gone without having said that the group has ended.
//!
//! The kernel kills the command itself then, but not what the command has started, and that would
//! work on beside the next holder. A process that has left the group is out of reach.

use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

/// The subcommand by which the program is started as a reaper.
pub(super) const REAP: &str = "reap";

const DONE: u8 = b'.';

/// A reaper that waits. Dropped, it does nothing any more.
#[derive(Debug)]
pub(super) struct Reaper(Child);

impl Reaper {
    /// Starts one. It is in a process group of its own, so that no key of a terminal reaches it.
    pub(super) fn start() -> io::Result<Self> {
        // The very program that runs, also where another was installed in its place meanwhile.
        let program = std::path::Path::new("/proc/self/exe");
        let program = if program.exists() { program.to_owned() } else { std::env::current_exe()? };
        let mut command = Command::new(program);
        command.arg(REAP).process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().map(Self)
    }

    /// What a process tells the reaper by: its own id, so that its group is killed should this
    /// process end without another word.
    pub(super) fn ear(&self) -> Option<RawFd> {
        self.0.stdin.as_ref().map(AsRawFd::as_raw_fd)
    }
}

/// Says in a process that was forked, and before it can start anything, that it leads a group.
/// A reaper that is gone kills nobody, which is no reason not to go on.
///
/// Async-signal-safe: it calls signal, getpid and write, and neither allocates nor locks.
///
/// # Safety
///
/// The descriptor is that of [`Reaper::ear`], and the reaper is not dropped yet.
#[expect(unsafe_code, reason = "only a bare descriptor outlives a fork")]
pub(super) unsafe fn watch_this_process(ear: RawFd) {
    let id = rustix::process::getpid().as_raw_nonzero().get().to_ne_bytes();
    // SAFETY: the descriptor is open, as the caller says; the signals are set as they were.
    unsafe {
        let before = libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // As many bytes are written at once or not at all.
        let _gone = rustix::io::write(BorrowedFd::borrow_raw(ear), &id);
        libc::signal(libc::SIGPIPE, before);
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        // A reaper that does not read any more is gone, and kills nobody.
        // Nobody waits for its end: this process is about to end, too.
        let _gone = self.0.stdin.as_mut().map(|input| input.write_all(&[DONE]));
    }
}

/// What a reaper does.
pub(super) fn reap() {
    let mut said = Vec::new();
    // What comes is a process id of four bytes, and a last byte where nothing is to be done.
    let heard = io::stdin().lock().take(5).read_to_end(&mut said);
    let id = heard.ok().and_then(|_| <[u8; 4]>::try_from(said).ok()).map(i32::from_ne_bytes);
    if let Some(group) = id.and_then(Pid::from_raw) {
        let _ended = kill_process_group(group, Signal::KILL);
    }
}

//! A child process in a process group of its own that cannot outlive this one, and the terminal
//! that it borrows.
//!
//! The only unsafe code of the crate: what a child does between fork and exec.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, getpgrp, getpid, kill_process, kill_process_group, waitid,
};
use rustix::termios::{tcgetpgrp, tcsetpgrp};
use tokio::process::{Child, Command};

/// A child, and the terminal that it has borrowed.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) child: Child,
    group: Pid,
    has_terminal: bool,
}

impl Process {
    /// Starts a command.
    pub(super) fn start(command: &[OsString], variables: &[(&str, String)]) -> io::Result<Self> {
        let (program, words) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = getpid();
        let mut command = std::process::Command::new(program);
        command.args(words).envs(variables.iter().map(|(name, value)| (name, value)));
        command.process_group(0);
        // A job in the background borrows no terminal.
        let has_terminal = is_in_foreground();
        if has_terminal {
            ignore_terminal_output();
        }
        #[expect(unsafe_code, reason = "what runs between fork and exec is for us to keep simple")]
        // SAFETY: the closure calls only functions that are async-signal-safe: prctl, getppid,
        // getpid, tcsetpgrp and sigaction; it does not allocate.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
                if has_terminal {
                    // Before it reads, so that it is never stopped for reading too early. Where
                    // that fails the terminal has gone away, which the command will see for itself.
                    libc::tcsetpgrp(libc::STDIN_FILENO, libc::getpid());
                }
                libc::signal(libc::SIGTTOU, libc::SIG_DFL);
                // The parent may have died before that was said.
                if rustix::process::getppid() == Some(parent) {
                    Ok(())
                } else {
                    Err(io::ErrorKind::BrokenPipe.into())
                }
            });
        }
        let child = Command::from(command).spawn()?;
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let group = id.and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { child, group, has_terminal })
    }

    /// Whether the child has been stopped, by Ctrl-Z say, and not told of since.
    pub(super) fn has_stopped(&self) -> bool {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        waitid(WaitId::Pid(self.group), options).is_ok_and(|stopped| stopped.is_some())
    }

    /// Does as the child did: gives the terminal back and stops, until whoever runs jobs at the
    /// terminal lets this one go on. Then the terminal is the child's again, if it is this job's.
    /// False where there is no terminal: whoever stops the child alone means the child alone.
    pub(super) fn stop_too(&self) -> bool {
        if !self.has_terminal {
            return false;
        }
        // The terminal may be gone; then nobody can have it back.
        let _gone = tcsetpgrp(io::stdin().as_fd(), getpgrp());
        stop();
        if is_in_foreground() {
            let _gone = tcsetpgrp(io::stdin().as_fd(), self.group);
        }
        true
    }

    /// Stops the child, which must not go on while nobody renews its claim, and then itself.
    pub(super) fn stop_first(&self) {
        self.signal(Signal::STOP);
        stop();
    }

    /// Sends a signal to the child and its children.
    pub(super) fn signal(&self, signal: Signal) {
        // Whoever has ended already needs no signal.
        let _ended = kill_process_group(self.group, signal);
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if self.has_terminal {
            // The terminal may be gone; then nobody can have it back.
            let _gone = tcsetpgrp(io::stdin().as_fd(), getpgrp());
        }
    }
}

/// Stops this process, until whoever runs jobs lets it go on.
pub(super) fn stop() {
    let _stopped = kill_process(getpid(), Signal::STOP);
}

/// Whether standard input is a terminal and this is the job that may use it.
fn is_in_foreground() -> bool {
    let stdin = io::stdin();
    stdin.is_terminal() && tcgetpgrp(stdin.as_fd()).is_ok_and(|group| group == getpgrp())
}

/// Lets this process take the terminal back from its child.
fn ignore_terminal_output() {
    #[expect(unsafe_code, reason = "the standard library cannot ignore a signal")]
    // SAFETY: the disposition of SIGTTOU is nobody else's concern in this program.
    unsafe {
        libc::signal(libc::SIGTTOU, libc::SIG_IGN);
    }
}

//! A child process in a process group of its own that cannot outlive this one.
//!
//! The only unsafe code of the crate: what a child does between fork and exec.

use std::ffi::OsString;
use std::io::{self, IsTerminal as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::CommandExt as _;

use rustix::process::{Pid, Signal, getpgrp, kill_process_group};
use rustix::termios::tcsetpgrp;
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
        let parent = rustix::process::getpid();
        let mut command = std::process::Command::new(program);
        command.args(words).envs(variables.iter().map(|(name, value)| (name, value)));
        command.process_group(0);
        if io::stdin().is_terminal() {
            ignore_terminal_output();
        }
        #[expect(unsafe_code, reason = "what runs between fork and exec is for us to keep simple")]
        // SAFETY: the closure calls only functions that are async-signal-safe: prctl, getppid and
        // sigaction; it does not allocate.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
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
        let stdin = io::stdin();
        let has_terminal = stdin.is_terminal() && tcsetpgrp(stdin.as_fd(), group).is_ok();
        Ok(Self { child, group, has_terminal })
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

/// Lets this process take the terminal back from its child.
fn ignore_terminal_output() {
    #[expect(unsafe_code, reason = "the standard library cannot ignore a signal")]
    // SAFETY: the disposition of SIGTTOU is nobody else's concern in this program.
    unsafe {
        libc::signal(libc::SIGTTOU, libc::SIG_IGN);
    }
}

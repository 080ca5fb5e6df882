//! The terminal of the session, which the command borrows: whose keys go to whom.
//!
//! A command that has standard input and output on it gets it at once. In a pipeline, or in the
//! background, it gets it when it asks: others of the job may be at it.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal as _};
use std::os::fd::{AsRawFd as _, RawFd};

use rustix::process::{Pid, Signal, getpgrp};
use rustix::termios::{tcgetpgrp, tcsetpgrp};

use super::signals::ignore;

/// The terminal, and whether the command has it.
#[derive(Debug)]
pub(super) struct Terminal {
    tty: File,
    is_lent: bool,
}

impl Terminal {
    /// The terminal that controls this process, if there is one.
    pub(super) fn open() -> Option<Self> {
        let tty = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
        // Whoever is in the background is stopped for giving a terminal away, or for taking it.
        ignore(Signal::TTOU);
        Some(Self { tty, is_lent: false })
    }

    /// Whether a command gets it before it asks.
    pub(super) fn is_for_command(&self) -> bool {
        self.is_ours() && io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Whether its keys go to this process and its group.
    pub(super) fn is_ours(&self) -> bool {
        tcgetpgrp(&self.tty).is_ok_and(|group| group == getpgrp())
    }

    pub(super) const fn is_lent(&self) -> bool {
        self.is_lent
    }

    /// Its file, for a child that takes the terminal by itself.
    pub(super) fn lend_to_child(&mut self) -> RawFd {
        self.is_lent = true;
        self.tty.as_raw_fd()
    }

    pub(super) fn lend(&mut self, group: Pid) {
        // The terminal may be gone; then nobody can have it.
        self.is_lent = tcsetpgrp(&self.tty, group).is_ok();
    }

    pub(super) fn take_back(&mut self) {
        if std::mem::take(&mut self.is_lent) {
            // The terminal may be gone; then nobody can have it back.
            let _gone = tcsetpgrp(&self.tty, getpgrp());
        }
    }
}

//! The controlling terminal, which the command may use.
//!
//! A command with the terminal as standard input and output gets it at once. In a pipeline or in
//! the background, it gets it when it needs it: other processes of the job may use it.

use std::fs::{File, OpenOptions};
use std::io::{self, IsTerminal as _};
use std::os::fd::{AsRawFd as _, RawFd};

use rustix::process::{Pid, Signal, getpgrp};
use rustix::termios::{tcgetpgrp, tcsetpgrp};

use crate::signals::ignore;

/// The terminal, and whether the command has it.
#[derive(Debug)]
pub(crate) struct Terminal {
    tty: File,
    is_lent: bool,
}

impl Terminal {
    /// The controlling terminal of this process, if any.
    pub(crate) fn open() -> Option<Self> {
        let tty = OpenOptions::new().read(true).write(true).open("/dev/tty").ok()?;
        // A background process is stopped when it changes the foreground group, unless it ignores
        // SIGTTOU.
        ignore(Signal::TTOU);
        Some(Self { tty, is_lent: false })
    }

    /// Whether the command gets the terminal when it starts.
    pub(crate) fn is_for_command(&self) -> bool {
        self.is_ours() && io::stdin().is_terminal() && io::stdout().is_terminal()
    }

    /// Whether this process's group is in the foreground.
    pub(crate) fn is_ours(&self) -> bool {
        tcgetpgrp(&self.tty).is_ok_and(|group| group == getpgrp())
    }

    pub(crate) const fn is_lent(&self) -> bool {
        self.is_lent
    }

    /// Its descriptor, for a child that makes itself the foreground group.
    pub(crate) fn lend_to_child(&mut self) -> RawFd {
        self.is_lent = true;
        self.tty.as_raw_fd()
    }

    pub(crate) fn lend(&mut self, group: Pid) {
        // An error means that the terminal is gone.
        self.is_lent = tcsetpgrp(&self.tty, group).is_ok();
    }

    pub(crate) fn take_back(&mut self) {
        if std::mem::take(&mut self.is_lent) {
            // An error means that the terminal is gone.
            let _gone = tcsetpgrp(&self.tty, getpgrp());
        }
    }
}

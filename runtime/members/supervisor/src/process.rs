//! The child process: it runs in its own process group, cannot outlive this process, and follows
//! job control of the terminal and the shell.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process_group, waitid};
use tokio::process::{Child, Command};

use crate::guarded::Guarded;
use crate::reaper::{Reaper, watch_this_process};
use crate::signals::{SignalTarget, is_ignored, raise_default};
use crate::terminal::Terminal;

/// A child process and the terminal that it may use.
#[derive(Debug)]
pub(crate) struct Process {
    pub(crate) child: Child,
    group: Pid,
    terminal: Option<Terminal>,
    /// Ends the group if this process is killed, or does not say in time that the lock is held;
    /// `None` if it could not be started.
    reaper: Option<Reaper>,
}

/// What to do with a stopped child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// Leave it stopped: only the child was stopped.
    Alone,
    /// Continue it.
    GoesOn,
    /// Terminate it: it waits for a terminal that it can never get.
    Forever,
}

impl Process {
    /// Starts the command, which may run until it is `guarded` from running on.
    pub(crate) fn start(
        command: &[OsString],
        variables: &[(&str, Option<String>)],
        mut reaper: Option<Reaper>,
        guarded: Guarded,
    ) -> io::Result<Self> {
        let (program, words) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = getpid();
        let mut command = std::process::Command::new(program);
        command.args(words);
        for (name, value) in variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        // Before the command runs: this process may be stopped at any time.
        reaper.iter_mut().for_each(|reaper| reaper.guard(guarded));
        command.process_group(0);
        let hears_output = !is_ignored(Signal::TTOU);
        let mut terminal = Terminal::open();
        let lent = terminal.as_mut().filter(|terminal| terminal.is_for_command());
        let lent = lent.map(Terminal::lend_to_child);
        let pipe = reaper.as_ref().and_then(Reaper::pipe);
        #[expect(unsafe_code, reason = "what runs between fork and exec is for us to keep simple")]
        // SAFETY: the closure calls only functions that are async-signal-safe: prctl, getppid,
        // getpid, write, tcsetpgrp and signal; it does not allocate. The reaper lives longer
        // than the call that forks.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
                if let Some(pipe) = pipe {
                    watch_this_process(pipe);
                }
                if let Some(tty) = lent {
                    // Before the command reads, so that it is not stopped for reading too early. An
                    // error means that the terminal is gone, which the command will notice.
                    libc::tcsetpgrp(tty, libc::getpid());
                }
                if hears_output {
                    libc::signal(libc::SIGTTOU, libc::SIG_DFL);
                }
                // The parent may have died before PR_SET_PDEATHSIG took effect.
                if rustix::process::getppid() == Some(parent) {
                    Ok(())
                } else {
                    Err(io::ErrorKind::BrokenPipe.into())
                }
            });
        }
        let spawned = Command::from(command).spawn();
        let child = spawned.inspect_err(|_| terminal.iter_mut().for_each(Terminal::take_back))?;
        let id = child.id().and_then(|id| i32::try_from(id).ok());
        let group = id.and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
        Ok(Self { child, group, terminal, reaper })
    }

    /// The signal that has stopped the child, if it is stopped.
    pub(crate) fn stopped_by(&self) -> Option<Signal> {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        let stopped = waitid(WaitId::Pid(self.group), options).ok().flatten();
        stopped.and_then(|stopped| stopped.stopping_signal()).and_then(Signal::from_named_raw)
    }

    /// Reacts to a stop of the child as the shell would without this program in between.
    ///
    /// If the child wants the terminal, it gets it, if this job may have it. If not, or if a key
    /// has stopped it, the whole job stops until the shell continues it. Without a shell with job
    /// control it does not stop.
    pub(crate) fn follow(&mut self, signal: Signal) -> Stopped {
        let Some(terminal) = &mut self.terminal else { return Stopped::Alone };
        match signal {
            Signal::TTIN | Signal::TTOU => {
                if !terminal.is_ours()
                    && !raise_default(signal, SignalTarget::Group)
                    && !terminal.is_ours()
                {
                    return Stopped::Forever;
                }
                if terminal.is_ours() {
                    terminal.lend(self.group);
                }
                Stopped::GoesOn
            }
            _ if terminal.is_lent() => {
                terminal.take_back();
                let has_stopped = raise_default(Signal::TSTP, SignalTarget::Group);
                if terminal.is_ours() {
                    terminal.lend(self.group);
                }
                if signal == Signal::TSTP || has_stopped { Stopped::GoesOn } else { Stopped::Alone }
            }
            _ => Stopped::Alone,
        }
    }

    /// Stops the child, which must not run while its lock is not kept, and then this process.
    pub(crate) fn stop_both(&mut self) {
        self.signal(Signal::STOP);
        let was_lent = self.take_terminal_back() == Some(true);
        raise_default(Signal::TSTP, SignalTarget::Process);
        if let Some(terminal) = self.terminal.as_mut().filter(|_| was_lent)
            && terminal.is_ours()
        {
            terminal.lend(self.group);
        }
    }

    /// Says until when the command may run.
    pub(crate) fn guard(&mut self, guarded: Guarded) {
        self.reaper.iter_mut().for_each(|reaper| reaper.guard(guarded));
    }

    /// Whether the reaper has ended the command, because its lease was over.
    pub(crate) fn has_lapsed(&mut self) -> bool {
        self.reaper.as_mut().is_some_and(Reaper::has_ended_command)
    }

    /// Sends a signal to the child's process group.
    pub(crate) fn signal(&self, signal: Signal) {
        // An error means that the group has already exited.
        let _ended = kill_process_group(self.group, signal);
    }

    /// Takes the terminal back, if there is one. Returns whether the child had it: then a key of
    /// the terminal has reached only the child and not the rest of the job.
    pub(crate) fn take_terminal_back(&mut self) -> Option<bool> {
        let terminal = self.terminal.as_mut()?;
        let was_lent = terminal.is_lent();
        terminal.take_back();
        Some(was_lent)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.reaper.take());
        self.take_terminal_back();
    }
}

//! A child process in a process group of its own that cannot outlive this one, and what is done
//! about it when the terminal, or a shell that runs jobs, stops it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, getpid, kill_process_group, waitid};
use tokio::process::{Child, Command};

use super::reaper::{Reaper, watch_this_process};
use super::signals::{Whom, is_ignored, suffer};
use super::terminal::Terminal;

/// A child, and the terminal that it may borrow.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) child: Child,
    group: Pid,
    terminal: Option<Terminal>,
    /// Kills the group where this process cannot; none where the system gave none.
    reaper: Option<Reaper>,
}

/// What has come of a child that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// It is still, and whoever has stopped it means it alone.
    Alone,
    /// It is to go on.
    GoesOn,
    /// It waits for a terminal that nobody can give it.
    ForEver,
}

impl Process {
    /// Starts a command.
    pub(super) fn start(
        command: &[OsString],
        variables: &[(&str, String)],
        reaper: Option<Reaper>,
    ) -> io::Result<Self> {
        let (program, words) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let parent = getpid();
        let mut command = std::process::Command::new(program);
        command.args(words).envs(variables.iter().map(|(name, value)| (name, value)));
        command.process_group(0);
        let hears_output = !is_ignored(Signal::TTOU);
        let mut terminal = Terminal::open();
        let lent = terminal.as_mut().filter(|terminal| terminal.is_for_command());
        let lent = lent.map(Terminal::lend_to_child);
        let ear = reaper.as_ref().and_then(Reaper::ear);
        #[expect(unsafe_code, reason = "what runs between fork and exec is for us to keep simple")]
        // SAFETY: the closure calls only functions that are async-signal-safe: prctl, getppid,
        // getpid, write, tcsetpgrp and signal; it does not allocate. The reaper lives longer
        // than the call that forks.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
                if let Some(ear) = ear {
                    watch_this_process(ear);
                }
                if let Some(tty) = lent {
                    // Before it reads, so that it is never stopped for reading too early. Where
                    // that fails the terminal has gone away, which the command will see for itself.
                    libc::tcsetpgrp(tty, libc::getpid());
                }
                if hears_output {
                    libc::signal(libc::SIGTTOU, libc::SIG_DFL);
                }
                // The parent may have died before that was said.
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

    /// What has stopped the child, if it is stopped.
    pub(super) fn stopped_by(&self) -> Option<Signal> {
        let options = WaitIdOptions::STOPPED | WaitIdOptions::NOHANG;
        let stopped = waitid(WaitId::Pid(self.group), options).ok().flatten();
        stopped.and_then(|stopped| stopped.stopping_signal()).and_then(Signal::from_named_raw)
    }

    /// Does as the command would have done, had it been started without this program around it.
    ///
    /// One that wants the terminal gets it, if this job may have it. Where not, or where a key has
    /// stopped it, the whole job stops, until whoever runs jobs lets it go on; where nobody does,
    /// it does not stop.
    pub(super) fn follow(&mut self, signal: Signal) -> Stopped {
        let Some(terminal) = &mut self.terminal else { return Stopped::Alone };
        match signal {
            Signal::TTIN | Signal::TTOU => {
                if !terminal.is_ours() && !suffer(signal, Whom::Group) && !terminal.is_ours() {
                    return Stopped::ForEver;
                }
                if terminal.is_ours() {
                    terminal.lend(self.group);
                }
                Stopped::GoesOn
            }
            _ if terminal.is_lent() => {
                terminal.take_back();
                let has_stopped = suffer(Signal::TSTP, Whom::Group);
                if terminal.is_ours() {
                    terminal.lend(self.group);
                }
                if signal == Signal::TSTP || has_stopped { Stopped::GoesOn } else { Stopped::Alone }
            }
            _ => Stopped::Alone,
        }
    }

    /// Stops the child, which must not go on while nobody renews its claim, and then itself.
    pub(super) fn stop_first(&mut self) {
        self.signal(Signal::STOP);
        let was_lent = self.take_terminal_back() == Some(true);
        suffer(Signal::TSTP, Whom::Process);
        if let Some(terminal) = self.terminal.as_mut().filter(|_| was_lent)
            && terminal.is_ours()
        {
            terminal.lend(self.group);
        }
    }

    /// Sends a signal to the child and its children.
    pub(super) fn signal(&self, signal: Signal) {
        // Whoever has ended already needs no signal.
        let _ended = kill_process_group(self.group, signal);
    }

    /// Takes the terminal back, if there is one. True if the child had it: then a key has reached
    /// the child alone, and not the job that it belongs to.
    pub(super) fn take_terminal_back(&mut self) -> Option<bool> {
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

//! The end of a command whose `claim run` was killed: a second process that kills the command's
//! process group once the first is gone without having said that the group has ended.
//!
//! The kernel kills the command itself then, but not what the command has started, and that would
//! work on beside the next holder. A process that has left the group is out of reach.

use std::io::{self, BufRead as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process_group};

/// The subcommand by which the program is started as a reaper.
pub(super) const REAP: &str = "reap";

const DONE: &str = "done";

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

    /// Has it kill this group, should this process end without another word.
    pub(super) fn watch(&mut self, group: Pid) -> io::Result<()> {
        self.say(&group.as_raw_nonzero().to_string())
    }

    fn say(&mut self, line: &str) -> io::Result<()> {
        let Some(input) = &mut self.0.stdin else { return Ok(()) };
        input.write_all(format!("{line}\n").as_bytes())
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        // A reaper that does not read any more is gone, and kills nobody.
        // Nobody waits for its end: this process is about to end, too.
        let _gone = self.say(DONE);
    }
}

/// What a reaper does.
pub(super) fn reap() {
    let mut group = None;
    for line in io::stdin().lock().lines() {
        match line.as_deref() {
            Ok(DONE) | Err(_) => return,
            Ok(line) => group = line.parse().ok().and_then(Pid::from_raw),
        }
    }
    if let Some(group) = group {
        let _ended = kill_process_group(group, Signal::KILL);
    }
}

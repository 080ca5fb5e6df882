//! Lines of a shell, by root and by a user without rights.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};

/// The number of a user, and of its group, that has no rights.
pub(crate) const NOBODY: u32 = 65534;

/// A line as a user without rights.
pub(crate) fn as_nobody(folder: &Path, line: &str) -> Command {
    as_user(NOBODY, folder, line)
}

/// A line as a user, who has a group of the same number and no other.
pub(crate) fn as_user(user: u32, folder: &Path, line: &str) -> Command {
    let mut command = Command::new("setpriv");
    let user = user.to_string();
    command.args(["--reuid", &user, "--regid", &user, "--clear-groups", "sh", "-c", line]);
    command.current_dir(folder).stderr(Stdio::null());
    command
}

/// A line as root.
pub(crate) fn as_root(folder: &Path, line: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(folder).stderr(Stdio::null());
    command
}

/// What a line writes, or how it fails.
pub(crate) fn said(mut command: Command) -> Result<String, String> {
    let Output { status, stdout, .. } = command.output().expect("it runs");
    let said = String::from_utf8_lossy(&stdout).trim().to_owned();
    if status.success() { Ok(said) } else { Err(format!("{status}: {said}")) }
}

/// A line that runs, and is spoken with. It is killed at the end.
pub(crate) struct Talk {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Talk {
    pub(crate) fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("it starts");
        let input = process.stdin.take().expect("it is a pipe");
        let output = BufReader::new(process.stdout.take().expect("it is a pipe"));
        Self { process, input, output }
    }

    /// The next line that it writes.
    pub(crate) fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it is text");
        line.trim_end().to_owned()
    }

    pub(crate) fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("it reads");
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        let _dead = self.process.kill();
        let _reaped = self.process.wait();
    }
}

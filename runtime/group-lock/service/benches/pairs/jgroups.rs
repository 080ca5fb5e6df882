//! JGroups, which does the same in a process of its own.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/pairs/Pairs.java");
/// Where Debian has the libraries.
const LIBRARIES: [&str; 2] = ["/usr/share/java/jgroups.jar", "/usr/share/java/commons-logging.jar"];

/// Its process.
pub(crate) struct JGroups {
    process: Child,
    asked: ChildStdin,
    said: BufReader<ChildStdout>,
}

impl Drop for JGroups {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _killed = self.process.kill();
        let _ended = self.process.wait();
    }
}

impl JGroups {
    /// Three members of a group; nothing if it is not installed.
    pub(crate) fn start() -> Option<Self> {
        if !LIBRARIES.iter().all(|path| Path::new(path).exists()) {
            return None;
        }
        let mut command = Command::new("java");
        command.args(["-cp", &LIBRARIES.join(":"), PROGRAM]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().ok()?;
        let (asked, said) = (process.stdin.take()?, process.stdout.take()?);
        let mut peer = Self { process, asked, said: BufReader::new(said) };
        assert_eq!(peer.line(), "ready", "its members have formed a group");
        Some(peer)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.said.read_line(&mut line).expect("it is text");
        line.trim().to_owned()
    }

    /// Pairs a second of so many callers.
    pub(crate) fn pairs(&mut self, callers: usize) -> f64 {
        writeln!(self.asked, "{callers}").expect("it runs");
        self.line().parse().expect("a number")
    }
}

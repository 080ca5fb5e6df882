//! Three members as processes, on one machine.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use turnstile_simulation::{Folder, Running, free_port};

/// The maximum time for what the members do by themselves.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// The heartbeat interval, in seconds: a lease is 28 of them.
pub(crate) const HEARTBEAT: &str = "0.05";
pub(crate) const LEASE: Duration = Duration::from_millis(28 * 50);

/// Three members on one machine.
pub(crate) struct Group {
    pub(crate) folder: Folder,
    /// The last one is for a member that is added.
    ports: [u16; 4],
    pub(crate) members: [Option<Running>; 4],
    /// Whether what members that start log is appended to the file `log` of the folder.
    pub(crate) is_logged: bool,
}

impl Group {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts three members with these further arguments.
    pub(crate) fn start_with(more: &[&str]) -> Self {
        let more = [&["--new"], more].concat();
        let ports = [(); 4].map(|()| free_port());
        let folder = Folder::new("raftlock");
        std::fs::create_dir_all(folder.path()).expect("the temporary folder can be written");
        let mut group = Self { folder, ports, members: [None, None, None, None], is_logged: false };
        (0..3).for_each(|one| group.start_member(one, &more));
        (0..3).for_each(|one| group.await_status(one, |status| status["ready"] == true));
        group
    }

    pub(crate) fn start_member(&mut self, one: usize, more: &[&str]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raftlock"));
        command.args(["member", "--id", &(one + 1).to_string(), "--heartbeat", HEARTBEAT]);
        command.arg("--listen").arg(format!("127.0.0.1:{}", self.ports[one]));
        for (peer, port) in self.ports.iter().take(3).enumerate() {
            command.arg("--peer").arg(format!("{}=127.0.0.1:{port}", peer + 1));
        }
        command.arg("--data").arg(self.folder.path().join(format!("data-{one}")));
        command.arg("--socket").arg(self.socket(one)).args(["--log", "error"]).args(more);
        if self.is_logged {
            let path = self.folder.path().join("log");
            let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
            command.stderr(file.expect("the temporary folder can be written"));
        }
        self.members[one] = Some(Running(command.spawn().expect("the program is built")));
    }

    /// The address of a member, for the others.
    pub(crate) fn address(&self, one: usize) -> String {
        format!("127.0.0.1:{}", self.ports[one])
    }

    pub(crate) fn socket(&self, one: usize) -> PathBuf {
        self.folder.path().join(format!("{one}.sock"))
    }

    pub(crate) fn raftlock(&self, one: usize, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raftlock"));
        command.args(words).env("RAFTLOCK_SOCKET", self.socket(one));
        command
    }

    pub(crate) fn output(&self, one: usize, words: &[&str]) -> Output {
        self.raftlock(one, words).output().expect("the program is built")
    }

    pub(crate) fn status(&self, one: usize) -> Option<Value> {
        let output = self.output(one, &["status", "--json"]);
        output.status.success().then(|| serde_json::from_slice(&output.stdout).expect("JSON"))
    }

    /// Asks again until the status is as expected.
    pub(crate) fn await_status(&self, one: usize, is_so: impl Fn(&Value) -> bool) {
        let begun = Instant::now();
        loop {
            let status = self.status(one);
            if status.as_ref().is_some_and(&is_so) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "the status of member {one} is {status:?}");
        }
    }

    pub(crate) fn leader(&self) -> usize {
        let status = self.status(0).or_else(|| self.status(1)).expect("one of them runs");
        let leader = status["leader"].as_u64().expect("they were ready");
        usize::try_from(leader).expect("a small number") - 1
    }

    pub(crate) fn signal(&self, one: usize, signal: &str) {
        let member = self.members[one].as_ref().expect("it runs");
        let id = member.0.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().expect("kill is there");
        assert!(sent.success());
    }

    /// Starts a command under the lock `job`, which says its token and waits for its end.
    pub(crate) fn hold(&self, one: usize) -> (Running, u64) {
        use std::io::{BufRead as _, BufReader};
        let script = "echo $RAFTLOCK_FENCING_TOKEN; exec cat";
        let mut command = self.raftlock(one, &["run", "job", "--", "sh", "-c", script]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program is built");
        let output = child.stdout.as_mut().expect("it is piped");
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("it is text");
        (Running(child), line.trim().parse().expect("a token"))
    }

    /// The token of a command that runs and ends under the lock `job`.
    pub(crate) fn token(&self, one: usize) -> u64 {
        let words = ["run", "job", "--", "sh", "-c", "echo $RAFTLOCK_FENCING_TOKEN"];
        let output = self.output(one, &words);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).trim().parse().expect("a token")
    }

    pub(crate) fn assert_nothing_unhandled(&self) {
        for one in 0..4 {
            if let Some(status) = self.status(one) {
                assert_eq!(status["unhandled"], Value::Array(Vec::new()), "of member {one}");
            }
        }
    }
}

pub(crate) fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

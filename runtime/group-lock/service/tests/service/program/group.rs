//! Three members as processes, on one machine.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use turnstile_simulation::{Folder, Running, free_port};

/// The maximum time for what the members do by themselves.
const PATIENCE: Duration = Duration::from_secs(60);
/// The period of the failure detector, in seconds: a lease is two of them.
const PERIOD: &str = "0.4";
pub(crate) const LEASE: Duration = Duration::from_millis(2 * 400);

/// Three members on one machine.
pub(crate) struct Group {
    pub(crate) folder: Folder,
    ports: [u16; 3],
    /// Whether its members have directories.
    pub(crate) has_data: bool,
    /// The addresses on which they listen, without ports.
    pub(crate) listens: [&'static str; 3],
    /// Further options of each.
    pub(crate) options: [Vec<String>; 3],
    pub(crate) members: [Option<Running>; 3],
}

impl Group {
    /// Three members that have formed a group.
    pub(crate) fn start() -> Self {
        let mut group = Self::prepare();
        group.start_all();
        group
    }

    /// Starts all members, and waits until they have formed a group.
    pub(crate) fn start_all(&mut self) {
        (0..3).for_each(|one| self.start_member(one, "test"));
        (0..3).for_each(|one| self.await_members(one, 3));
    }

    /// The addresses of three members, of which none runs.
    pub(crate) fn prepare() -> Self {
        let folder = Folder::new("grouplock");
        std::fs::create_dir_all(folder.path()).expect("the temporary folder can be written");
        let ports = [(); 3].map(|()| free_port());
        let (listens, options) = (["127.0.0.1"; 3], [const { Vec::new() }; 3]);
        Self { folder, ports, has_data: false, listens, options, members: [None, None, None] }
    }

    /// Starts a member of the group with this name, which knows all addresses.
    pub(crate) fn start_member(&mut self, one: usize, name: &str) {
        self.start_knowing(one, name, &[0, 1, 2]);
    }

    pub(crate) fn start_knowing(&mut self, one: usize, name: &str, seeds: &[usize]) {
        let mut command = self.member(one, name, seeds);
        let log = std::fs::File::create(self.log(one));
        command.stderr(log.expect("the temporary folder can be written"));
        self.members[one] = Some(Running(command.spawn().expect("the program is built")));
    }

    fn member(&self, one: usize, name: &str, seeds: &[usize]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grouplock"));
        let listen = format!("{}:{}", self.listens[one], self.ports[one]);
        command.args(["member", "--name", name, "--listen", &listen]).args(&self.options[one]);
        command.arg("--seed").args(seeds.iter().map(|one| self.address(*one)));
        command.args(["--period", PERIOD]).arg("--socket").arg(self.socket(one));
        if self.has_data {
            command.arg("--data").arg(self.data(one));
        }
        command
    }

    pub(crate) fn address(&self, one: usize) -> String {
        format!("127.0.0.1:{}", self.ports[one])
    }

    pub(crate) fn socket(&self, one: usize) -> PathBuf {
        self.folder.path().join(format!("{one}.sock"))
    }

    pub(crate) fn data(&self, one: usize) -> PathBuf {
        self.folder.path().join(format!("{one}.data"))
    }

    /// What the member has logged.
    pub(crate) fn log(&self, one: usize) -> PathBuf {
        self.folder.path().join(format!("{one}.log"))
    }

    pub(crate) fn grouplock(&self, one: usize, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_grouplock"));
        command.args(words).env("GROUPLOCK_SOCKET", self.socket(one));
        command
    }

    pub(crate) fn output(&self, one: usize, words: &[&str]) -> Output {
        self.grouplock(one, words).output().expect("the program is built")
    }

    /// What a command prints, which must succeed.
    pub(crate) fn text(&self, one: usize, words: &[&str]) -> String {
        let output = self.output(one, words);
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("it is text")
    }

    pub(crate) fn json(&self, one: usize, words: &[&str]) -> Value {
        let words = [words, &["--json"]].concat();
        serde_json::from_str(&self.text(one, &words)).expect("JSON")
    }

    pub(crate) fn status(&self, one: usize) -> Option<Value> {
        let output = self.output(one, &["status", "--json"]);
        output.status.success().then(|| serde_json::from_slice(&output.stdout).expect("JSON"))
    }

    /// Asks again until the status is as expected.
    pub(crate) fn await_status(&self, one: usize, is_so: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        loop {
            match self.status(one) {
                Some(status) if is_so(&status) => return status,
                status => {
                    let is_late = begun.elapsed() >= PATIENCE;
                    assert!(!is_late, "the status of member {one} is {status:?}");
                }
            }
        }
    }

    /// Waits for a view with so many members.
    pub(crate) fn await_members(&self, one: usize, count: usize) {
        self.await_status(one, |status| {
            status["members"].as_array().is_some_and(|members| members.len() == count)
        });
    }

    /// The member that coordinates the group.
    pub(crate) fn coordinator(&self, one: usize) -> usize {
        let members = self.json(one, &["members"]);
        let is_first = |other: &usize| members[0]["address"] == self.address(*other);
        (0..3).find(is_first).expect("it is one of them")
    }

    /// Kills a member and waits until it has ended.
    pub(crate) fn end(&mut self, one: usize) {
        self.signal(one, "-KILL");
        let mut member = self.members[one].take().expect("it runs");
        assert_eq!(member.ended(), None, "a signal has ended it");
    }

    pub(crate) fn signal(&self, one: usize, signal: &str) {
        let member = self.members[one].as_ref().expect("it runs");
        let id = member.0.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().expect("kill is there");
        assert!(sent.success());
    }

    /// Starts a command under the lock `job`, which runs until its input ends.
    pub(crate) fn hold(&self, one: usize) -> Running {
        let mut command = self.grouplock(one, &["run", "job", "--", "sh", "-c", "echo; exec cat"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program is built");
        let output = child.stdout.as_mut().expect("it is piped");
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("it is text");
        assert_eq!(line, "\n", "it has the lock");
        Running(child)
    }
}

pub(crate) fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

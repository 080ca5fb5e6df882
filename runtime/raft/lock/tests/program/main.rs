//! The program `raftlock`: three members as processes, and commands under their locks.

#[path = "../../../tests/folder/mod.rs"]
mod folder;

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use folder::Folder;
use serde_json::Value;

/// The maximum time for what the members do by themselves.
const PATIENCE: Duration = Duration::from_secs(60);
/// The heartbeat interval, in seconds: a lease is 28 of them.
const HEARTBEAT: &str = "0.05";

/// A process that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to stop.
        let _killed = self.0.kill();
        let _ended = self.0.wait();
    }
}

/// Three members on one machine.
struct Group {
    folder: Folder,
    ports: [u16; 3],
    members: [Option<Running>; 3],
}

impl Group {
    fn start() -> Self {
        let listeners = [(); 3].map(|()| TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let ports = listeners.map(|one| one.local_addr().expect("it is bound").port());
        let folder = Folder::new("raftlock");
        std::fs::create_dir_all(folder.path()).expect("the temporary folder can be written");
        let mut group = Self { folder, ports, members: [None, None, None] };
        (0..3).for_each(|one| group.start_member(one, &["--new"]));
        (0..3).for_each(|one| group.await_status(one, |status| status["ready"] == true));
        group
    }

    fn start_member(&mut self, one: usize, more: &[&str]) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raftlock"));
        command.args(["member", "--id", &(one + 1).to_string(), "--heartbeat", HEARTBEAT]);
        command.arg("--listen").arg(format!("127.0.0.1:{}", self.ports[one]));
        for (peer, port) in self.ports.iter().enumerate() {
            command.arg("--peer").arg(format!("{}=127.0.0.1:{port}", peer + 1));
        }
        command.arg("--data").arg(self.folder.path().join(format!("data-{one}")));
        command.arg("--socket").arg(self.socket(one)).args(["--log", "error"]).args(more);
        self.members[one] = Some(Running(command.spawn().expect("the program is built")));
    }

    fn socket(&self, one: usize) -> PathBuf {
        self.folder.path().join(format!("{one}.sock"))
    }

    fn raftlock(&self, one: usize, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raftlock"));
        command.args(words).env("RAFTLOCK_SOCKET", self.socket(one));
        command
    }

    fn output(&self, one: usize, words: &[&str]) -> Output {
        self.raftlock(one, words).output().expect("the program is built")
    }

    fn status(&self, one: usize) -> Option<Value> {
        let output = self.output(one, &["status", "--json"]);
        output.status.success().then(|| serde_json::from_slice(&output.stdout).expect("JSON"))
    }

    /// Asks again until the status is as expected.
    fn await_status(&self, one: usize, is_so: impl Fn(&Value) -> bool) {
        let begun = Instant::now();
        loop {
            let status = self.status(one);
            if status.as_ref().is_some_and(&is_so) {
                return;
            }
            assert!(begun.elapsed() < PATIENCE, "the status of member {one} is {status:?}");
        }
    }

    fn leader(&self) -> usize {
        let status = self.status(0).or_else(|| self.status(1)).expect("one of them runs");
        let leader = status["leader"].as_u64().expect("they were ready");
        usize::try_from(leader).expect("a small number") - 1
    }

    fn signal(&self, one: usize, signal: &str) {
        let member = self.members[one].as_ref().expect("it runs");
        let id = member.0.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().expect("kill is there");
        assert!(sent.success());
    }

    /// Starts a command under the lock `job`, which says its token and waits for its end.
    fn hold(&self, one: usize) -> (Running, u64) {
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
    fn token(&self, one: usize) -> u64 {
        let words = ["run", "job", "--", "sh", "-c", "echo $RAFTLOCK_FENCING_TOKEN"];
        let output = self.output(one, &words);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8_lossy(&output.stdout).trim().parse().expect("a token")
    }

    fn assert_nothing_unhandled(&self) {
        for one in 0..3 {
            if let Some(status) = self.status(one) {
                assert_eq!(status["unhandled"], Value::Array(Vec::new()), "of member {one}");
            }
        }
    }
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

#[test]
fn a_command_runs_under_the_lock_of_all_members() {
    let group = Group::start();
    let exit = group.output(0, &["run", "job", "--", "sh", "-c", "exit 7"]);
    assert_eq!(code(&exit), Some(7));
    let killed = group.output(1, &["run", "job", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(code(&killed), Some(128 + 9));
    let missing = group.output(1, &["run", "job", "--", "/there/is/none"]);
    assert_eq!(code(&missing), Some(127));
    let nested = ["run", "a", "--", env!("CARGO_BIN_EXE_raftlock"), "run", "a", "--", "true"];
    assert_eq!(code(&group.output(2, &nested)), Some(2), "it would wait for itself");

    let (mut holder, token) = group.hold(0);
    let held = |status: &Value| status["locks"][0]["holder"]["id"] == 1;
    group.await_status(2, held);
    let late = group.output(2, &["run", "job", "--timeout", "0.2", "--", "true"]);
    assert_eq!(code(&late), Some(75));
    let other = group.output(2, &["run", "other", "--", "true"]);
    assert_eq!(code(&other), Some(0));
    drop(holder.0.stdin.take());
    assert_eq!(holder.0.wait().expect("it ends").code(), Some(0));
    assert!(group.token(2) > token);

    let nobody = group.folder.path().join("nobody.sock");
    let mut command = group.raftlock(0, &["status"]);
    let output = command.env("RAFTLOCK_SOCKET", nobody).output().expect("it is built");
    assert_eq!(code(&output), Some(69));
    group.assert_nothing_unhandled();
}

#[test]
fn a_killed_leader_loses_its_locks_and_comes_back() {
    let mut group = Group::start();
    let leader = group.leader();
    let (mut holder, token) = group.hold(leader);
    group.signal(leader, "-KILL");
    drop(group.members[leader].take());
    assert_eq!(holder.0.wait().expect("it ends").code(), Some(76), "its lock is lost");
    let next = group.token((leader + 1) % 3);
    assert!(next > token, "{next} after {token}");
    group.start_member(leader, &[]);
    group.await_status(leader, |status| status["ready"] == true);
    assert!(group.token(leader) > next);
    group.assert_nothing_unhandled();
}

#[test]
fn a_command_is_ended_when_its_member_stops_for_a_lease() {
    let group = Group::start();
    let leader = group.leader();
    let (mut holder, token) = group.hold(leader);
    group.signal(leader, "-STOP");
    let next = group.token((leader + 1) % 3);
    assert!(next > token, "{next} after {token}");
    let ended = holder.0.try_wait().expect("it is ours").expect("another has the lock");
    assert_eq!(ended.code(), Some(76), "its lock is lost");
    group.signal(leader, "-CONT");
    group.await_status(leader, |status| status["ready"] == true);
    assert!(group.token(leader) > next);
    group.assert_nothing_unhandled();
}

#[test]
fn a_member_starts_anew_only_when_it_is_told_to() {
    let folder = Folder::new("raftlock-new");
    let start = |more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_raftlock"));
        command.args(["member", "--id", "1", "--listen", "127.0.0.1:0", "--peer", "1=127.0.0.1:1"]);
        command.arg("--data").arg(folder.path().join("data"));
        command.arg("--socket").arg(folder.path().join("sock")).args(more);
        command
    };
    std::fs::create_dir_all(folder.path()).expect("the temporary folder can be written");
    let lost = start(&[]).output().expect("the program is built");
    assert_eq!(code(&lost), Some(2));
    assert!(String::from_utf8_lossy(&lost.stderr).contains("--new"), "{lost:?}");
    let data = folder.path().join("data");
    std::fs::create_dir_all(&data).expect("the temporary folder can be written");
    std::fs::write(data.join("1.log"), "a log").expect("the temporary folder can be written");
    let again = start(&["--new"]).output().expect("the program is built");
    assert_eq!(code(&again), Some(2));
    assert!(String::from_utf8_lossy(&again.stderr).contains("has a log already"), "{again:?}");
    let fast = start(&["--heartbeat", "0"]).output().expect("the program is built");
    assert_eq!(code(&fast), Some(2));
}

#[test]
fn a_timeout_of_zero_takes_a_lock_that_nobody_has() {
    let group = Group::start();
    assert_eq!(code(&group.output(0, &["run", "job", "--timeout", "0", "--", "true"])), Some(0));
    let (_holder, _token) = group.hold(1);
    assert_eq!(code(&group.output(0, &["run", "job", "--timeout", "0", "--", "true"])), Some(75));
    let control = group.output(0, &["run", "a\nb", "--", "true"]);
    assert_eq!(code(&control), Some(2));
}

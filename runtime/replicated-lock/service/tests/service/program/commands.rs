//! Commands under locks, and members that are killed, stopped or started.

use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::group::{Group, LEASE, code};
use turnstile_members_simulation::lease::{ended_with_lease, signal};
use turnstile_simulation::{Folder, Running};

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

/// Members that cannot reach the lost one ask for its vote.
#[test]
fn the_loss_of_a_leader_is_no_error_in_the_log() {
    let mut group = Group::start();
    let leader = group.leader();
    group.is_logged = true;
    for one in (0..3).filter(|one| *one != leader) {
        drop(group.members[one].take());
        group.start_member(one, &[]);
        group.await_status(one, |status| status["ready"] == true);
    }
    for _ in 0..3 {
        let lost = group.leader();
        drop(group.members[lost].take());
        let others: Vec<usize> = (0..3).filter(|one| *one != lost).collect();
        let is_next = |status: &Value| status["leader"].is_u64() && status["leader"] != lost + 1;
        others.into_iter().for_each(|one| group.await_status(one, is_next));
        group.start_member(lost, &[]);
        group.await_status(lost, |status| status["ready"] == true);
    }
    let log = std::fs::read_to_string(group.folder.path().join("log")).expect("they log");
    assert!(!log.contains("openraft"), "{log}");
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
fn a_timeout_bounds_the_wait_for_a_member_that_is_stopped() {
    let group = Group::start();
    group.signal(0, "-STOP");
    let begun = std::time::Instant::now();
    let late = group.output(0, &["run", "job", "--timeout", "0.5", "--", "true"]);
    let took = begun.elapsed();
    group.signal(0, "-CONT");
    assert_eq!(code(&late), Some(69));
    assert!(String::from_utf8_lossy(&late.stderr).contains("does not answer"), "{late:?}");
    assert!(took.as_secs() < 8, "{took:?}");
}

#[test]
fn who_waits_long_is_told_where_to_look() {
    let group = Group::start();
    group.signal(0, "-STOP");
    let mut command = group.raftlock(0, &["run", "job", "--", "true"]);
    let mut waiter = Running(command.stderr(Stdio::piped()).spawn().expect("it is built"));
    let mut line = String::new();
    let stderr = waiter.0.stderr.as_mut().expect("it is piped");
    BufReader::new(stderr).read_line(&mut line).expect("it is text");
    group.signal(0, "-CONT");
    assert!(line.contains("still waits for \"job\": `raftlock status`"), "{line}");
    assert_eq!(waiter.0.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_member_begins_only_when_it_is_told_to() {
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
    let damaged = start(&["--new"]).output().expect("the program is built");
    assert_eq!(code(&damaged), Some(69), "{damaged:?}");
    let text = String::from_utf8_lossy(&damaged.stderr).into_owned();
    assert!(text.contains("never start member 1 again"), "{text}");
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

#[test]
fn a_command_ends_with_the_lease_while_its_supervisor_is_stopped() {
    let group = Group::start();
    let mut command = group.raftlock(0, &["run", "job"]);
    let mut next = group.raftlock(1, &["run", "job", "--timeout", "30", "--", "true"]);
    let text = ended_with_lease(&mut command, LEASE, &mut next);
    assert!(text.contains("raftlock: this process was stopped, or hung"), "{text}");
}

#[test]
fn a_user_that_is_stopped_while_it_waits_keeps_no_lock_and_starts_no_command() {
    let group = Group::start();
    let (mut holder, _token) = group.hold(0);
    let started = group.folder.path().join("started");
    let mut command = group.raftlock(1, &["run", "job", "--", "touch"]);
    let mut waiter = Running(command.arg(&started).spawn().expect("the program is built"));
    group.await_status(2, |status| status["locks"][0]["waiters"][0]["id"] == 2);
    signal(&waiter.0, "-STOP");
    drop(holder.0.stdin.take());
    let next = group.output(2, &["run", "job", "--timeout", "30", "--", "true"]);
    assert_eq!(code(&next), Some(0), "{next:?}");
    signal(&waiter.0, "-CONT");
    assert_eq!(waiter.0.wait().expect("it ends").code(), Some(76), "its lock is lost");
    assert!(!started.exists(), "it had the lock no more");
}

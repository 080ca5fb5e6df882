//! Commands under locks, of members that run, are killed or leave.

use std::fs;
use std::process::Stdio;

use serde_json::json;

use super::group::{Group, LEASE, code};
use turnstile_members_simulation::lease::ended_with_lease;
use turnstile_simulation::Running;

/// The maximum time to wait for a lock that must be granted, in seconds.
const TIMEOUT: &str = "30";

#[test]
fn the_exit_status_is_the_command_s_or_says_why_it_did_not_run() {
    let group = Group::start();
    let exit = group.output(0, &["run", "job", "--", "sh", "-c", "exit 7"]);
    assert_eq!(code(&exit), Some(7));
    let killed = group.output(1, &["run", "job", "--", "sh", "-c", "kill -9 $$"]);
    assert_eq!(code(&killed), Some(128 + 9));
    let missing = group.output(1, &["run", "job", "--", "/there/is/none"]);
    assert_eq!(code(&missing), Some(127));
    let nested = ["run", "a", "--", env!("CARGO_BIN_EXE_grouplock"), "run", "a", "--", "true"];
    assert_eq!(code(&group.output(2, &nested)), Some(2), "it would wait for itself");
    let script = "echo $GROUPLOCK_ID $GROUPLOCK_HELD ${GROUPLOCK_FENCING_TOKEN-none}";
    assert_eq!(group.text(2, &["run", "job", "--", "sh", "-c", script]), "job job none\n");

    let mut holder = group.hold(0);
    for timeout in ["0", "0.2"] {
        let late = group.output(2, &["run", "job", "--timeout", timeout, "--", "true"]);
        assert_eq!(code(&late), Some(75), "{late:?}");
    }
    assert_eq!(code(&group.output(2, &["run", "other", "--", "true"])), Some(0));
    drop(holder.0.stdin.take());
    assert_eq!(holder.ended(), Some(0));
    let next = group.output(2, &["run", "job", "--timeout", TIMEOUT, "--", "true"]);
    assert_eq!(code(&next), Some(0));

    let nobody = group.folder.path().join("nobody.sock");
    let mut command = group.grouplock(0, &["run", "job", "--", "true"]);
    let refused = command.env("GROUPLOCK_SOCKET", nobody).output().expect("it is built");
    assert_eq!(code(&refused), Some(69));
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(text.contains("`grouplock member --socket "), "{text}");
}

/// A count that is read and written without any other protection loses steps otherwise.
#[test]
fn commands_of_all_members_exclude_each_other() {
    let group = Group::start();
    let path = group.folder.path().join("count");
    fs::write(&path, "0").expect("the temporary folder can be written");
    // A directory can be made only while there is none: two at a time are told at once.
    let script = "set -e; cd \"$0\"; mkdir inside; n=$(cat count); echo $((n + 1)) > next; \
                  mv next count; rmdir inside";
    let folder = group.folder.path().display().to_string();
    let words = ["run", "count", "--timeout", TIMEOUT, "--", "sh", "-c", script, &folder];
    let runs: Vec<Running> = (0..12)
        .map(|run| Running(group.grouplock(run % 3, &words).spawn().expect("it is built")))
        .collect();
    for mut run in runs {
        assert_eq!(run.ended(), Some(0));
    }
    let count = fs::read_to_string(path).expect("it is there");
    assert_eq!(count.trim(), "12");
}

#[test]
fn a_command_is_ended_when_its_member_is_killed_and_another_gets_the_lock() {
    let mut group = Group::start();
    // The coordinator's successor has to learn who held what.
    let lost = group.coordinator(0);
    let mut holder = group.hold(lost);
    group.signal(lost, "-KILL");
    drop(group.members[lost].take());
    assert_eq!(holder.ended(), Some(76), "its lock is lost");
    let other = (lost + 1) % 3;
    let next = group.output(other, &["run", "job", "--timeout", TIMEOUT, "--", "true"]);
    assert_eq!(code(&next), Some(0), "{next:?}");
    group.await_members(other, 2);
    // The socket of the killed one remains, and is replaced.
    group.start_member(lost, "test");
    group.await_members(lost, 3);
    let again = group.output(lost, &["run", "job", "--timeout", TIMEOUT, "--", "true"]);
    assert_eq!(code(&again), Some(0), "{again:?}");
}

#[test]
fn a_command_is_ended_when_its_member_stands_still() {
    let group = Group::start();
    let mut holder = group.hold(0);
    group.signal(0, "-STOP");
    let next = group.output(1, &["run", "job", "--timeout", TIMEOUT, "--", "true"]);
    assert_eq!(code(&next), Some(0), "{next:?}");
    let ended = holder.0.try_wait().expect("it is ours").expect("another has the lock");
    assert_eq!(ended.code(), Some(76), "its lock is lost");
    group.signal(0, "-CONT");
    group.await_members(0, 3);
}

#[test]
fn one_of_two_commands_is_ended_when_the_parts_of_a_group_meet() {
    let mut group = Group::prepare();
    for part in [0, 1] {
        group.start_knowing(part, "test", &[part]);
        group.await_members(part, 1);
    }
    let (mut first, mut second) = (group.hold(0), group.hold(1));
    // It knows both.
    group.start_member(2, "test");
    (0..3).for_each(|one| group.await_members(one, 3));
    let (ended, kept) = first.first_to_end(&mut second);
    assert_eq!(ended, Some(76), "its lock is lost");
    let late = group.output(2, &["run", "job", "--timeout", "0.2", "--", "true"]);
    assert_eq!(code(&late), Some(75), "the other one keeps it");
    drop(kept.0.stdin.take());
    assert_eq!(kept.ended(), Some(0));
    let next = group.output(2, &["run", "job", "--timeout", TIMEOUT, "--", "true"]);
    assert_eq!(code(&next), Some(0), "{next:?}");
}

#[test]
fn a_coordinator_that_is_told_to_end_hands_over() {
    let mut group = Group::start();
    let first = group.coordinator(0);
    let (second, third) = ((first + 1) % 3, (first + 2) % 3);
    let mut lost = group.grouplock(first, &["run", "own", "--", "sh", "-c", "echo; exec cat"]);
    let mut lost = Running(
        lost.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("the program is built"),
    );
    let is_held = |status: &serde_json::Value| {
        status["locks"] == json!([{ "id": "own", "held": true, "waiters": 0 }])
    };
    group.await_status(first, is_held);
    let mut kept = group.hold(second);
    group.signal(first, "-TERM");
    let mut member = group.members[first].take().expect("it runs");
    assert_eq!(member.ended(), Some(0));
    assert!(!group.socket(first).exists(), "its socket is gone");
    assert_eq!(lost.ended(), Some(76), "it does not outlive its member");
    for one in [second, third] {
        group.await_members(one, 2);
    }
    assert_ne!(group.coordinator(second), first);
    // The others keep their locks, and exclude each other.
    let late = group.output(third, &["run", "job", "--timeout", "0.2", "--", "true"]);
    assert_eq!(code(&late), Some(75));
    assert_eq!(kept.0.try_wait().expect("it is ours"), None, "it keeps its lock");
    let next = group.output(third, &["run", "own", "--timeout", TIMEOUT, "--", "true"]);
    assert_eq!(code(&next), Some(0), "{next:?}");
    drop(kept.0.stdin.take());
    assert_eq!(kept.ended(), Some(0));
}

#[test]
fn a_command_ends_with_the_lease_while_its_supervisor_is_stopped() {
    let group = Group::start();
    let mut command = group.grouplock(0, &["run", "job"]);
    let mut next = group.grouplock(1, &["run", "job", "--timeout", "30", "--", "true"]);
    let text = ended_with_lease(&mut command, LEASE, &mut next);
    assert!(text.contains("grouplock: this process was stopped, or hung"), "{text}");
}

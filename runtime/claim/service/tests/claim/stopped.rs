//! A `claim run` that is stopped: its command does not outlive the lease.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::command::{claim, is_gone, statuses};
use crate::http::{Running, until};

/// The lease, and how much later than its end a busy machine may notice it.
const TTL: Duration = Duration::from_millis(1_500);
const BUSY: Duration = Duration::from_millis(700);

/// A `claim run` of a script that prints the id of a process that it starts.
fn start(server: &Running, script: &str) -> (Child, Pid) {
    let ttl = TTL.as_secs_f64().to_string();
    let mut command = claim(server, &["run", "r", "--ttl", &ttl, "--", "sh", "-c", script]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut running = command.spawn().expect("it starts");
    let mut line = String::new();
    let out = running.stdout.as_mut().expect("it is piped");
    BufReader::new(out).read_line(&mut line).expect("the command speaks");
    let id = line.trim().parse().ok().and_then(Pid::from_raw);
    (running, id.expect("a process id"))
}

/// Stops the program, awaits the end of what its command has started, and lets it go on.
#[track_caller]
fn check_stopped(script: &str) {
    let server = Running::in_memory();
    let (running, started) = start(&server, script);
    // Later than the first renewal, so that renewals count.
    let begun = Instant::now();
    until("it is renewed", || begun.elapsed() > TTL && statuses(&server, "r") == ["active"]);
    assert!(!is_gone(started));
    kill_process(Pid::from_child(&running), Signal::STOP).expect("it runs");
    let stopped = Instant::now();
    until("the command ends", || is_gone(started));
    let ran = stopped.elapsed();
    assert!(ran < TTL + BUSY, "{script}: it runs {ran:?} after the stop");
    kill_process(Pid::from_child(&running), Signal::CONT).expect("it is stopped");
    let ended = running.wait_with_output().expect("it is our child");
    let text = String::from_utf8(ended.stderr).expect("plain text");
    assert_eq!(ended.status.code(), Some(76), "{text}");
    assert!(text.contains("was stopped"), "{text}");
}

#[test]
fn a_command_ends_with_its_lease_while_its_supervisor_is_stopped() {
    check_stopped("echo $$; exec sleep 100");
    // One that hears no signal but SIGKILL, and one that is not the command itself.
    check_stopped("trap '' TERM; echo $$; while :; do sleep 0.1; done");
    check_stopped("sleep 100 & echo $!; wait");
}

#[test]
fn the_command_may_end_itself_before_the_lease_does() {
    let server = Running::in_memory();
    let script = "trap 'echo told; exit 5' TERM; echo $$; while :; do sleep 0.02; done";
    let (running, started) = start(&server, script);
    kill_process(Pid::from_child(&running), Signal::STOP).expect("it runs");
    until("the command ends", || is_gone(started));
    kill_process(Pid::from_child(&running), Signal::CONT).expect("it is stopped");
    let ended = running.wait_with_output().expect("it is our child");
    assert_eq!(ended.status.code(), Some(76), "{ended:?}");
    assert_eq!(ended.stdout, b"told\n", "it gets SIGTERM first: {ended:?}");
}

#[test]
fn a_supervisor_that_is_stopped_for_less_than_the_lease_keeps_its_command() {
    let server = Running::in_memory();
    let (mut running, started) = start(&server, "echo $$; exec cat");
    for _ in 0..3 {
        kill_process(Pid::from_child(&running), Signal::STOP).expect("it runs");
        std::thread::park_timeout(TTL / 5);
        kill_process(Pid::from_child(&running), Signal::CONT).expect("it is stopped");
        let begun = Instant::now();
        until("it goes on", || begun.elapsed() > TTL);
        assert!(!is_gone(started));
    }
    drop(running.stdin.take());
    assert!(running.wait().expect("it is our child").success());
    assert_eq!(statuses(&server, "r"), ["released"]);
}

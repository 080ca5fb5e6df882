//! The real programs with `--trace`, and what they log: every step can be read, and played again.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use turnstile_claim_core::scenario::PROTOCOL;
use turnstile_scenario::trace::replay;

use crate::http::Client;
use crate::real::Turnstiled;

fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("traced");
    std::fs::create_dir_all(&dir).expect("the directory is ours");
    let path = dir.join(name);
    if path.is_dir() {
        std::fs::remove_dir_all(&path).expect("the directory is ours");
    }
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

/// Replays a trace; how many steps it has.
#[track_caller]
fn check(path: &Path) -> usize {
    let text = std::fs::read_to_string(path).expect("it was written");
    let replay = replay(text.as_bytes(), &[PROTOCOL]).unwrap_or_else(|fault| panic!("{fault}"));
    assert!(replay.matches(), "{replay:#?}");
    assert_eq!(
        (replay.late_timers, replay.truncated_line),
        (0, None),
        "no timer is late, and every line whole"
    );
    assert!(text.contains(r#""rows":[{"row":{"machine":"#), "{text}");
    replay.steps
}

#[test]
fn what_the_programs_trace_is_a_run_of_the_cores_over_restarts_too() {
    let (data, claims) = (scratch("data"), scratch("claim.jsonl"));
    let trace = scratch("server.jsonl");
    for old in [&claims, &trace] {
        if old.exists() {
            std::fs::remove_file(old).expect("the directory is ours");
        }
    }
    let mut steps = (0, 0);
    for life in 0..3 {
        let arguments = ["--data", text(&data), "--trace", text(&trace)];
        let mut server = Turnstiled::start(&arguments);
        let url = format!("http://{}", server.at);
        let ran = Command::new(env!("CARGO_BIN_EXE_claim"))
            .args(["--url", &url, "--trace", text(&claims), "run", "r", "--", "true"])
            .status()
            .expect("it starts");
        assert!(ran.success(), "{ran}");
        let mut client = Client::new(server.at).with("idempotency-key", "again");
        let held = client.post(r#"{"resource":"s","ttl":600}"#).expect(201);
        assert!(held.path().ends_with("/2/"), "the same claim after each restart: {held:?}");
        let id = Pid::from_child(&server.child);
        // Killed or told to end: both leave a whole trace.
        kill_process(id, if life == 1 { Signal::KILL } else { Signal::TERM }).expect("it runs");
        server.child.wait().expect("it is our child");
        let before = std::mem::replace(&mut steps, (check(&claims), check(&trace)));
        assert!(steps.0 >= before.0 + 4 && steps.1 >= before.1 + 4, "a trace is continued");
        let restarts = std::fs::read_to_string(&trace).expect("it was written");
        assert_eq!(restarts.matches(r#"{"restart":"#).count(), life + 1, "{restarts}");
        assert_eq!(restarts.matches(r#"{"restart":"nothing"}"#).count(), 1, "{restarts}");
    }
}

#[test]
fn every_row_that_is_taken_is_logged() {
    let mut server = Command::new(env!("CARGO_BIN_EXE_turnstiled"))
        .args(["--listen", "127.0.0.1:0", "--in-memory", "--log-json"])
        .env("TURNSTILE_LOG", "debug")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the server starts");
    let mut line = String::new();
    let mut out = std::io::BufReader::new(server.stdout.take().expect("it is piped"));
    std::io::BufRead::read_line(&mut out, &mut line).expect("it says where it listens");
    let at = line.trim().rsplit('/').next().and_then(|at| at.parse().ok()).expect("an address");
    Client::new(at).post(r#"{"resource":"r","ttl":60}"#).expect(201);
    kill_process(Pid::from_child(&server), Signal::TERM).expect("it runs");
    let ended = server.wait_with_output().expect("it is our child");
    let log = String::from_utf8(ended.stderr).expect("plain text");
    let rows: Vec<serde_json::Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line is an object"))
        .filter(|line: &serde_json::Value| line["fields"]["row"].is_string())
        .collect();
    assert_eq!(rows.len(), 1, "{log}");
    assert_eq!(rows[0]["fields"]["machine"], "claim-record", "{log}");
}

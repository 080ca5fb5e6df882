//! The `claim` program: its command, its signals, and the claims that remain.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};

use super::Running;
use crate::http::until;

pub(crate) const CLAIM: &str = env!("CARGO_BIN_EXE_claim");

pub(crate) fn claim(server: &Running, arguments: &[&str]) -> Command {
    let mut command = Command::new(CLAIM);
    command.args(arguments).env("TURNSTILE_URL", format!("http://{}", server.at));
    command.env_remove("TURNSTILE_TOKEN").env_remove("TURNSTILE_CA");
    command
}

fn output(server: &Running, arguments: &[&str]) -> Output {
    claim(server, arguments).output().expect("the program starts")
}

pub(crate) fn statuses(server: &Running, resource: &str) -> Vec<String> {
    let list = server.client().get(&format!("/v1/claims/?resource={resource}&limit=100"));
    let list = list.expect(200).json();
    let status = |claim: &Value| claim["status"].as_str().expect("a status").to_owned();
    list.as_array().expect("an array").iter().map(status).collect()
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

fn scratch(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{name}", module_path!()))
}

#[track_caller]
fn check_status(script: &str, expected: i32) {
    let server = Running::in_memory();
    let ran = output(&server, &["run", "r", "--", "sh", "-c", script]);
    assert_eq!(ran.status.code(), Some(expected), "{script}: {ran:?}");
    assert_eq!(statuses(&server, "r"), ["released"]);
}

#[test]
fn the_command_s_exit_status_is_passed_on() {
    check_status("exit 0", 0);
    check_status("exit 7", 7);
    check_status("kill -9 $$", 128 + 9);
    let server = Running::in_memory();
    let ran = output(&server, &["run", "r", "--", "/no/such/program"]);
    assert_eq!(ran.status.code(), Some(127));
    assert_eq!(statuses(&server, "r"), ["released"]);
}

#[test]
fn the_command_finds_its_token() {
    let server = Running::in_memory();
    let script = "printf '%s %s' $CLAIM_FENCING_TOKEN $CLAIM_URL";
    let ran = output(&server, &["run", "r", "--data", "[1]", "--", "sh", "-c", script]);
    let text = String::from_utf8(ran.stdout).expect("plain text");
    let (token, url) = text.split_once(' ').expect("two words");
    let path = &url[url.find("/v1/").expect("a path")..];
    let there = server.client().get(path).expect(200);
    assert_eq!(there.field("fencing_token").to_string(), token);
    assert_eq!(there.field("user_data"), json!([1]));
}

#[test]
fn a_timeout_before_the_grant_exits_with_75() {
    let server = Running::in_memory();
    server.client().post(r#"{"resource":"r","ttl":60}"#).expect(201);
    let ran = output(&server, &["run", "r", "--timeout", "0.1", "--", "true"]);
    assert_eq!(ran.status.code(), Some(75), "{ran:?}");
    let waited = output(&server, &["wait", "r", "--timeout", "0.1"]);
    assert_eq!(waited.status.code(), Some(75), "{waited:?}");
    let free = output(&server, &["wait", "s"]);
    assert_eq!(free.status.code(), Some(0), "{free:?}");
    assert_eq!(statuses(&server, "s"), ["released"]);
}

/// A claim that is not withdrawn would be granted later, without a holder.
#[test]
fn a_timeout_withdraws_the_claim() {
    let server = Running::in_memory();
    let held = server.client().post(r#"{"resource":"r","ttl":60}"#).expect(201).path();
    let start = |number: usize| {
        let rest: &[&str] = if number.is_multiple_of(2) { &["run", "r"] } else { &["wait", "r"] };
        let mut waiting = claim(&server, rest);
        waiting.args(["--timeout", "0.05"]);
        if number.is_multiple_of(2) {
            waiting.args(["--", "true"]);
        }
        waiting.spawn().expect("it starts")
    };
    let waiting: Vec<Child> = (0..20).map(start).collect();
    for mut waiting in waiting {
        let ended = waiting.wait().expect("it is our child");
        assert_eq!(ended.code(), Some(75), "{ended:?}");
    }
    let left = statuses(&server, "r");
    assert!(!left.iter().any(|status| status == "waiting"), "{left:?}");
    server.client().set(&held, "released").expect(204);
    let free = output(&server, &["run", "r", "--timeout", "5", "--", "true"]);
    assert_eq!(free.status.code(), Some(0), "{free:?}");
}

#[test]
fn claim_wait_releases_at_once() {
    let server = Running::in_memory();
    let mut holder = server.client();
    let held = holder.post(r#"{"resource":"r","ttl":60}"#).expect(201).path();
    let mut waiting = claim(&server, &["wait", "r"]).spawn().expect("it starts");
    until("it queues", || statuses(&server, "r") == ["active", "waiting"]);
    assert!(waiting.try_wait().expect("it is our child").is_none(), "it is not its turn");
    holder.set(&held, "released").expect(204);
    assert!(waiting.wait().expect("it is our child").success());
    assert_eq!(statuses(&server, "r"), ["released", "released"]);
}

/// The signals that are passed on.
const PASSED_ON: [Signal; 4] = [Signal::TERM, Signal::INT, Signal::QUIT, Signal::HUP];

/// The program, by a shell that ignores none of the signals, or one of them.
pub(crate) fn hears_all(command: &mut Command, but: Option<Signal>) -> &mut Command {
    #[expect(unsafe_code, reason = "what is ignored is handed down between fork and exec")]
    // SAFETY: the closure calls signal only, which is async-signal-safe.
    unsafe {
        command.pre_exec(move || {
            for signal in PASSED_ON {
                let handler = if but == Some(signal) { libc::SIG_IGN } else { libc::SIG_DFL };
                libc::signal(signal.as_raw(), handler);
            }
            Ok(())
        })
    }
}

#[test]
fn a_signal_while_waiting_withdraws() {
    let asks: [&[&str]; 2] = [&["run", "r", "--", "true"], &["wait", "r"]];
    for (signal, ask) in PASSED_ON.into_iter().flat_map(|signal| asks.map(|ask| (signal, ask))) {
        let server = Running::in_memory();
        server.client().post(r#"{"resource":"r","ttl":60}"#).expect(201);
        let mut command = claim(&server, ask);
        let mut waiting = hears_all(&mut command, None).spawn().expect("it starts");
        until("it queues", || statuses(&server, "r").len() == 2);
        kill_process(pid(&waiting), signal).expect("it runs");
        let status = waiting.wait().expect("it is our child");
        assert_eq!(status.code(), Some(128 + signal.as_raw()));
        assert_eq!(statuses(&server, "r"), ["active", "withdrawn"]);
    }
}

/// Runs a command that says when it is on, and sends a signal to the program then.
#[track_caller]
fn check_signal(command: &mut Command, signals: &[Signal], expected: i32) {
    let mut running = command.stdout(Stdio::piped()).spawn().expect("it starts");
    let mut out = BufReader::new(running.stdout.take().expect("it is piped"));
    out.read_line(&mut String::new()).expect("the command speaks");
    for signal in signals {
        kill_process(pid(&running), *signal).expect("it runs");
    }
    assert_eq!(running.wait().expect("it is our child").code(), Some(expected), "{signals:?}");
}

#[test]
fn a_signal_goes_to_the_command_and_the_release_comes_last() {
    for signal in PASSED_ON {
        let server = Running::in_memory();
        let script =
            format!("trap 'exit 3' {}; echo on; while :; do sleep 0.05; done", signal.as_raw());
        let mut command = claim(&server, &["run", "r", "--", "sh", "-c", &script]);
        check_signal(hears_all(&mut command, None), &[signal], 3);
        assert_eq!(statuses(&server, "r"), ["released"]);
    }
}

#[test]
fn a_signal_goes_to_the_command_s_whole_group() {
    let server = Running::in_memory();
    // The command exits when another process of its group does, which is its only notification.
    let script = "trap 'wait $!; exit $?' TERM; \
                  (trap 'exit 4' TERM; echo on; while :; do sleep 0.05; done) & \
                  while :; do sleep 0.05; done";
    let mut command = claim(&server, &["run", "r", "--", "sh", "-c", script]);
    check_signal(hears_all(&mut command, None), &[Signal::TERM], 4);
}

#[test]
fn a_signal_that_was_ignored_before_ends_nothing() {
    for ignored in [Signal::HUP, Signal::INT] {
        let server = Running::in_memory();
        let script = "echo on; exec sleep 100";
        let mut command = claim(&server, &["run", "r", "--", "sh", "-c", script]);
        let signals = [ignored, Signal::TERM];
        check_signal(hears_all(&mut command, Some(ignored)), &signals, 128 + 15);
    }
}

#[test]
fn a_command_that_does_not_listen_is_killed_after_the_grace() {
    let server = Running::in_memory();
    let script = "trap '' TERM; echo on; while :; do sleep 1; done";
    let arguments = ["run", "r", "--grace", "0.1", "--", "sh", "-c", script];
    let mut running = claim(&server, &arguments).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut out = BufReader::new(running.stdout.take().expect("it is piped"));
    out.read_line(&mut String::new()).expect("the command speaks");
    kill_process(pid(&running), Signal::TERM).expect("it runs");
    assert_eq!(running.wait().expect("it is our child").code(), Some(128 + 9));
    assert_eq!(statuses(&server, "r"), ["released"]);
}

#[test]
fn a_claim_that_is_lost_ends_the_command_with_76() {
    let server = Running::in_memory();
    let arguments = ["run", "r", "--ttl", "0.3", "--", "sh", "-c", "echo on; sleep 100"];
    let mut running = claim(&server, &arguments).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut out = BufReader::new(running.stdout.take().expect("it is piped"));
    out.read_line(&mut String::new()).expect("the command speaks");
    let list = output(&server, &["ls", "--resource", "r", "--json"]);
    let list: Value = serde_json::from_slice(&list.stdout).expect("the server's JSON");
    let url = list[0]["url"].as_str().expect("a URL");
    assert!(output(&server, &["revoke", url]).status.success());
    assert_eq!(running.wait().expect("it is our child").code(), Some(76));
    assert_eq!(statuses(&server, "r"), ["revoked"]);
}

#[test]
fn killing_the_wrapper_kills_the_command() {
    let server = Running::in_memory();
    let file = scratch("killed.pid");
    let script = format!("echo $$ > {0}.new && mv {0}.new {0}; exec sleep 100", file.display());
    if file.exists() {
        std::fs::remove_file(&file).expect("the directory is ours");
    }
    let mut running =
        claim(&server, &["run", "r", "--", "sh", "-c", &script]).spawn().expect("it starts");
    until("the command runs", || file.exists());
    let command = std::fs::read_to_string(&file).expect("it is written");
    let command = command.trim().parse().ok().and_then(Pid::from_raw).expect("a process id");
    running.kill().expect("it is our child");
    running.wait().expect("it is our child");
    until("the command is gone", || is_gone(command));
}

/// A process that survives would run concurrently with the next holder.
#[test]
fn killing_the_wrapper_kills_what_the_command_has_started() {
    let server = Running::in_memory();
    let file = scratch("grandchild.pid");
    if file.exists() {
        std::fs::remove_file(&file).expect("the directory is ours");
    }
    let script =
        format!("sleep 100 & echo $! > {0}.new && mv {0}.new {0}; sleep 100; true", file.display());
    let mut running =
        claim(&server, &["run", "r", "--", "sh", "-c", &script]).spawn().expect("it starts");
    until("the command runs", || file.exists());
    let started = std::fs::read_to_string(&file).expect("it is written");
    let started = started.trim().parse().ok().and_then(Pid::from_raw).expect("a process id");
    assert!(!is_gone(started));
    running.kill().expect("it is our child");
    running.wait().expect("it is our child");
    until("what the command has started is gone", || is_gone(started));
}

/// What a child says first.
fn line(child: &mut Child) -> String {
    let mut line = String::new();
    let out = child.stdout.as_mut().expect("it is piped");
    BufReader::new(out).read_line(&mut line).expect("it speaks");
    line
}

#[test]
fn a_lock_is_not_claimed_from_under_itself() {
    let server = Running::in_memory();
    let inner = |resource: &str| format!("{CLAIM} run {resource} --timeout 20 -- echo in");
    let twice = output(&server, &["run", "r", "--", "sh", "-c", &inner("r")]);
    assert_eq!(twice.status.code(), Some(2), "{twice:?}");
    let text = String::from_utf8(twice.stderr).expect("plain text");
    assert!(text.contains("wait for itself"), "{text}");
    let through = inner("s").replace("echo in", &inner("r"));
    let deep = output(&server, &["run", "r", "--", "sh", "-c", &through]);
    assert_eq!(deep.status.code(), Some(2), "{deep:?}");
    let script = r#"echo "$CLAIM_HELD"; read line"#;
    let mut holder = claim(&server, &["run", "r", "--", "sh", "-c", script]);
    let mut holder =
        holder.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut keychain = claim(&server, &["keychain"]);
    keychain.env("CLAIM_HELD", line(&mut holder));
    let mut keychain = keychain.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let keychain = keychain.as_mut().expect("it starts");
    let mut wishes = keychain.stdin.take().expect("it is piped");
    wishes.write_all(b"{\"id\":1,\"claim\":\"r\",\"timeout\":20}\n").expect("it listens");
    let text = line(keychain);
    assert!(text.contains("wait for itself"), "{text}");
    drop((wishes, holder.stdin.take()));
    assert!(keychain.wait().is_ok() && holder.wait().is_ok(), "they are our children");
    let other = output(&server, &["run", "r", "--", "sh", "-c", &inner("s")]);
    assert_eq!(other.stdout, b"in\n", "{other:?}");
}

/// Whether a process has ended, waited for or not.
pub(crate) fn is_gone(process: Pid) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", process.as_raw_nonzero()));
    let is_zombie = stat.is_ok_and(|stat| stat.contains(") Z "));
    is_zombie || test_kill_process(process).is_err()
}

#[test]
fn claims_are_listed_and_shown() {
    let server = Running::in_memory();
    let held = server.client().post(r#"{"resource":"a b","ttl":60}"#).expect(201);
    let list = output(&server, &["ls", "--resource", "a b", "--status", "active"]);
    let text = String::from_utf8(list.stdout).expect("plain text");
    assert!(text.lines().nth(1).is_some_and(|line| line.ends_with("a b")), "{text}");
    let url = held.field("url");
    let lapsed = server.client().post(r#"{"resource":"c","ttl":0}"#).expect(201);
    let list = output(&server, &["ls", "--resource", "c"]);
    let text = String::from_utf8(list.stdout).expect("plain text");
    assert!(text.contains("  lapsed  ") && !text.contains(" -0"), "{text}");
    let ran = output(&server, &["revoke", &lapsed.path()]);
    assert_eq!(ran.stdout, b"claim 2 is revoked\n", "{ran:?}");
    let shown = output(&server, &["show", url.as_str().expect("a URL")]);
    let shown: Value = serde_json::from_slice(&shown.stdout).expect("the server's JSON");
    assert_eq!(shown["url"], url);
    let unknown = output(&server, &["show", "999"]);
    assert_eq!(unknown.status.code(), Some(69), "{unknown:?}");
    let text = String::from_utf8(unknown.stderr).expect("plain text");
    assert!(text.ends_with("refused the request: 404 No claim found\n"), "{text}");
    let none = output(&server, &["show", "abc"]);
    assert_eq!(none.status.code(), Some(2), "{none:?}");
    let nowhere = Command::new(CLAIM).args(["--url", "nowhere", "ls"]).output();
    assert_eq!(nowhere.expect("it starts").status.code(), Some(2));
    let full = File::create("/dev/full").expect("it is there");
    let unsaid = claim(&server, &["ls"]).stdout(full).status().expect("it starts");
    assert_eq!(unsaid.code(), Some(69), "what cannot be written was not listed");
}

#[test]
fn a_name_neither_moves_the_cursor_nor_begins_a_line() {
    let server = Running::in_memory();
    server.client().post(&json!({ "resource": "a\u{1b}[2J\nb\u{9b}ü", "ttl": 60 }).to_string());
    let list = output(&server, &["ls"]);
    let text = String::from_utf8(list.stdout).expect("plain text");
    assert!(text.ends_with("  a\\u{1b}[2J\\nb\\u{9b}ü\n"), "{text}");
    assert_eq!(text.lines().count(), 2);
}

#[test]
fn a_server_that_does_not_answer_is_named() {
    // No process listens on the port of a closed listener.
    let nobody = TcpListener::bind("127.0.0.1:0").and_then(|gone| gone.local_addr());
    let url = format!("http://{}", nobody.expect("loopback has ports"));
    let asks: [&[&str]; 3] = [
        &["run", "r", "--timeout", "0.2", "--", "true"],
        &["ls"],
        &["wait", "r", "--timeout", "0.2"],
    ];
    for ask in asks {
        let ran = Command::new(CLAIM).args(ask).env("TURNSTILE_URL", &url).output();
        let ran = ran.expect("it starts");
        assert_eq!(ran.status.code(), Some(69), "{ran:?}");
        let text = String::from_utf8(ran.stderr).expect("plain text");
        let last = text.lines().last().unwrap_or_default();
        assert!(last.contains(&format!("no response from {url}: Connection refused")), "{text}");
    }
}

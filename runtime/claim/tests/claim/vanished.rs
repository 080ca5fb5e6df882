//! Who is gone without a word: what that costs a free lock, and a command that has ended.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process};

use crate::additions::metric;
use crate::command::CLAIM;
use crate::http::{Client, PATIENCE, Running, until};
use crate::real::Turnstiled;

const BODY: &str = r#"{"resource":"r","ttl":600}"#;
/// More than one, since each is to cost nothing.
const GONE: usize = 4;
/// Clients that wait, each on a connection of its own, and their claims.
fn wait(holder: &mut Client, connect: impl Fn() -> Client) -> Vec<(Client, String)> {
    let waits = |number| {
        let mut client = connect().with("prefer", "wait=300");
        let path = connect().post(BODY).expect(202).path();
        client.send("PATCH", &path, r#"{"status":"active"}"#);
        until("it waits", || metric(holder, "calls_open") == number);
        (client, path)
    };
    (1..=GONE as u64).map(waits).collect()
}

/// A lock is held, others wait for it, and they hang up.
fn hung_up(server: &Running) -> (Client, String, Vec<String>) {
    let mut holder = server.client();
    let held = holder.post(BODY).expect(201).path();
    let (clients, paths): (Vec<_>, Vec<_>) =
        wait(&mut holder, || server.client()).into_iter().unzip();
    drop(clients);
    until("the server notices", || metric(&mut holder, "calls_open") == 0);
    (holder, held, paths)
}

#[test]
fn waiters_that_are_gone_cost_a_free_lock_nothing() {
    let server = Running::in_memory();
    let (mut holder, held, gone) = hung_up(&server);
    holder.set(&held, "released").expect(204);
    // Who asks the old way, and does not wait, has to be lucky with nobody.
    holder.post(BODY).expect(201);
    for path in gone {
        assert_eq!(holder.get(&path).field("status"), "waiting", "it may come back");
    }
}

#[test]
fn waiters_that_are_gone_keep_their_place_while_the_lock_is_held() {
    let server = Running::in_memory();
    let (mut holder, held, gone) = hung_up(&server);
    holder.post(BODY).expect(202);
    let mut back = server.client().with("prefer", "wait=300");
    back.send("PATCH", &gone[1], r#"{"status":"active"}"#);
    until("it is back", || metric(&mut holder, "calls_open") == 1);
    holder.set(&held, "released").expect(204);
    assert_eq!(back.hear().expect(200).field("status"), "active");
}

/// Others wait for a lock, and the server ends, by a signal, and with it who waits.
#[track_caller]
fn check_restart(signal: Signal, hang_up_first: bool) {
    let name = format!("{signal:?}-{hang_up_first}");
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vanished").join(name);
    if data.exists() {
        std::fs::remove_dir_all(&data).expect("the directory is ours");
    }
    let data = data.to_str().expect("a readable path");
    let arguments = ["--data", data];
    let mut server = Turnstiled::start(&arguments);
    let mut holder = Client::new(server.at);
    let held = holder.post(BODY).expect(201).path();
    let waiting = wait(&mut holder, || Client::new(server.at));
    if hang_up_first {
        drop(waiting);
        until("the server notices", || metric(&mut holder, "calls_open") == 0);
    }
    // Once this is answered all of it is on disk.
    holder.get(&held).expect(200);
    kill_process(Pid::from_child(&server.child), signal).expect("it runs");
    server.child.wait().expect("it is our child");

    let server = Turnstiled::start(&arguments);
    let mut holder = Client::new(server.at);
    holder.set(&held, "released").expect(204);
    holder.post(BODY).expect(201);
}

#[test]
fn waiters_that_do_not_come_back_after_a_restart_cost_nothing() {
    for signal in [Signal::KILL, Signal::TERM] {
        check_restart(signal, false);
        check_restart(signal, true);
    }
}

/// `claim`, with a lock of an hour, at a server of our own.
fn claim(url: &str, arguments: &[&str]) -> Command {
    let mut claim = Command::new(CLAIM);
    let (verb, rest) = arguments.split_first().expect("a verb");
    claim.args([verb, "r", "--ttl", "3600"]).args(rest).env("TURNSTILE_URL", url);
    claim.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    claim
}

#[test]
fn a_command_that_has_ended_is_not_held_up_by_a_server_that_is_gone() {
    // Gone for good, and one that is there but does not answer.
    for signal in [Signal::KILL, Signal::STOP] {
        let mut server = Turnstiled::start(&["--in-memory"]);
        let url = format!("http://{}", server.at);
        let script = "echo on; read line; exit 3";
        let mut running =
            claim(&url, &["run", "--", "sh", "-c", script]).spawn().expect("it starts");
        let out = running.stdout.as_mut().expect("it is piped");
        BufReader::new(out).read_line(&mut String::new()).expect("the command speaks");
        kill_process(Pid::from_child(&server.child), signal).expect("it runs");
        if signal == Signal::KILL {
            server.child.wait().expect("it is our child");
        }
        drop(running.stdin.take());
        until("it ends", || running.try_wait().expect("it is our child").is_some());
        let ended = running.wait_with_output().expect("it is our child");
        assert_eq!(ended.status.code(), Some(3), "{ended:?}");
        let text = String::from_utf8(ended.stderr).expect("plain text");
        let last = text.lines().last().unwrap_or_default();
        assert!(last.contains(&format!("no response from {url}: ")), "{text}");
    }
}

#[test]
fn a_turn_that_was_waited_for_is_not_held_up_by_a_server_that_is_gone() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    let mut waiting = claim(&url, &["wait"]).spawn().expect("it starts");
    let (mut stream, _) = listener.accept().expect("the client connects");
    let read = stream.read(&mut [0; 4_096]).expect("the client asks");
    assert!(read > 0);
    drop(listener);
    let body = format!(r#"{{"url":"{url}/v1/claims/1/","resource":"r","status":"active"}}"#);
    let head = format!(
        "HTTP/1.1 201 Created\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).expect("the client listens");
    drop(stream);
    let started = Instant::now();
    until("it ends", || waiting.try_wait().expect("it is our child").is_some());
    assert!(started.elapsed() < PATIENCE);
    assert_eq!(waiting.wait().expect("it is our child").code(), Some(69));
}

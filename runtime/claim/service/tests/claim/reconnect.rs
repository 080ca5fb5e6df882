//! What `claim` says of servers that refuse, that are no claim servers, that are gone, or that come
//! back.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use rustix::process::Signal;

use crate::command::CLAIM;
use crate::http::{Client, PATIENCE, until};
use crate::real::Turnstiled;

/// A server that sends one response to every request.
fn constant(response: String) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
    let at = listener.local_addr().expect("it is bound");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client connects");
            // One read has a whole request of this length; an error shows in the client.
            let _read = stream.read(&mut [0; 4_096]);
            let _sent = stream.write_all(response.as_bytes());
        }
    });
    at
}

fn run(url: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(CLAIM);
    command.args(["--url", url, "run", "r"]).args(arguments);
    command.env_remove("TURNSTILE_LOG").env_remove("TURNSTILE_TOKEN");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// The exit status and the text of a `claim run` whose timeout passes.
fn timed_out(url: &str) -> (Option<i32>, String) {
    let ran = run(url, &["--timeout", "0.3", "--", "true"]).output().expect("it starts");
    (ran.status.code(), String::from_utf8(ran.stderr).expect("plain text"))
}

#[track_caller]
fn check_constant(status: &str, expected: &str) {
    let head = "content-length: 9\r\nconnection: close\r\n\r\nNot here.";
    let response = format!("HTTP/1.1 {status}\r\n{head}");
    let url = format!("http://{}", constant(response));
    let (status, text) = timed_out(&url);
    let cause = format!("{url}/v1/claims/: {expected}");
    assert_eq!(text.matches(&format!("WARN {cause}: retrying")).count(), 1, "{text}");
    let last = "timed out: the server never accepted the request; last response: ";
    assert!(text.contains(&format!("{last}{cause}")), "{text}");
    assert_eq!(status, Some(69), "{text}");
}

#[test]
fn a_response_that_is_retried_is_shown_once() {
    check_constant("404 Not Found", "404 Not here.");
    check_constant("200 OK", "200 too late, or not a claim: Not here.");
}

#[test]
fn a_server_that_was_never_reached_has_no_claim() {
    let started = Instant::now();
    let (status, text) = timed_out("http://no-such-host.invalid:5000");
    assert_eq!(status, Some(69), "{text}");
    assert!(!text.contains("may remain"), "{text}");
    assert!(started.elapsed() < PATIENCE / 5, "it ends at once");
}

/// Reads a program's messages up to one that contains a text, and returns them.
#[track_caller]
fn read_to(errors: &mut impl std::io::BufRead, expected: &str) -> String {
    let mut text = String::new();
    while !text.contains(expected) {
        let len = errors.read_line(&mut text).expect("plain text");
        assert!(len > 0, "no {expected:?} in {text}");
    }
    text
}

#[test]
fn a_server_that_comes_back_is_mentioned() {
    let data = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("reconnect");
    if data.exists() {
        std::fs::remove_dir_all(&data).expect("the directory is ours");
    }
    let data = data.to_str().expect("a readable path").to_owned();
    let server = Turnstiled::start(&["--data", &data]);
    let at = server.at.to_string();
    let url = format!("http://{at}");
    let mut holder = run(&url, &["--ttl", "6", "--", "cat"]).spawn().expect("it starts");
    let mut lines = errors(&mut holder);
    let mut client = Client::new(server.at);
    until("the lock is held", || client.get("/v1/claims/?resource=r").text.contains("\"active\""));
    let mut waiter = run(&url, &["--ttl", "6", "--", "true"]).spawn().expect("it starts");
    let mut waiting = errors(&mut waiter);
    read_to(&mut waiting, "waiting for r");
    drop(server);
    let warned = read_to(&mut lines, "retrying");
    assert!(warned.contains("; the lease is valid for another "), "{warned}");
    read_to(&mut waiting, "retrying");
    let _again = Turnstiled::start(&["--data", &data, "--listen", &at]);
    read_to(&mut lines, "INFO connected again: the lock is still held");
    read_to(&mut waiting, "INFO connected again: still waiting");
    drop(holder.stdin.take());
    for mut child in [holder, waiter] {
        assert!(child.wait().expect("it is our child").success());
    }
}

fn errors(child: &mut Child) -> impl std::io::BufRead + use<> {
    BufReader::new(child.stderr.take().expect("it is piped"))
}

#[test]
fn a_release_that_fails_says_how_long_the_lock_stays_taken() {
    let mut server = Turnstiled::start(&["--in-memory"]);
    let script = format!("kill -9 {}", server.child.id());
    let ran = Command::new(CLAIM)
        .args(["--url", &format!("http://{}", server.at)])
        .args(["run", "r", "--ttl", "20", "--", "sh", "-c", &script])
        .output()
        .expect("it starts");
    server.child.wait().expect("it is our child");
    let text = String::from_utf8(ran.stderr).expect("plain text");
    assert_eq!(ran.status.code(), Some(0), "the command has done its work: {text}");
    let expected =
        "the claim may stay until its ttl of 20 s has lapsed; `claim revoke 1` ends it at once";
    assert!(text.contains(expected), "{text}");
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
        server.strike(signal);
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

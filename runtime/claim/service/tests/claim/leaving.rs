//! Programs that end without a word: a child that holds a lock and leaves.

use std::env;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::Signal;
use tokio::runtime::Builder;
use turnstile_claim::client::{LockClient, LockClientBuilder};

use crate::http::{Client, PATIENCE, Running, until};
use crate::real::Turnstiled;

/// Where the child finds the server, and how it is to leave.
const SERVER: &str = "TURNSTILE_TEST_LEAVES";
const HOW: &str = "TURNSTILE_TEST_HOW";
/// What the child says once it holds the lock.
const HELD: &str = "held";
/// How long a child tries to give back what nobody takes.
const SHORT: Duration = Duration::from_millis(500);

/// The child: it gets the lock and leaves, so that nobody drops the claim.
fn leave(url: &str) {
    let how = env::var(HOW).expect("it is told");
    let mut runtime = if how.contains("threads") {
        Builder::new_multi_thread()
    } else {
        Builder::new_current_thread()
    };
    let runtime = runtime.enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let (lock_client, guard) = if how.contains("unguarded") {
            (LockClient::connect(url).expect("a good address"), None)
        } else {
            let patience = if how.contains("late") { SHORT } else { PATIENCE };
            let built =
                LockClientBuilder::new(url).build_with_guard(patience).expect("a good address");
            (built.0, Some(built.1))
        };
        let ask = lock_client.claim("r").ttl(Duration::from_millis(1_500));
        std::mem::forget(ask.await.expect("no other client claims it"));
        if how.contains("late") {
            // The tests' own output is not what is printed here.
            writeln!(io::stdout(), "{HELD}").expect("it is a pipe");
            // Until whoever has started this closes it.
            io::read_to_string(io::stdin()).expect("it is a pipe");
        }
        assert!(!how.contains("panics"), "as it was told to");
        drop(guard);
    });
}

/// This very test program, to be the child.
fn child(server: SocketAddr, how: &str) -> Command {
    let mut child = Command::new(env::current_exe().expect("it runs"));
    child.args(["--exact", "leaving::whoever_leaves_the_program_gives_everything_back"]);
    child.env(SERVER, format!("http://{server}")).env(HOW, how);
    child.stdout(Stdio::null()).stderr(Stdio::null());
    child
}

#[test]
fn whoever_leaves_the_program_gives_everything_back() {
    if let Ok(url) = env::var(SERVER) {
        return leave(&url);
    }
    let ends = ["returns", "returns, with threads", "panics", "panics, with threads"];
    let unguarded = ["unguarded, returns", "unguarded, returns, with threads"];
    for how in ends.into_iter().chain(unguarded) {
        let server = Running::in_memory();
        let status = child(server.at, how).status().expect("it starts");
        assert_eq!(status.success(), !how.contains("panics"), "{how}");
        let list = server.client().get("/v1/claims/").expect(200).json();
        let left = if how.contains("unguarded") { "active" } else { "released" };
        assert_eq!(list[0]["status"], left, "{how}");
    }
}

/// A child holds a lock, its server ends by a signal, and then the child is to leave.
#[track_caller]
fn check_dead(signal: Signal, how: &str) {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("leaving").join(how);
    if data.exists() {
        std::fs::remove_dir_all(&data).expect("the directory is ours");
    }
    let data = data.to_str().expect("a readable path");
    let mut server = Turnstiled::start(&["--data", data]);
    let mut child = child(server.at, how);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    let mut said = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    assert!(said.any(|line| line.expect("plain text").ends_with(HELD)), "it holds the lock");
    server.strike(signal);
    let told = Instant::now();
    drop(child.stdin.take());
    until("the child leaves", || child.try_wait().expect("it is our child").is_some());
    assert!(told.elapsed() >= SHORT, "it has tried for {:?}", told.elapsed());
    assert!(child.wait().expect("it is our child").success(), "{how}");
    drop(server);

    let server = Turnstiled::start(&["--data", data]);
    let status = |client: &mut Client| client.get("/v1/claims/").json()[0]["status"].clone();
    let mut client = Client::new(server.at).with("prefer", "wait=20");
    assert_eq!(status(&mut client), "active", "nobody has given it back");
    client.post(r#"{"resource":"r","ttl":60}"#).expect(201);
    assert_eq!(status(&mut client), "expired", "so it has lapsed");
}

#[test]
fn whoever_leaves_a_server_that_is_gone_is_not_held_up_for_ever() {
    check_dead(Signal::KILL, "late");
    check_dead(Signal::KILL, "late, with threads");
}

#[test]
fn whoever_leaves_a_server_that_does_not_answer_is_not_held_up_for_ever() {
    // The system still takes connections in for it.
    check_dead(Signal::STOP, "late, unheard");
    check_dead(Signal::STOP, "late, unheard, with threads");
}

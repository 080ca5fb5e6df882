//! The real `turnstiled`: killed in mid-load, started again, and with ten thousand idle callers.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, getrlimit, kill_process, setrlimit, waitpid,
};
use serde_json::Value;
use turnstile_random::seeds;

use crate::client::fixture;
use crate::http::{Answer, Client, PATIENCE, until};
use crate::tokens::tokens_file;

/// How often the server is killed, unless TURNSTILE_KILLS says otherwise.
const KILLS: u64 = 50;
const CLIENTS: u64 = 4;

/// The server as a process of its own.
pub(crate) struct Turnstiled {
    pub(crate) child: Child,
    pub(crate) at: SocketAddr,
}

impl Turnstiled {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_with(arguments, |_| {})
    }

    pub(crate) fn start_with(arguments: &[&str], set: impl FnOnce(&mut Command)) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_turnstiled"));
        if !arguments.contains(&"--listen") {
            command.args(["--listen", "127.0.0.1:0"]);
        }
        command.args(arguments);
        set(command.env("TURNSTILE_LOG", "error").stdout(Stdio::piped()));
        let mut child = command.spawn().expect("the server starts");
        let mut line = String::new();
        let out = child.stdout.take().expect("it is piped");
        BufReader::new(out).read_line(&mut line).expect("the server says where it listens");
        let at = line.trim().rsplit('/').next().and_then(|at| at.parse().ok());
        Self { child, at: at.unwrap_or_else(|| panic!("no address in {line:?}")) }
    }

    /// Kills it or stops it, and waits until it has ended, or all of its threads stand still.
    pub(crate) fn strike(&mut self, signal: Signal) {
        let pid = Pid::from_child(&self.child);
        kill_process(pid, signal).expect("it runs");
        if signal == Signal::STOP {
            waitpid(Some(pid), WaitOptions::UNTRACED).expect("it is our child");
        } else {
            self.child.wait().expect("it is our child");
        }
    }

    /// Kills it while others still look at it.
    pub(crate) fn kill_alone(&self) {
        kill_process(Pid::from_child(&self.child), Signal::KILL).expect("it runs");
    }

    fn kill(&mut self) {
        self.child.kill().expect("it is our child");
        self.child.wait().expect("it is our child");
    }
}

impl Drop for Turnstiled {
    fn drop(&mut self) {
        self.kill();
    }
}

fn dir(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("real").join(name);
    if dir.exists() {
        std::fs::remove_dir_all(&dir).expect("the directory is ours");
    }
    dir
}

/// What a client was told of one claim, and what it asked for last without an answer.
#[derive(Clone, Debug, Default)]
struct Known {
    token: u64,
    is_released: bool,
    /// A release was sent: it may have happened, answered or not.
    has_asked_release: bool,
}

/// Posts and releases until the server is gone; what was answered.
fn load(at: SocketAddr, resource: &str, count: &AtomicU64) -> BTreeMap<String, Known> {
    let mut known = BTreeMap::new();
    let Some(mut client) = Client::try_new(at) else { return known };
    let body = format!(r#"{{"resource":"{resource}","ttl":600}}"#);
    loop {
        let Some(claim) = client.try_request("POST", "/v1/claims/", &body) else { return known };
        if claim.status != 201 {
            // A claim of an earlier life, whose answer never came, holds the lock.
            assert_eq!(claim.status, 202, "{claim:?}");
            if !clear(&mut client, resource) {
                return known;
            }
            continue;
        }
        let (path, token) = (claim.path(), token(&claim));
        let held = Known { token, ..Known::default() };
        known.insert(path.clone(), Known { has_asked_release: true, ..held });
        let release = r#"{"status":"released"}"#;
        let Some(released) = client.try_request("PATCH", &path, release) else { return known };
        assert_eq!(released.status, 204, "{released:?}");
        known.entry(path).or_default().is_released = true;
        count.fetch_add(1, Ordering::Relaxed);
    }
}

/// Revokes every claim of a resource that is not over.
fn clear(client: &mut Client, resource: &str) -> bool {
    for status in ["active", "waiting"] {
        let path = format!("/v1/claims/?resource={resource}&status={status}&limit=100");
        let Some(list) = client.try_request("GET", &path, "") else { return false };
        for claim in list.json().as_array().expect("an array") {
            let url = claim["url"].as_str().expect("a URL");
            let path = &url[url.find("/v1/").expect("a path")..];
            let revoke = r#"{"status":"revoked"}"#;
            if client.try_request("PATCH", path, revoke).is_none() {
                return false;
            }
        }
    }
    true
}

fn token(claim: &Answer) -> u64 {
    claim.field("fencing_token").as_u64().expect("a token")
}

#[test]
fn a_server_killed_in_mid_load_loses_nothing_that_it_answered() {
    let dir = dir("killed");
    let data = dir.to_str().expect("a readable path");
    let kills = seeds::number("TURNSTILE_KILLS").unwrap_or(KILLS);
    let mut newest = 0;
    let mut answered = 0;
    for life in 0..kills {
        let mut server = Turnstiled::start(&["--data", data]);
        let count = AtomicU64::new(0);
        let at = server.at;
        let known: BTreeMap<String, Known> = std::thread::scope(|scope| {
            let loads: Vec<_> = (0..CLIENTS)
                .map(|number| {
                    let count = &count;
                    scope.spawn(move || load(at, &format!("r{number}"), count))
                })
                .collect();
            until("the server is busy", || count.load(Ordering::Relaxed) > 20 + life % 17);
            server.kill();
            loads.into_iter().flat_map(|load| load.join().expect("a client ends well")).collect()
        });
        answered += known.len();
        let server = Turnstiled::start(&["--data", data]);
        check_life(&mut Client::new(server.at), &known, &mut newest);
    }
    println!("{kills} kills, {answered} claims answered, newest token {newest}");
}

/// Everything that was answered is so, nobody holds twice, and no token goes back.
fn check_life(client: &mut Client, known: &BTreeMap<String, Known>, newest: &mut u64) {
    let before = *newest;
    for (path, known) in known {
        let claim = client.get(path).expect(200);
        assert!(known.token > before, "{known:?} of {path} after {before}");
        *newest = (*newest).max(known.token);
        assert_eq!(token(&claim), known.token, "{path}");
        let status = claim.field("status");
        if known.is_released {
            assert_eq!(status, "released", "{path}: {known:?}");
        } else {
            assert!(known.has_asked_release && (status == "active" || status == "released"));
        }
    }
    let active = client.get("/v1/claims/?status=active&limit=1000").json();
    let mut holders: BTreeMap<String, Value> = BTreeMap::new();
    for claim in active.as_array().expect("an array") {
        let resource = claim["resource"].as_str().expect("a name").to_owned();
        let first = holders.insert(resource, claim["url"].clone());
        assert_eq!(first, None, "two hold the lock of {claim}");
    }
    let next = client.post(r#"{"resource":"next","ttl":600}"#).expect(201);
    assert!(token(&next) > *newest, "no token goes back");
    *newest = token(&next);
    client.set(&next.path(), "released").expect(204);
}

#[test]
fn ten_thousand_idle_connections_keep_nobody_out() {
    let limit = getrlimit(Resource::Nofile);
    let room = limit.maximum.map_or(20_000, |maximum| maximum.saturating_sub(500));
    let count = room.min(10_000) as usize;
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit })
        .expect("up to the hard");
    let server = Turnstiled::start(&["--in-memory", "--patience", "600"]);
    let connect = |_| TcpStream::connect(server.at).expect("the server takes it in");
    // Nobody is told to come back later, which the system would do after a whole second.
    let started = Instant::now();
    let idle: Vec<TcpStream> = (0..count).map(connect).collect();
    assert!(started.elapsed() < PATIENCE, "they were taken in within {:?}", started.elapsed());
    let mut client = Client::new(server.at);
    for _ in 0..100 {
        let claim = client.post(r#"{"resource":"r","ttl":60}"#).expect(201);
        client.set(&claim.path(), "released").expect(204);
    }
    let open = format!("turnstile_connections {}\n", idle.len() + 1);
    until("all are taken in", || client.get("/metrics").expect(200).text.contains(&open));
    println!("{} idle connections", idle.len());
}

#[test]
fn one_connection_too_many_is_told_so() {
    let server = Turnstiled::start(&["--in-memory", "--connections-max", "1"]);
    let mut first = Client::new(server.at);
    first.get("/healthz").expect(200);
    Client::new(server.at).hear().expect(503);
    first.get("/healthz").expect(200);
}

#[track_caller]
fn check_refused(arguments: &[&str], because: &str) {
    let refused = Command::new(env!("CARGO_BIN_EXE_turnstiled")).args(arguments).output();
    let refused = refused.expect("the server starts");
    assert_eq!(refused.status.code(), Some(2), "{arguments:?}: {refused:?}");
    let text = String::from_utf8_lossy(&refused.stderr);
    assert!(text.contains(because), "{arguments:?}: {text}");
}

#[test]
fn a_server_beyond_loopback_wants_tls_and_tokens() {
    let because = "TLS and bearer tokens are required there (--tls-cert, --tls-key, --tokens)";
    let tokens = tokens_file("open.tokens", "secret\n");
    let tokens = ["--tokens", tokens.to_str().expect("a readable path")];
    let (chain, key) = (fixture("localhost.cert.pem"), fixture("localhost.key.pem"));
    let (chain, key) = (chain.to_str().expect("readable"), key.to_str().expect("readable"));
    let tls = ["--tls-cert", chain, "--tls-key", key];
    let open = ["--in-memory", "--listen", "0.0.0.0:0"];
    for guard in [&[][..], &tokens, &tls] {
        check_refused(&[&open[..], guard].concat(), because);
    }
}

#[test]
fn what_keeps_a_server_from_starting_is_named() {
    let server = Turnstiled::start(&["--in-memory"]);
    let at = server.at.to_string();
    let memory = |arguments: &[&str], because| {
        check_refused(
            &[&["--in-memory", "--listen", "127.0.0.1:0"][..], arguments].concat(),
            because,
        );
    };
    check_refused(
        &["--in-memory", "--listen", &at],
        &format!("--listen {at}: Address already in use"),
    );
    check_refused(&["--data", "/dev/null/data"], "--data /dev/null/data: Not a directory");
    memory(&["--tokens", "/no/tokens"], "/no/tokens: No such file");
    memory(&["--tls-cert", "/no/chain", "--tls-key", "/no/key"], "/no/chain: No such file");
    let new = dir("refused");
    let data = new.to_str().expect("a readable path");
    check_refused(&["--data", data, "--trace", "/no/trace"], "--trace /no/trace: No such file");
    assert!(!new.exists(), "no store is created before the other files are opened");
    memory(&["--patience=-1"], "--patience");
    memory(&["--ttl-max", "1e12"], "--ttl-max");
    memory(&["--ttl-min", "2", "--ttl-max", "1"], "--ttl-min must not exceed --ttl-max");
    check_refused(&[], "--data");
}

#[test]
fn sigterm_ends_the_server_in_good_order() {
    let dir = dir("term");
    let data = dir.to_str().expect("a readable path");
    let mut server = Turnstiled::start(&["--data", data]);
    let held = Client::new(server.at).post(r#"{"resource":"r","ttl":600}"#).expect(201);
    let id = Pid::from_child(&server.child);
    kill_process(id, Signal::TERM).expect("it runs");
    let status = server.child.wait().expect("it is our child");
    assert!(status.success(), "{status}");
    let server = Turnstiled::start(&["--data", data]);
    let claim = Client::new(server.at).get(&held.path()).expect(200);
    assert_eq!((claim.field("status"), token(&claim)), ("active".into(), token(&held)));
}

//! What is beyond the server's control: a store that refuses, a disk that is full, and no more
//! files.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::json;
use turnstile_claim::server::{Options, Storage};
use turnstile_host::store::{Batch, Faults, LOG_MAX, LogStore, Medium, Store, Visitor};

use crate::http::{Client, Running, until};
use crate::real::Turnstiled;

const HELD: &str = r#"{"resource":"r","ttl":600}"#;

/// A store that refuses for as long as it is told to.
#[derive(Clone, Debug, Default)]
struct Refusing {
    written: Arc<Mutex<Vec<Batch>>>,
    synced: Arc<AtomicUsize>,
    refuses: Arc<AtomicBool>,
}

impl Store for Refusing {
    fn read(&mut self, _each: Visitor<'_>) -> io::Result<()> {
        Ok(())
    }

    fn write(&mut self, batch: &Batch) {
        self.written.lock().expect("no holder panics").push(batch.clone());
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.refuses.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let written = self.written.lock().expect("no holder panics").len();
        self.synced.store(written, Ordering::Relaxed);
        Ok(())
    }
}

#[test]
fn while_the_store_refuses_nothing_is_granted_and_nobody_waits() {
    let store = Refusing::default();
    let server = Running::start(Storage::Blocking(Box::new(store.clone())), Options::default());
    let mut holder = server.client();
    let held = holder.post(HELD).expect(201);
    let mut waiter = server.client().with("prefer", "wait=300");
    waiter.send("POST", "/v1/claims/", HELD);
    until("the waiter queues", || {
        holder.get("/v1/claims/?status=waiting").json().as_array().map(Vec::len) == Some(1)
    });
    holder.get("/healthz").expect(200);
    let synced = store.synced.load(Ordering::Relaxed);
    store.refuses.store(true, Ordering::Relaxed);
    holder.set(&held.path(), "released").expect(503);
    waiter.hear().expect(503);
    holder.get(&held.path()).expect(503);
    holder.get("/v1/claims/").expect(503);
    holder.get("/status/").expect(503);
    holder.post(r#"{"resource":"s","ttl":600}"#).expect(503);
    holder.get("/healthz").expect(503);
    server.stop();
    assert_eq!(store.synced.load(Ordering::Relaxed), synced);
}

#[test]
fn a_store_that_takes_everything_again_is_in_service_and_has_no_gap() {
    let store = Refusing::default();
    let server = Running::start(Storage::Blocking(Box::new(store.clone())), Options::default());
    let mut client = server.client();
    let held = client.post(HELD).expect(201);
    for turn in 0..3 {
        store.refuses.store(true, Ordering::Relaxed);
        let other = format!(r#"{{"resource":"refused{turn}","ttl":600}}"#);
        client.post(&other).expect(503);
        client.get("/healthz").expect(503);
        let written = store.written.lock().expect("no holder panics").len();
        store.refuses.store(false, Ordering::Relaxed);
        until("it is in service", || client.get("/healthz").status == 200);
        assert!(store.synced.load(Ordering::Relaxed) >= written, "no gap");
        // Who was refused cannot know: the claim is there, and durable.
        let list = client.get(&format!("/v1/claims/?resource=refused{turn}")).expect(200);
        assert_eq!(list.json()[0]["status"], "active");
    }
    client.get(&held.path()).expect(200);
    let mut waiter = server.client().with("prefer", "wait=300");
    waiter.send("POST", "/v1/claims/", HELD);
    until("requests can wait again", || {
        client.get("/metrics").expect(200).text.contains("turnstile_calls_open 1\n")
    });
    client.set(&held.path(), "released").expect(204);
    waiter.hear().expect(201);
}

/// A server on a directory of its own, which a shell limits first.
fn limited(limits: &str, data: &Path) -> (Child, SocketAddr) {
    if data.exists() {
        std::fs::remove_dir_all(data).expect("the directory is ours");
    }
    let mut server = Command::new("sh")
        .args(["-c", &format!("{limits}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_turnstiled")])
        .args(["--listen", "127.0.0.1:0", "--data"])
        .arg(data)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let mut out = io::BufReader::new(server.stdout.take().expect("it is piped"));
    io::BufRead::read_line(&mut out, &mut line).expect("it says where it listens");
    let at = line.trim().rsplit('/').next().and_then(|at| at.parse().ok());
    (server, at.expect("an address"))
}

#[test]
fn connections_do_not_take_the_descriptors_of_the_log() {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("descriptors");
    let (mut server, at) = limited("ulimit -n 64", &data);
    let mut client = Client::new(at);
    client.get("/healthz").expect(200);
    let _idle: Vec<TcpStream> = (0..80).filter_map(|_| TcpStream::connect(at).ok()).collect();
    let text = "x".repeat(15_000);
    let mut posted = 0;
    while !data.join("2.log").exists() {
        let body = json!({ "resource": "r", "ttl": 600, "user_data": text });
        let claim = client.post(&body.to_string()).expect(201);
        client.set(&claim.path(), "released").expect(204);
        posted += 1;
        assert!(posted < 6_000, "a log of 64 MiB is closed by then");
    }
    client.get("/healthz").expect(200);
    server.kill().and_then(|()| server.wait()).expect("it is our child");
}

#[test]
fn a_full_disk_costs_nothing_that_was_answered() {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("full");
    // No file may grow beyond 1.5 MB, which is how a full disk looks from within.
    let (mut full, at) = limited("trap '' XFSZ; ulimit -f 3072", &data);
    let mut client = Client::new(at);
    let mut granted = Vec::new();
    let refused = loop {
        let resource = format!("r{}", granted.len());
        let body = json!({ "resource": resource, "ttl": 600, "user_data": "x".repeat(15_000) });
        let answer = client.post(&body.to_string());
        if answer.status != 201 {
            break answer;
        }
        granted.push((answer.path(), answer.field("fencing_token")));
    };
    assert_eq!(refused.status, 503, "{refused:?}");
    assert!(granted.len() > 10, "{}", granted.len());
    client.get("/healthz").expect(503);
    full.kill().and_then(|()| full.wait()).expect("it is our child");

    let server = Turnstiled::start(&["--data", data.to_str().expect("a readable path")]);
    let mut client = Client::new(server.at);
    for (path, token) in &granted {
        let claim = client.get(path).expect(200);
        assert_eq!((claim.field("status"), claim.field("fencing_token")), {
            ("active".into(), token.clone())
        });
        assert_eq!(claim.field("user_data").as_str().map(str::len), Some(15_000));
    }
    let next = client.post(HELD).expect(201).field("fencing_token").as_u64();
    assert!(next > granted.last().and_then(|(_, token)| token.as_u64()));
}

/// A disk that is full before the server starts, as after a reboot: what is on it is shown.
#[test]
fn a_server_starts_on_a_full_disk_shows_its_claims_and_recovers() {
    for is_killed in [false, true] {
        let medium = Medium::new(7);
        let start = || {
            let (directory, place) = (Arc::new(medium.clone()), Path::new("simulated"));
            let store = LogStore::open_on(directory, place, LOG_MAX).expect("it can be read");
            Running::start(Storage::Blocking(Box::new(store)), Options::default())
        };
        let server = start();
        let held = server.client().post(HELD).expect(201);
        let lapsing = server.client().post(r#"{"resource":"s","ttl":0.05}"#).expect(201);
        let waits = server.client().post(HELD).expect(202);
        if is_killed {
            medium.kill();
        }
        server.stop();
        medium.revive();
        medium.set_faults(Faults { is_full: true, ..Faults::default() });

        let server = start();
        let mut client = server.client();
        for _ in 0..3 {
            for (claim, status) in [(&held, "active"), (&lapsing, "active"), (&waits, "waiting")] {
                assert_eq!(client.get(&claim.path()).expect(200).field("status"), status);
            }
            let list = client.get("/v1/claims/?status=active").expect(200).json();
            assert_eq!(list.as_array().map(Vec::len), Some(2));
            assert!(client.get("/status/").expect(200).text.contains("<td>r</td>"));
            client.set(&held.path(), "released").expect(503);
            client.patch(&held.path(), r#"{"ttl":600}"#).expect(503);
            let refused = client.post(r#"{"resource":"t","ttl":600}"#).expect(503);
            assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
            client.get("/healthz").expect(503);
            client.get("/readyz").expect(503);
            client.get("/metrics").expect(200);
        }
        medium.set_faults(Faults::default());
        until("it is in service", || client.get("/healthz").status == 200);
        client.patch(&held.path(), r#"{"ttl":600}"#).expect(200);
        client.post(r#"{"resource":"t","ttl":600}"#).expect(201);
        client.set(&held.path(), "released").expect(204);
        client.set(&waits.path(), "active").expect(200);
        server.stop();
        let server = start();
        assert_eq!(server.client().get(&held.path()).field("status"), "released");
    }
}

#[test]
fn a_server_whose_directory_is_removed_grants_nothing_more() {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("claim-data-removed");
    let server = Turnstiled::start(&["--data", data.to_str().expect("a readable path")]);
    let mut client = Client::new(server.at);
    client.post(HELD).expect(201);
    std::fs::remove_dir_all(&data).expect("the directory is ours");
    client.post(r#"{"resource":"s","ttl":600}"#).expect(503);
    client.get("/healthz").expect(503);
}

//! A holder hears at once that its claim is over: what the server tells, and what clients do then.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::time::timeout;
use turnstile_claim::client::{ErrorKind, LockClient};
use turnstile_claim::server::{Options, Storage};
use turnstile_host::store::{Disk, LogStore};

use super::Running;
use super::command::{CLAIM, claim, statuses};
use crate::http::{Client, PATIENCE, Running as Single, until};

const BODY: &str = r#"{"resource":"r","ttl":3600}"#;

/// A client that has asked to be told when a claim is over.
fn watcher(server: &Running, path: &str, wait: &str) -> Client {
    let mut watcher = server.client().with("prefer", &format!("wait={wait}"));
    watcher.send("GET", path, "");
    watcher
}

#[track_caller]
fn hear(watcher: &mut Client, status: &str) {
    let answer = watcher.hear().expect(200);
    assert_eq!(answer.field("status"), status);
    assert_eq!(answer.headers["preference-applied"], "wait");
}

#[test]
fn who_watches_a_claim_hears_that_it_is_revoked() {
    let disk = Disk::default().open();
    let server = Running::start(Storage::Blocking(Box::new(disk)), Options::default());
    let mut client = server.client();
    let held = client.post(BODY).expect(201).path();
    let mut watchers = [watcher(&server, &held, "300"), watcher(&server, &held, "300")];
    until("both wait", || client.get("/metrics").text.contains("calls_open 2"));
    client.set(&held, "revoked").expect(204);
    watchers.iter_mut().for_each(|watcher| hear(watcher, "revoked"));
    // What is over already is told at once.
    hear(&mut watcher(&server, &held, "300"), "revoked");
    assert!(client.get("/metrics").text.contains("calls_open 0"));
}

#[test]
fn who_watches_a_claim_hears_that_it_has_expired() {
    let server = Running::in_memory();
    let mut client = server.client();
    let held = client.post(r#"{"resource":"r","ttl":0.01}"#).expect(201).path();
    let mut watcher = watcher(&server, &held, "300");
    until("its ttl is over", || client.get(&held).number("ttl") < 0.0);
    client.post(BODY).expect(201);
    hear(&mut watcher, "expired");
}

#[test]
fn a_watch_ends_in_time_and_when_the_server_stops() {
    let server = Running::in_memory();
    let mut client = server.client();
    let held = client.post(BODY).expect(201).path();
    hear(&mut watcher(&server, &held, "0.01"), "active");
    let mut last = watcher(&server, &held, "300");
    until("it waits", || client.get("/metrics").text.contains("calls_open 1"));
    server.stop();
    hear(&mut last, "active");
}

#[test]
fn a_watcher_that_disconnects_is_removed() {
    let server = Running::in_memory();
    let mut client = server.client();
    let held = client.post(BODY).expect(201).path();
    let gone = watcher(&server, &held, "300");
    let mut stays = watcher(&server, &held, "300");
    until("both wait", || client.get("/metrics").text.contains("calls_open 2"));
    drop(gone);
    until("one is gone", || client.get("/metrics").text.contains("calls_open 1"));
    assert_eq!(client.get(&held).field("status"), "active");
    client.set(&held, "revoked").expect(204);
    hear(&mut stays, "revoked");
}

#[test]
fn only_what_holds_the_lock_is_watched() {
    let server = Running::in_memory();
    let mut client = server.client();
    client.post(BODY).expect(201);
    let queued = client.post(BODY).expect(202).path();
    hear(&mut watcher(&server, &queued, "300"), "waiting");
    watcher(&server, "/v1/claims/77/", "300").hear().expect(404);
    watcher(&server, &queued, "soon").hear().expect(400);
}

fn lock_client(server: &Running) -> LockClient {
    LockClient::connect(&format!("http://{}", server.at)).expect("a good address")
}

fn revoke(server: &Running, url: &str) {
    let path = &url[url.find("/v1/").expect("a path")..];
    server.client().set(path, "revoked").expect(204);
}

/// The ttl is an hour: no renewal tells it.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_holder_hears_at_once_that_its_claim_is_revoked() {
    let server = Running::in_memory();
    let lock_client = lock_client(&server);
    let claim = lock_client.claim("r").ttl(Duration::from_secs(3_600)).await.expect("it is free");
    revoke(&server, &claim.url());
    timeout(PATIENCE, claim.lost()).await.expect("it is told");
    assert!(!claim.is_held());
    let error = claim.release().await.expect_err("it was taken away");
    assert_eq!(error.cause, ErrorKind::Lost("the claim was revoked".into()));
}

/// The server limits long polls to 1 ms, so that the client polls repeatedly.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_watch_that_ends_is_taken_up_again() {
    let options = Options { wait_max: Duration::from_millis(1), ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let lock_client = lock_client(&server);
    let claim = lock_client.claim("r").ttl(Duration::from_secs(3_600)).await.expect("it is free");
    let mut client = server.client();
    let answers = |client: &mut Client| {
        let text = client.get("/metrics").text;
        let line = text.lines().find(|line| line.contains("answers_total{class=\"2xx\"}"));
        line.and_then(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).unwrap_or(0)
    };
    let before = answers(&mut client);
    until("it has asked three times", || answers(&mut client) >= before + 3);
    revoke(&server, &claim.url());
    timeout(PATIENCE, claim.lost()).await.expect("it is told");
}

#[test]
fn a_command_ends_when_its_claim_is_revoked() {
    let server = Running::in_memory();
    let mut run = claim(&server, &["run", "r", "--ttl", "3600", "--", "sleep", "3600"]);
    let run = run.stderr(Stdio::piped()).spawn().expect("the program starts");
    until("it holds the lock", || statuses(&server, "r") == ["active"]);
    server.client().set("/v1/claims/1/", "revoked").expect(204);
    let ended = run.wait_with_output().expect("it ends");
    assert_eq!(ended.status.code(), Some(76));
    let text = String::from_utf8_lossy(&ended.stderr);
    let expected = "/v1/claims/1/: the lock is lost: the claim was revoked; terminating";
    assert!(text.contains("resource \"r\"") && text.contains(expected), "{text}");
}

/// If the command exits before the notification, the refused release reports the loss.
#[test]
fn a_command_that_ends_first_is_told_by_its_release() {
    let server = Running::in_memory();
    let script = format!("{CLAIM} revoke $CLAIM_URL");
    let run = claim(&server, &["run", "r", "--ttl", "3600", "--", "sh", "-c", &script]).output();
    let run = run.expect("the program starts");
    assert_eq!(run.status.code(), Some(76), "{run:?}");
    assert!(String::from_utf8_lossy(&run.stderr).contains("is lost: the claim was"), "{run:?}");
    assert_eq!(statuses(&server, "r"), ["revoked"]);
}

#[test]
fn a_lapsed_claim_expires_without_a_contender() {
    let options = Options { lapse_max: Duration::from_millis(20), ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let mut client = server.client();
    let held = client.post(r#"{"resource":"r","ttl":0.01}"#).expect(201).path();
    until("it is over", || client.get(&held).field("status") == "expired");
    client.patch(&held, r#"{"ttl":60}"#).expect(400);
    client.post(BODY).expect(201);
}

#[test]
fn what_has_lapsed_is_revived_until_then() {
    let server = Running::in_memory();
    let mut client = server.client();
    let held = client.post(r#"{"resource":"r","ttl":0.01}"#).expect(201).path();
    until("its ttl is over", || client.get(&held).number("ttl") < 0.0);
    client.patch(&held, r#"{"ttl":60}"#).expect(200);
    assert!(client.get(&held).number("ttl") > 50.0);
}

/// A claim ends soon after its client has said that it waits no longer than that, also where the
/// server has restarted, and where the connection of its request broke.
#[test]
fn who_says_how_long_it_waits_is_over_then() {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(module_path!());
    if dir.exists() {
        std::fs::remove_dir_all(&dir).expect("the directory is ours");
    }
    let start = |leave_max| {
        let store = LogStore::open(&dir).expect("the directory opens");
        let options = Options { leave_max, ..Options::default() };
        Single::start(Storage::Blocking(Box::new(store)), options)
    };
    let server = start(Duration::from_secs(3_600));
    let mut client = server.client();
    client.post(BODY).expect(201);
    let mut hasty = server.client().with("claim-timeout", "0.01");
    let first = hasty.post(BODY).expect(202).path();
    let listens = hasty.post(BODY).expect(202).path();
    let patient = client.post(BODY).expect(202).path();
    let mut hasty = hasty.with("prefer", "wait=300");
    hasty.send("PATCH", &listens, r#"{"status":"active"}"#);
    until("it waits", || client.get("/metrics").text.contains("calls_open 1"));
    drop(hasty);
    until("it is gone", || client.get("/metrics").text.contains("calls_open 0"));
    assert_eq!(client.get(&first).field("status"), "waiting");
    server.stop();

    let server = start(Duration::ZERO);
    let mut client = server.client();
    for path in [&first, &listens] {
        until("it is over", || client.get(path).field("status") == "expired");
    }
    assert_eq!(client.get(&patient).field("status"), "waiting");
    let mut odd = server.client().with("claim-timeout", "soon");
    let reasons: Value = odd.post(BODY).expect(400).json();
    assert_eq!(reasons["claim-timeout"], "\"soon\" is not a number of seconds");
}

/// What the client library and `claim run` say to the server.
#[test]
fn a_client_with_a_timeout_says_so() {
    let options = Options { leave_max: Duration::ZERO, ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    server.client().post(BODY).expect(201);
    let mut run = claim(&server, &["run", "r", "--timeout", "1", "--", "true"]);
    let mut run = run.spawn().expect("the program starts");
    until("it waits", || statuses(&server, "r") == ["active", "waiting"]);
    run.kill().expect("it is ours");
    run.wait().expect("it is ours");
    until("it is over", || statuses(&server, "r") == ["active", "expired"]);
}

//! `turnstiled snapshot`: claims that go on elsewhere.

use std::fs;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::json;
use turnstile_claim::server::{Options, Snapshot, Storage};
use turnstile_host::store::Disk;

use super::members::{Members, QUICK};
use super::program::{Site, body, check_refused};
use crate::http::{Answer, Client, Running, until};
use crate::real::Turnstiled;
use crate::tokens::{NAMED, tokens};

const SNAPSHOT: &str = "/v1/cluster/snapshot/";

/// Runs `turnstiled snapshot` with a token.
fn snapshot(token: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_turnstiled"));
    command.arg("snapshot").args(arguments).env_remove("TURNSTILE_TOKEN");
    command.env_remove("TURNSTILE_URL").envs(token.map(|token| ("TURNSTILE_TOKEN", token)));
    command.output().expect("the program starts")
}

#[track_caller]
fn check(token: Option<&str>, arguments: &[&str], status: i32, says: &str) {
    let output = snapshot(token, arguments);
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {text}");
    assert!(text.contains(says), "{says}: {text}");
}

fn token(claim: &Answer) -> u64 {
    claim.field("fencing_token").as_u64().expect("a token")
}

fn id(claim: &Answer) -> u64 {
    claim
        .path()
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .and_then(|id| id.parse().ok())
        .expect("one")
}

/// A claim is held with its token, and later ones have a greater token and a greater id than those
/// that were granted before.
#[track_caller]
fn check_held(client: &mut Client, held: &Answer, last: &Answer) -> Answer {
    let claim = client.get(&held.path()).expect(200);
    assert_eq!((claim.field("status"), token(&claim)), ("active".into(), token(held)));
    client.patch(&held.path(), r#"{"ttl":700}"#).expect(200);
    let second = client.post(&body("r")).expect(202);
    client.set(&second.path(), "withdrawn").expect(204);
    let next = client.post(&body(&format!("after {}", last.path()))).expect(201);
    assert!(token(&next) > token(last) && id(&next) > id(last), "{next:?} after {last:?}");
    next
}

/// The procedures of CLUSTER.md, there and back.
#[test]
fn a_single_server_becomes_a_cluster_and_a_single_server_again() {
    let mut site = Site::new("converted");
    let (single, file) = (site.path("single"), site.path("claims"));
    let server = Turnstiled::start(&["--data", &single]);
    let mut client = Client::new(server.at);
    let held = client.post(&body("r")).expect(201);
    let waiting = client.post(&body("r")).expect(202);
    let over = client.post(&body("s")).expect(201);
    client.set(&over.path(), "released").expect(204);
    check(None, &["save", &file, "--data", &single], 2, "in use");
    assert!(!Path::new(&file).exists(), "nothing is left of what failed");
    drop(server);
    check(None, &["save", &file, "--data", &single], 0, "");
    check(None, &["save", &file, "--data", &single], 2, "is there already, and is not overwritten");
    // What the state is too old for.
    let server = Turnstiled::start(&["--data", &single]);
    let last = Client::new(server.at).post(&body("t")).expect(201);
    drop(server);

    let (one, peer) = (site.path("1"), format!("1={}", site.address(1)));
    let restore = ["restore", &file, "--data", &one, "--cluster", "test", "--id", "1", "--peer"];
    check(None, &[&restore[..], &[&peer]].concat(), 0, "");
    check(None, &[&restore[..], &[&peer]].concat(), 2, "is not empty");
    check(None, &["restore", &file, "--data", &one], 2, "is not empty");
    site.start(1, &[]);
    site.ready();
    let next = check_held(&mut site.client(1), &held, &last);
    let ids = |answers: &[&Answer]| -> Vec<String> {
        answers.iter().map(|answer| answer.headers["claim-server-id"].clone()).collect()
    };
    assert_eq!(ids(&[&held]), ids(&[&last]), "a restart is no other server");
    assert_ne!(ids(&[&held]), ids(&[&next]), "what was restored is another one");
    site.start(2, &["--join"]);
    let (two, url) = (format!("2={}", site.address(2)), site.url(1));
    let mut add = Command::new(env!("CARGO_BIN_EXE_turnstiled"));
    let added = add.args(["member", "add", &two, "--url", &url]).output().expect("it starts");
    assert!(added.status.success(), "{added:?}");
    site.ready();
    let mut client = site.client(2);
    assert_eq!(client.get(&over.path()).expect(200).field("status"), "released");
    let former = ids(&[&next]);
    let next = check_held(&mut client, &held, &next);
    assert_eq!(former, ids(&[&next]), "a cluster has one id");
    assert_eq!(client.get(&waiting.path()).expect(200).field("status"), "waiting");

    let (file, back, url) = (site.path("claims-2"), site.path("back"), site.url(2));
    check(None, &["save", &file, "--url", &url], 0, "");
    let last = client.post(&body("u")).expect(201);
    assert!(token(&last) > token(&next), "{last:?}");
    site.members.clear();
    check(None, &["save", &site.path("none"), "--data", &one], 2, "--url asks a running one");
    check(None, &["restore", &file, "--data", &back], 0, "");
    let server = Turnstiled::start(&["--data", &back]);
    let mut client = Client::new(server.at);
    let back = check_held(&mut client, &held, &last);
    assert!(ids(&[&back]) != ids(&[&held]) && ids(&[&back]) != ids(&[&next]));
    client.set(&held.path(), "released").expect(204);
    client.set(&waiting.path(), "active").expect(200);
    assert!(token(&client.get(&waiting.path()).expect(200)) > token(&last), "after {last:?}");
}

#[test]
fn a_file_that_is_changed_anywhere_is_refused() {
    let disk = Disk::default();
    let server = Running::start(Storage::Blocking(Box::new(disk.open())), Options::default());
    server.client().post(&body("r")).expect(201);
    server.stop();
    let bytes = Snapshot::of_store(&mut disk.open()).expect("it is whole").encode();
    let whole = Snapshot::decode(&bytes).expect("it is whole");
    assert!(whole.encode() == bytes, "what is read is what was written");
    for at in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[at] ^= 1;
        assert!(Snapshot::decode(&changed).is_err(), "changed at {at}");
        assert!(Snapshot::decode(&bytes[..at]).is_err(), "cut at {at}");
    }
    let (mut other, version) = (bytes.clone(), "turnstile claims\n".len());
    other[version] = 2;
    let error = Snapshot::decode(&other).expect_err("it is of another version").to_string();
    let words = "the snapshot of claims has version 2, and this program reads version 1: use the";
    assert!(error.starts_with(words), "{error}");
    let site = Site::new("damaged");
    let (file, data) = (site.path("claims"), site.path("1"));
    fs::create_dir_all(site.path("")).expect("the directory is ours");
    let mut changed = bytes.clone();
    *changed.last_mut().expect("it has bytes") ^= 1;
    fs::write(&file, changed).expect("the directory is ours");
    let member = ["--cluster", "test", "--id", "1", "--peer", "1=127.0.0.1:7011"];
    for member in [&member[..], &[]] {
        let restore = [&["restore", &file, "--data", &data], member].concat();
        check(None, &restore, 2, "the snapshot of claims is damaged");
        assert!(!Path::new(&data).exists(), "nothing is written");
    }
    let locks = turnstile_raft::Backup::of_state("locks").encode();
    fs::write(&file, locks).expect("the directory is ours");
    check(None, &["restore", &file, "--data", &data], 2, "such as `raftlock`, and cannot be used");
    fs::write(&file, "claims").expect("the directory is ours");
    check(None, &["restore", &file, "--data", &data], 2, "is no snapshot of claims");
}

#[test]
fn a_member_sends_one_snapshot_at_a_time() {
    let members = Members::start(Storage::Memory, Options::default());
    let mut client = members.client();
    // More than the sockets of both ends hold.
    for number in 0..800 {
        let claim = json!({
            "resource": number.to_string(), "ttl": 600, "user_data": "x".repeat(15_000),
        });
        client.post(&claim.to_string()).expect(201);
    }
    let mut slow = members.client();
    slow.send("GET", SNAPSHOT, "");
    let mut begun = [0; 12];
    slow.stream().read_exact(&mut begun).expect("it is sent");
    assert_eq!(&begun, b"HTTP/1.1 200");
    let refused = client.get(SNAPSHOT).expect(429);
    assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
    let text = "This member sends a snapshot to another client: try again";
    assert_eq!(refused.field("message"), text);
    // Requests go on meanwhile.
    client.post(&body("r")).expect(201);
    drop(slow);
    until("the next one is sent", || {
        let url = format!("http://{}", client.at());
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("one-at-a-time");
        let _none_yet = fs::remove_file(&file);
        let saved = snapshot(None, &["save", file.to_str().expect("readable"), "--url", &url]);
        saved.status.success()
    });
}

#[test]
fn an_operator_saves_the_state_of_a_cluster_and_another_one_begins_with_it() {
    let named = tokens("snapshots", NAMED);
    let members =
        Members::with(QUICK, &|_| Options { tokens: named.clone(), ..Options::default() });
    let lost = members.leader();
    let held = members.client_of(lost).with_token("ci-1").post(&body("r")).expect(201);
    // The term of the new cluster is not that of this one.
    for _ in 0..2 {
        let leader = members.leader();
        members.hub.isolate(leader);
        members.leader_among(&members.others(leader));
        members.hub.heal();
    }
    let leader = members.leader();
    let [near, far] = members.others(leader)[..] else { panic!("there are two others") };
    members.client_of(near).get(SNAPSHOT).expect(401);
    let refused = members.client_of(near).with_token("ci-1").get(SNAPSHOT).expect(403);
    assert_eq!(refused.field("message"), "Only an operator may read the snapshot");
    let mut operator = members.client_of(near).with_token("root-1");
    let refused = operator.request("POST", SNAPSHOT, "{}").expect(405);
    assert_eq!(refused.headers["allow"], "GET,HEAD");
    operator.get("/v1/cluster/snapshot").expect(301);
    Running::in_memory().client().get(SNAPSHOT).expect(404);
    let mut site = Site::new("saved");
    fs::create_dir_all(site.path("")).expect("the directory is ours");
    let (file, url) = (site.path("claims"), format!("http://{}", operator.at()));
    check(Some("ci-1"), &["save", &file, "--url", &url], 69, "403 Only an operator may");
    assert!(!Path::new(&file).exists(), "nothing is left of what failed");
    check(Some("root-1"), &["save", &file, "--url", &url], 0, "");
    members.hub.isolate(far);
    let answer = members.client_of(far).with_token("root-1").get(SNAPSHOT).expect(503);
    assert_eq!(answer.headers["retry-after"], "1");

    let (one, peer) = (site.path("1"), format!("1={}", site.address(1)));
    let restore = ["restore", &file, "--data", &one, "--cluster", "test", "--id", "1", "--peer"];
    check_refused(&[&["snapshot"], &restore[..], &["2=h:1"]].concat(), "which is the first one");
    check(None, &[&restore[..], &[&peer]].concat(), 0, "");
    site.start(1, &[]);
    until("it is ready", || site.client(1).get("/readyz").status == 200);
    let claim = site.client(1).get(&held.path()).expect(200);
    assert_eq!((claim.field("status"), token(&claim)), ("active".into(), token(&held)));
}

/// What is to be done once a majority has lost acknowledged changes: the member that has them is
/// started alone.
#[test]
fn a_member_alone_saves_what_it_has_applied() {
    let mut site = Site::new("alone");
    (1..=3).for_each(|id| site.start(id, &["--new"]));
    site.ready();
    let held = site.client(1).post(&body("r")).expect(201);
    site.members.clear();
    site.start(1, &["--new"]);
    let (file, url) = (site.path("claims"), site.url(1));
    check(None, &["save", &file, "--url", &url], 69, "503");
    check(None, &["save", &file, "--url", &url, "--stale"], 0, "");
    let (new, peer) = (site.path("4"), format!("4={}", site.address(4)));
    let restore = ["restore", &file, "--data", &new, "--cluster", "test", "--id", "4", "--peer"];
    check(None, &[&restore[..], &[&peer]].concat(), 0, "");
    site.members.clear();
    site.start(4, &["--peer", &peer]);
    site.ready();
    let claim = site.client(4).get(&held.path()).expect(200);
    assert_eq!((claim.field("status"), token(&claim)), ("active".into(), token(&held)));
}

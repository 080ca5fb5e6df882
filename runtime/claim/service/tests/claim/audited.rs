//! The audit log where its file takes no lines, and where a name has what ends a line.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use turnstile_claim::server::{Audit, Options, Storage};
use turnstile_host::store::Disk;

use super::Running;
use crate::additions::metric;

/// A file that takes nothing until it is replaced.
struct FullFile {
    path: PathBuf,
    audit: Audit,
}

impl FullFile {
    fn new(name: &str, is_required: bool) -> Self {
        let path = empty(name);
        symlink("/dev/full", &path).expect("the directory is ours");
        let audit = Audit::open(&path).expect("it opens");
        Self { path, audit: if is_required { audit.required() } else { audit } }
    }

    fn options(&self) -> Options {
        Options { audit: Some(self.audit.clone()), ..Options::default() }
    }

    /// As after a rotation: another file is there.
    fn replace(&self) {
        fs::remove_file(&self.path).expect("it is ours");
        self.audit.reopen().expect("it opens");
    }
}

fn empty(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("audited");
    fs::create_dir_all(&dir).expect("the directory is ours");
    let path = dir.join(name);
    // It is not there at the first time.
    let _removed = fs::remove_file(&path);
    path
}

fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).expect("it is there");
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

fn changes(path: &Path) -> Vec<String> {
    let changes =
        lines(path).into_iter().filter_map(|line| line["change"].as_str().map(Into::into));
    changes.collect()
}

fn claim(resource: &str) -> String {
    json!({ "resource": resource, "ttl": 60 }).to_string()
}

/// A reader that takes one of these for the end of a line sees a line that was never written.
#[test]
fn no_name_ends_a_line_of_the_audit_log() {
    let path = empty("names");
    let audit = Some(Audit::open(&path).expect("it opens"));
    let server = Running::start(Storage::Memory, Options { audit, ..Options::default() });
    let ends = ["\u{2028}", "\u{2029}", "\u{85}", "\u{b}", "\u{c}", "\n", "\r", "\u{7f}", "\u{9b}"];
    for end in ends.into_iter().chain(["\u{1b}", "\u{1}", "\u{0}"]) {
        let name = format!("ü{end}{{\"claim\":7}}");
        let held = server.client().post(&claim(&name)).expect(201);
        assert_eq!(held.field("resource"), name, "the name itself is taken");
    }
    server.stop();
    let text = fs::read_to_string(&path).expect("it is there");
    let odd =
        |letter: char| letter != '\n' && letter.is_control() || "\u{2028}\u{2029}".contains(letter);
    assert_eq!(text.chars().find(|letter| odd(*letter)), None, "{text:?}");
    let names: Vec<Value> = lines(&path).iter().map(|line| line["resource"].clone()).collect();
    assert!(names.contains(&json!("ü\u{2028}{\"claim\":7}")), "{names:?}");
    assert!(text.contains("ü\\u2028"), "the rest of the name is readable: {text}");
}

#[test]
fn lines_that_are_lost_are_counted() {
    let full = FullFile::new("lost", false);
    let server = Running::start(Storage::Memory, full.options());
    let mut client = server.client();
    let before = metric(&mut client, "audit_lost_lines_total");
    assert_eq!(metric(&mut client, "audit_failing"), 1, "its start has no line");
    let held = client.post(&claim("r")).expect(201);
    client.set(&held.path(), "released").expect(204);
    assert!(metric(&mut client, "audit_lost_lines_total") >= before + 2);
    full.replace();
    client.post(&claim("r")).expect(201);
    assert_eq!(metric(&mut client, "audit_failing"), 0);
    let lost = metric(&mut client, "audit_lost_lines_total");
    let said = lines(&full.path).iter().find_map(|line| line["lost_lines"].as_u64());
    assert_eq!(said, Some(lost), "the log says how many");
}

#[test]
fn a_server_without_an_audit_log_counts_no_lines() {
    let server = Running::in_memory();
    let text = server.client().get("/metrics").expect(200).text;
    assert!(!text.contains("audit"), "{text}");
}

#[track_caller]
fn check_required(storage: Storage, name: &str) {
    let full = FullFile::new(name, true);
    let server = Running::start(storage, full.options());
    let mut client = server.client();
    for _ in 0..3 {
        let refused = client.post(&claim("r")).expect(503);
        assert!(refused.text.contains("audit"), "{refused:?}");
        assert!(refused.headers.contains_key("retry-after"), "{refused:?}");
    }
    client.patch("/v1/claims/1/", r#"{"status":"revoked"}"#).expect(503);
    client.request("POST", "/status/revoke/", "claim=1").expect(503);
    client.get("/healthz").expect(503);
    let unready = client.get("/readyz").expect(503);
    assert!(unready.text.contains("audit"), "{unready:?}");
    let list = client.get("/v1/claims/").expect(200).json();
    assert_eq!(list, json!([]), "nothing was granted without a line");

    full.replace();
    client.get("/readyz").expect(200);
    client.get("/healthz").expect(200);
    let held = client.post(&claim("r")).expect(201);
    client.set(&held.path(), "released").expect(204);
    assert_eq!(changes(&full.path), ["waiting", "active", "released"]);
    assert_eq!(metric(&mut client, "audit_lost_lines_total"), 0);
    let started = lines(&full.path).iter().any(|line| line["server"] == "start");
    assert!(started, "what could not be written was kept");
}

#[test]
fn a_server_that_requires_its_audit_log_changes_nothing_without_it() {
    check_required(Storage::Memory, "required");
    check_required(Storage::Blocking(Box::new(Disk::default().open())), "required-on-disk");
}

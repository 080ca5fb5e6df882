//! What `turnstiled` writes of its life: the log, the audit log, and what SIGHUP reloads.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use turnstile_claim::client::{Connector, LockClientBuilder};

use crate::client::fixture;
use crate::http::{Client, until};
use crate::real::Turnstiled;
use crate::tokens::{tokens_file, write_tokens};

const TOKENS: &str = "[[token]]\nname = \"ci\"\nsecret = \"ci-1\"\n\
    [[token]]\nname = \"deploy\"\nsecret = \"deploy-1\"\n";

/// A directory of its own, empty.
fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("lives").join(name);
    if dir.exists() {
        fs::remove_dir_all(&dir).expect("the directory is ours");
    }
    fs::create_dir_all(&dir).expect("the directory is ours");
    dir
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a readable path")
}

/// A server whose log goes into a file.
fn start(log: &Path, arguments: &[&str]) -> Turnstiled {
    let log = File::options().create(true).append(true).open(log).expect("the directory is ours");
    Turnstiled::start_with(arguments, |command| {
        command.env("TURNSTILE_LOG", "info").arg("--log-json").stderr(log);
    })
}

fn signal(server: &Turnstiled, signal: Signal) {
    kill_process(Pid::from_child(&server.child), signal).expect("it runs");
}

/// The lines of a file of JSON, those that are whole.
fn lines(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    whole.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// What the log says, and with which fields.
fn logged(log: &Path, message: &str) -> Vec<Value> {
    let fields = lines(log).into_iter().map(|line| line["fields"].clone());
    fields.filter(|fields| fields["message"] == message).collect()
}

/// SIGHUP, and what could not be read.
fn reload(server: &Turnstiled, log: &Path) -> Vec<Value> {
    let refused = || logged(log, "reload failed: the previous content stays in use");
    let count = || logged(log, "reloaded on SIGHUP").len() + refused().len();
    let before = count();
    signal(server, Signal::HUP);
    until("it is reloaded", || count() > before);
    refused()
}

fn client(server: &Turnstiled, token: &str) -> Client {
    Client::new(server.at).with_token(token)
}

fn claim(resource: &str) -> String {
    json!({ "resource": resource, "ttl": 600 }).to_string()
}

#[test]
fn the_log_tells_the_life_of_the_server() {
    let dir = scratch("log");
    let (log, data) = (dir.join("log"), dir.join("data"));
    let mut server = start(&log, &["--data", text(&data)]);
    let mut client = Client::new(server.at);
    let held = client.post(&claim("r")).expect(201);
    client.post(&claim("r")).expect(202);
    client.post(&claim("s")).expect(201);
    client.set(&held.path(), "released").expect(204);
    signal(&server, Signal::TERM);
    assert!(server.child.wait().expect("it is our child").success());
    let mut server = start(&log, &["--data", text(&data)]);
    signal(&server, Signal::INT);
    assert!(server.child.wait().expect("it is our child").success());

    let starts = logged(&log, "serving");
    let counts = |fields: &Value| (fields["claims"].clone(), fields["live"].clone());
    let counts: Vec<(Value, Value)> = starts.iter().map(counts).collect();
    assert_eq!(counts, [(0.into(), 0.into()), (3.into(), 2.into())]);
    assert_eq!(starts[1]["data"], text(&data));
    assert_eq!(starts[1]["address"], format!("http://{}", server.at));
    let ends = logged(&log, "stopping");
    assert_eq!(
        ends.iter().map(|fields| &fields["signal"]).collect::<Vec<_>>(),
        ["SIGTERM", "SIGINT"]
    );
    assert_eq!(logged(&log, "stopped").len(), 2);
}

#[test]
fn wrong_tokens_are_logged_and_never_what_was_shown() {
    let dir = scratch("wrong");
    let log = dir.join("log");
    let tokens = tokens_file("wrong.tokens", TOKENS);
    let server =
        start(&log, &["--in-memory", "--tokens", text(&tokens), "--wrong-tokens-max", "2"]);
    for (guess, status) in [401, 401, 429, 429].into_iter().enumerate() {
        let token = format!("hush-{guess}");
        client(&server, &token).get("/v1/claims/").expect(status);
    }
    until("it is logged", || !logged(&log, "too many wrong tokens from this address").is_empty());
    let wrong = logged(&log, "wrong token");
    assert_eq!(wrong.len(), 2, "{wrong:?}");
    assert!(wrong.iter().all(|fields| fields["from"] == "127.0.0.1"), "{wrong:?}");
    assert_eq!(logged(&log, "too many wrong tokens from this address").len(), 1, "once");
    assert!(!fs::read_to_string(&log).expect("it is there").contains("hush"));
}

#[test]
fn sighup_reads_tokens_anew_and_ends_nothing() {
    let dir = scratch("hangup");
    let log = dir.join("log");
    let tokens = tokens_file("hangup.tokens", TOKENS);
    let mut server = start(&log, &["--in-memory", "--tokens", text(&tokens)]);
    let held = client(&server, "ci-1").post(&claim("r")).expect(201);

    write_tokens(&tokens, "[[token]]\nname = \"ci\"\nsecret = \"ci-2\"\n", 0o600);
    assert_eq!(reload(&server, &log), [Value::Null; 0]);
    client(&server, "ci-1").get("/v1/claims/").expect(401);
    client(&server, "deploy-1").get("/v1/claims/").expect(401);
    client(&server, "ci-2").patch(&held.path(), r#"{"ttl":60}"#).expect(200);

    for (bad, mode) in [("", 0o600), ("[[token]]\n", 0o600), ("secret\n", 0o644)] {
        write_tokens(&tokens, bad, mode);
        let refused = reload(&server, &log).pop().expect("it is logged");
        assert!(refused["error"].to_string().contains("hangup.tokens"), "{refused}");
        client(&server, "ci-2").patch(&held.path(), r#"{"ttl":60}"#).expect(200);
        client(&server, "ci-1").get("/v1/claims/").expect(401);
    }
    fs::remove_file(&tokens).expect("it is ours");
    let refused = reload(&server, &log);
    assert_eq!(refused.len(), 4, "{refused:?}");
    client(&server, "ci-2").set(&held.path(), "released").expect(204);
    assert!(server.child.try_wait().expect("it is our child").is_none());
}

/// A browser's session ends with the token that it was opened with.
#[test]
fn a_session_ends_with_its_token() {
    let dir = scratch("session");
    let log = dir.join("log");
    let tokens = tokens_file("session.tokens", TOKENS);
    let server = start(&log, &["--in-memory", "--tokens", text(&tokens)]);
    let from = format!("http://{}", server.at);
    let mut browser = Client::new(server.at).with("origin", &from);
    let login = browser.request("POST", "/status/login/", "token=deploy-1").expect(303);
    let cookie = login.headers["set-cookie"].clone();
    let mut browser = browser.with("cookie", cookie.split_once(';').expect("attributes").0);
    browser.get("/status/").expect(200);
    write_tokens(&tokens, "[[token]]\nname = \"ci\"\nsecret = \"ci-1\"\n", 0o600);
    reload(&server, &log);
    browser.get("/status/").expect(401);
}

#[test]
fn sighup_without_anything_to_read_ends_nothing() {
    let dir = scratch("nothing");
    let log = dir.join("log");
    let mut server = start(&log, &["--in-memory"]);
    let held = Client::new(server.at).post(&claim("r")).expect(201);
    for _ in 0..3 {
        reload(&server, &log);
    }
    assert_eq!(Client::new(server.at).get(&held.path()).field("status"), "active");
    assert!(server.child.try_wait().expect("it is our child").is_none());
}

#[test]
fn sighup_reads_the_certificate_anew() {
    let dir = scratch("certificate");
    let log = dir.join("log");
    let (chain, key) = (dir.join("cert.pem"), dir.join("key.pem"));
    let install = |name: &str, key_of: &str| {
        fs::copy(fixture(&format!("{name}.cert.pem")), &chain).expect("the directory is ours");
        fs::copy(fixture(&format!("{key_of}.key.pem")), &key).expect("the directory is ours");
    };
    install("localhost", "localhost");
    let server = start(&log, &["--in-memory", "--tls-cert", text(&chain), "--tls-key", text(&key)]);
    let shows = |name: &str| {
        let mut builder =
            LockClientBuilder::new(&format!("https://localhost:{}", server.at.port()));
        builder.connector = Connector::default().trusting(fixture(&format!("{name}.cert.pem")));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let lock_client = builder.build().expect("a good address");
            lock_client.list(None, None, 1).await.is_ok()
        })
    };
    assert!(shows("localhost") && !shows("renewed"));
    install("renewed", "localhost");
    let refused = reload(&server, &log).pop().expect("they do not fit");
    assert!(refused["error"].to_string().contains("key.pem"), "{refused}");
    assert!(shows("localhost") && !shows("renewed"));
    install("renewed", "renewed");
    assert_eq!(reload(&server, &log).len(), 1, "this time it is read");
    assert!(shows("renewed") && !shows("localhost"));
}

/// The starts and stops of the server in an audit log.
fn servers(audit: &Path) -> Vec<Value> {
    let mut lines = lines(audit);
    lines.iter_mut().map(|line| line["server"].take()).filter(|server| !server.is_null()).collect()
}

/// The changes of claims in an audit log, without their times and addresses.
fn audited(audit: &Path) -> Vec<Value> {
    let mut lines = lines(audit);
    lines.retain(|line| line["server"].is_null());
    for line in &mut lines {
        let line = line.as_object_mut().expect("an object");
        let time = line.remove("time").expect("a time").to_string();
        assert!(time.len() == 29 && time.ends_with("Z\"") && time.contains('T'), "{time}");
        let from = line.remove("from").expect("an address or none");
        assert!(from.is_null() || from.to_string().starts_with("\"127.0.0.1:"), "{from}");
        assert_eq!(from.is_null(), line["request"].is_null(), "{line:?}");
        let token = line.remove("fencing_token").and_then(|token| token.as_u64());
        assert_eq!(token.is_some(), line["change"] == "active", "{line:?}");
        let ttl = line.remove("ttl").and_then(|ttl| ttl.as_f64());
        assert_eq!(ttl, (line["change"] == "ttl").then_some(50.0), "{line:?}");
    }
    lines
}

fn line(who: &str, request: &str, claim: u64, owner: &str, change: &str) -> Value {
    json!({ "who": who, "request": request, "claim": claim, "owner": owner, "resource": "r",
        "change": change })
}

#[test]
fn the_audit_log_has_a_line_for_each_change() {
    let dir = scratch("audit");
    let (log, audit, data) = (dir.join("log"), dir.join("audit"), dir.join("data"));
    let tokens = tokens_file("audit.tokens", TOKENS);
    let arguments = ["--data", text(&data), "--tokens", text(&tokens), "--audit", text(&audit)];
    let server = start(&log, &arguments);
    let (mut ci, mut deploy) = (client(&server, "ci-1"), client(&server, "deploy-1"));
    let first = ci.post(&claim("r")).expect(201).path();
    // Each line is there when the answer is.
    assert_eq!(
        audited(&audit),
        [line("ci", "POST", 1, "ci", "waiting"), line("ci", "POST", 1, "ci", "active"),]
    );
    let second = deploy.post(&claim("r")).expect(202).path();
    ci.patch(&first, r#"{"ttl":50}"#).expect(200);
    deploy.set(&first, "released").expect(403);
    deploy.set(&second, "active").expect(409);
    deploy.get(&first).expect(200);
    ci.set(&first, "released").expect(204);
    ci.set(&first, "released").expect(204);
    deploy.set(&second, "active").expect(200);
    assert_eq!(
        audited(&audit)[2..],
        [
            line("deploy", "POST", 2, "deploy", "waiting"),
            line("ci", "PATCH ttl", 1, "ci", "ttl"),
            line("ci", "PATCH status=released", 1, "ci", "released"),
            line("deploy", "PATCH status=active", 2, "deploy", "active"),
        ]
    );
    let mode = fs::metadata(&audit).expect("it is there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    // What is rotated away stays, and the next line goes into a new file.
    fs::rename(&audit, dir.join("audit.1")).expect("the directory is ours");
    reload(&server, &log);
    deploy.set(&second, "released").expect(204);
    assert_eq!(audited(&audit), [line("deploy", "PATCH status=released", 2, "deploy", "released")]);
    assert_eq!(audited(&dir.join("audit.1")).len(), 6);
    drop(server);
    let mut server = start(&log, &arguments);
    client(&server, "ci-1").post(&claim("r")).expect(201);
    assert_eq!(audited(&audit).len(), 3, "a start appends");
    assert_eq!(servers(&dir.join("audit.1")), ["start"]);
    signal(&server, Signal::TERM);
    server.child.wait().expect("it is our child");
    assert_eq!(servers(&audit), ["start", "stop"]);
    let after = |audit: &Path| lines(audit).into_iter().find_map(|line| line.get("after").cloned());
    assert_eq!((after(&dir.join("audit.1")), after(&audit)), (None, Some("unclean stop".into())));
    let text = fs::read_to_string(&log).expect("it is written");
    let count = |message: &str| text.matches(message).count();
    assert_eq!((count("created a new, empty one"), count("not shut down cleanly")), (1, 1));
}

#[test]
fn the_audit_log_names_the_claim_of_a_request_that_promotes_another() {
    let dir = scratch("promoted");
    let (log, audit) = (dir.join("log"), dir.join("audit"));
    let server = start(&log, &["--in-memory", "--audit", text(&audit)]);
    let mut client = Client::new(server.at);
    let first = client.post(&claim("r")).expect(201).path();
    client.post(&claim("r")).expect(202);
    let third = client.post(&claim("r")).expect(202).path();
    client.set(&first, "revoked").expect(204);
    client.set(&third, "active").expect(409);
    let change = |claim: u64, request: &str, change: &str| {
        json!({ "who": null, "request": request, "claim": claim, "resource": "r",
            "change": change })
    };
    let mut promoted = change(2, "PATCH status=active", "active");
    promoted["request_claim"] = 3.into();
    assert_eq!(audited(&audit)[4..], [change(1, "PATCH status=revoked", "revoked"), promoted]);
}

#[test]
fn the_audit_log_has_what_the_server_does_of_itself() {
    let dir = scratch("expiry");
    let (log, audit) = (dir.join("log"), dir.join("audit"));
    let server = start(&log, &["--in-memory", "--audit", text(&audit), "--unasked-max", "0.02"]);
    let mut client = Client::new(server.at);
    client.post(&claim("r")).expect(201);
    client.post(&claim("r")).expect(202);
    until("no request was made for it", || audited(&audit).len() == 4);
    assert_eq!(
        audited(&audit)[3],
        json!({ "who": null, "request": null, "claim": 2,
        "resource": "r", "change": "expired" })
    );
}

#[test]
fn an_audit_log_that_cannot_be_written_is_named_at_the_start() {
    let refused = std::process::Command::new(env!("CARGO_BIN_EXE_turnstiled"))
        .args(["--in-memory", "--listen", "127.0.0.1:0", "--audit", "/no/audit"])
        .output()
        .expect("it starts");
    assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("/no/audit"), "{refused:?}");
}

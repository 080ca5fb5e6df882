//! Claims through a keychain: a process at the other end of a pipe, in lines of JSON.

use std::env;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use turnstile_claim::client::{Connector, ErrorKind, LockClient, LockClientBuilder};
use turnstile_claim::keychain::LINE_MAX;
use turnstile_claim::server::{Options, ServerTls, Storage};

use super::Running;
use super::command::{CLAIM, claim, hears_all, statuses};
use super::tokens::tokens;
use crate::client::fixture;
use crate::http::{PATIENCE, until};

#[test]
fn a_keychain_speaks_lines_and_its_end_releases() {
    let server = Running::in_memory();
    let mut keychain = claim(&server, &["keychain"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = keychain.stdin.take().expect("it is piped");
    let mut lines = BufReader::new(keychain.stdout.take().expect("it is piped")).lines();
    let mut say = |text: &str| {
        input.write_all(format!("{text}\n").as_bytes()).expect("it reads");
        let line = lines.next().expect("it answers").expect("plain text");
        serde_json::from_str::<Value>(&line).expect("JSON")
    };
    let held = say(r#"{"id":1,"claim":"r","ttl":60}"#);
    assert_eq!((&held["id"], &held["held"]["resource"]), (&json!(1), &json!("r")), "{held}");
    assert_eq!(held["held"]["standing"], "held");
    assert!(held["held"]["until"].as_f64() > Some(0.0));
    let again = say(r#"{"id":"two","claim":"r"}"#);
    assert_eq!(again["id"], "two");
    assert_eq!(again["error"]["kind"], "claimed", "{again}");
    assert_eq!(again["error"]["first"], held["held"]["url"], "the first is named");
    assert!(say("nonsense")["error"].is_object());
    assert!(say(r#"{"id":3}"#)["error"].is_object());
    assert!(say(r#"{"id":4,"release":"s"}"#)["error"].is_object());
    for line in [r#"{"id":"t","claim":"s","ttl":"long"}"#, r#"{"more":1,"id":"t","claim":"s"}"#] {
        let refused = say(line);
        assert_eq!((&refused["id"], &refused["error"]["kind"]), (&json!("t"), &json!("refused")));
    }
    let endless = say(&format!(r#"{{"id":7,"claim":"{}"}}"#, "s".repeat(LINE_MAX)));
    assert_eq!((&endless["id"], &endless["error"]["kind"]), (&Value::Null, &json!("refused")));
    let other = say(r#"{"id":5,"claim":"s","timeout":5}"#);
    assert_eq!(other["held"]["resource"], "s", "{other}");
    let released = say(r#"{"id":6,"release":"s"}"#);
    assert_eq!((&released["id"], &released["released"]["resource"]), (&json!(6), &json!("s")));
    assert_eq!((statuses(&server, "r"), statuses(&server, "s")), {
        (vec!["active".to_owned()], vec!["released".to_owned()])
    });
    drop(input);
    assert!(keychain.wait().expect("it is our child").success());
    assert_eq!(statuses(&server, "r"), ["released"]);
}

/// A keychain, and a line that it has answered.
fn keychain(server: &Running, line: &str) -> (Child, BufReader<ChildStdout>, Value) {
    let mut command = claim(server, &["keychain"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut keychain = hears_all(&mut command, None).spawn().expect("it starts");
    say(&mut keychain, line);
    let mut out = BufReader::new(keychain.stdout.take().expect("it is piped"));
    let answer = read(&mut out);
    (keychain, out, answer)
}

fn say(keychain: &mut Child, line: &str) {
    let input = keychain.stdin.as_mut().expect("it is piped");
    input.write_all(format!("{line}\n").as_bytes()).expect("it reads");
}

fn read(out: &mut BufReader<ChildStdout>) -> Value {
    let mut line = String::new();
    out.read_line(&mut line).expect("plain text");
    serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error} in {line:?}"))
}

#[test]
fn a_keychain_that_is_told_to_end_says_what_is_lost_and_gives_it_back() {
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let server = Running::in_memory();
        let (mut keychain, mut out, held) = keychain(&server, r#"{"claim":"r","ttl":60}"#);
        assert_eq!(held["held"]["standing"], "held", "{held}");
        kill_process(Pid::from_child(&keychain), signal).expect("it runs");
        let lost = read(&mut out);
        assert_eq!(lost["now"]["resource"], "r", "{lost}");
        assert_eq!(lost["now"]["standing"], "lost", "{lost}");
        let status = keychain.wait().expect("it is our child");
        assert_eq!(status.code(), Some(128 + signal.as_raw()));
        assert_eq!(statuses(&server, "r"), ["released"]);
    }
}

#[test]
fn a_program_that_does_not_read_is_heard_all_the_same() {
    let server = Running::in_memory();
    let (mut keychain, _out, held) = keychain(&server, r#"{"claim":"r","ttl":60}"#);
    assert_eq!(held["held"]["standing"], "held", "{held}");
    // The answers are more than a pipe holds.
    for _ in 0..2_000 {
        say(&mut keychain, "nonsense");
    }
    say(&mut keychain, r#"{"release":"r"}"#);
    until("it is given back", || statuses(&server, "r") == ["released"]);
    say(&mut keychain, r#"{"claim":"s","ttl":60}"#);
    until("it is held", || statuses(&server, "s") == ["active"]);
    drop(keychain.stdin.take());
    until("it ends", || keychain.try_wait().expect("it is our child").is_some());
    // A claim whose answer it had not heard yet is withdrawn.
    let end = statuses(&server, "s");
    assert!(end == ["released"] || end == ["withdrawn"], "{end:?}");
}

#[test]
fn a_keychain_whom_nobody_can_hear_ends_though_its_input_is_open() {
    let server = Running::in_memory();
    let (mut keychain, out, _held) = keychain(&server, r#"{"claim":"r","ttl":0.3}"#);
    drop(out);
    // The next renewal is told to nobody.
    until("it ends", || keychain.try_wait().expect("it is our child").is_some());
    assert_eq!(statuses(&server, "r"), ["released"]);
}

#[test]
fn what_a_line_asks_for_in_vain_is_told() {
    let server = Running::in_memory();
    let (mut keychain, mut out, held) = keychain(&server, r#"{"claim":"r","ttl":60}"#);
    let url = &held["held"]["url"];
    let asks = [
        (r#"{"id":1,"refresh":"r","ttl":-1}"#, json!("refused"), Value::Null, Value::Null),
        (r#"{"id":2,"refresh":"r","ttl":1e300}"#, json!("refused"), Value::Null, Value::Null),
        (r#"{"id":3,"refresh":"r","ttl":0.001}"#, json!("refused"), Value::Null, url.clone()),
        (r#"{"id":4,"claim":"s","ttl":1e9}"#, json!("refused"), json!(400), Value::Null),
        (r#"{"id":5,"claim":"s","timeout":-1}"#, json!("refused"), Value::Null, Value::Null),
    ];
    for (ask, kind, status, claim) in asks {
        say(&mut keychain, ask);
        let told = read(&mut out);
        let error = &told["error"];
        assert_eq!((&error["kind"], &error["status"], &error["claim"]), (&kind, &status, &claim));
    }
    assert_eq!(statuses(&server, "r"), ["active"], "nothing of it has touched what is held");
    drop(keychain.stdin.take());
    assert!(keychain.wait().expect("it is our child").success());
}

#[test]
fn a_request_is_an_object() {
    let server = Running::in_memory();
    let (mut keychain, mut out, _held) = keychain(&server, r#"{"claim":"r","ttl":60}"#);
    let object = "a request is a JSON object, such as {\"id\":1,\"claim\":\"r\",\"ttl\":60}";
    for (line, id, parts) in [
        // Its fields in their order, as far as serde is concerned.
        (r#"[1,"s",null,null,60,null,null]"#, json!(null), ["an array", object]),
        (r#"[{"id":1,"claim":"s","ttl":60}]"#, json!(null), ["an array", object]),
        ("7", json!(null), ["a number", object]),
        (r#""claim""#, json!(null), ["a string", object]),
        ("null", json!(null), ["null", object]),
        ("true", json!(null), ["a boolean", object]),
        ("", json!(null), ["the line is empty", object]),
        ("{", json!(null), ["EOF while parsing", object]),
        (r#"{"id":1,"claim":"s"} {}"#, json!(null), ["trailing characters", object]),
        (r#"{"id":1,"claim":"s","claim":"s"}"#, json!(1), ["duplicate field `claim`", object]),
        (r#"{"id":1,"claim":"s","data":1,"data":2}"#, json!(1), ["duplicate field `data`", object]),
        (r#"{"id":1,"claim":["s"]}"#, json!(1), ["expected a string", object]),
        (r#"{"id":1,"claim":"s","owner":"me"}"#, json!(1), ["unknown field `owner`", object]),
    ] {
        say(&mut keychain, line);
        let told = read(&mut out);
        assert_eq!((&told["id"], &told["error"]["kind"]), (&id, &json!("refused")), "{told}");
        let message = told["error"]["message"].as_str().expect("a text");
        assert!(parts.iter().all(|part| message.contains(part)), "{line}: {message}");
    }
    assert_eq!(statuses(&server, "s"), [""; 0], "nothing is claimed");
    // User data is any JSON, and is given back unchanged.
    for (resource, data) in [("a", "[1, 2]"), ("b", "\"text\""), ("c", "7")] {
        say(&mut keychain, &format!(r#"{{"claim":"{resource}","ttl":60,"data":{data}}}"#));
        assert_eq!(read(&mut out)["held"]["resource"], resource);
        let list = server.client().get(&format!("/v1/claims/?resource={resource}")).expect(200);
        assert!(list.text.contains(&format!("\"user_data\":{data}")), "{}", list.text);
    }
}

/// Where a child of this test finds the server.
const SERVER: &str = "TURNSTILE_TEST_KEYCHAIN";

#[tokio::test]
async fn a_manager_finds_server_and_keychain_in_its_environment() {
    if env::var_os(SERVER).is_some() {
        let lock_client = LockClient::with_keychain().expect("it starts");
        let claim = lock_client.claim("r").await.expect("it is free");
        assert!(lock_client.keychain_id().is_some() && claim.is_held());
        return claim.release().await.expect("it is held");
    }
    let server = Running::in_memory();
    let name = "keychain::a_manager_finds_server_and_keychain_in_its_environment";
    let child = |path: &Path| {
        let mut child = Command::new(env::current_exe().expect("it runs"));
        child.args(["--exact", name]).env(SERVER, "").env("PATH", path);
        child.env("TURNSTILE_URL", format!("http://{}", server.at));
        child.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("it starts")
    };
    assert!(child(Path::new(CLAIM).parent().expect("a directory")).success());
    assert_eq!(statuses(&server, "r"), ["released"]);
    assert!(!child(Path::new("/no/such")).success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_manager_holds_its_claims_through_a_keychain() {
    let server = Running::in_memory();
    let builder = LockClientBuilder::new(&format!("http://{}", server.at));
    let lock_client = builder.build_with_keychain(Path::new(CLAIM)).expect("it starts");
    let claim = lock_client.claim("r").ttl(Duration::from_millis(300)).await.expect("it is free");
    assert!(claim.is_held() && claim.fencing_token().is_some());
    until("it is renewed by the keychain", || {
        assert!(claim.is_held());
        let list = server.client().get("/v1/claims/?resource=r").expect(200).json();
        list[0]["active_duration"].as_f64() > Some(0.9)
    });
    claim.refresh(Some(Duration::from_secs(60))).await.expect("it is held");
    let error = lock_client.claim("r").await.expect_err("it is claimed");
    assert!(matches!(error.cause, ErrorKind::Claimed { .. }), "{error}");
    let long = RawValue::from_string(format!("\"{}\"", "d".repeat(LINE_MAX))).expect("JSON");
    let endless = lock_client.claim("e").raw_data(long).await.expect_err("it is too long");
    assert!(matches!(endless.cause, ErrorKind::Keychain(_)), "{endless}");
    assert!(claim.is_held(), "the others are held on");
    claim.release().await.expect("it is held");
    assert_eq!(statuses(&server, "r"), ["released"]);

    server.client().post(r#"{"resource":"s","ttl":60}"#).expect(201);
    let error = lock_client.claim("s").timeout(Duration::from_millis(100)).await.expect_err("held");
    assert_eq!(error.cause, ErrorKind::TimedOut);
    let held = lock_client.claim("t").await.expect("it is free");
    drop(lock_client.claim("u").await.expect("it is free"));
    until("it is given back", || statuses(&server, "u") == ["released"]);
    lock_client.close(PATIENCE).await;
    assert!(!held.is_held());
    assert_eq!(statuses(&server, "t"), ["released"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_dead_keychain_is_an_error_at_once() {
    let server = Running::in_memory();
    let builder = LockClientBuilder::new(&format!("http://{}", server.at));
    let lock_client = builder.clone().build_with_keychain(Path::new(CLAIM)).expect("it starts");
    let held = lock_client.claim("r").await.expect("it is free");
    server.client().post(r#"{"resource":"s","ttl":60}"#).expect(201);
    let waiting = tokio::spawn(lock_client.claim("s").into_future());
    until("it queues", || statuses(&server, "s").len() == 2);
    let keychain = lock_client.keychain_id().expect("it runs");
    let keychain = i32::try_from(keychain).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(keychain, Signal::KILL).expect("it runs");
    tokio::time::timeout(PATIENCE, held.lost()).await.expect("at once");
    let error = waiting.await.expect("no panic").expect_err("the keychain is dead");
    assert!(matches!(error.cause, ErrorKind::Keychain(_)), "{error}");
    let error = lock_client.claim("t").await.expect_err("the keychain is dead");
    assert!(matches!(error.cause, ErrorKind::Keychain(_)), "{error}");
    let error = builder.build_with_keychain(Path::new("/no/such/claim")).expect_err("no program");
    assert!(matches!(error.cause, ErrorKind::Keychain(_)), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_keychain_speaks_tls_and_shows_the_token() {
    let certificate = fixture("localhost.cert.pem");
    let tls = ServerTls::read(&certificate, &fixture("localhost.key.pem")).expect("a good pair");
    let tokens = tokens("keychain.tokens", "secret\n");
    let options = Options { tls: Some(tls), tokens, ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let mut builder = LockClientBuilder::new(&format!("https://localhost:{}", server.at.port()));
    builder.timeout = Some(PATIENCE);
    builder.connector = Connector::default().trusting(certificate);
    let stranger = builder.clone().build_with_keychain(Path::new(CLAIM)).expect("it starts");
    let error = stranger.claim("r").await.expect_err("it has no token");
    assert!(error.to_string().contains("401"), "{error}");
    builder.token = Some("secret".into());
    let lock_client = builder.clone().build_with_keychain(Path::new(CLAIM)).expect("it starts");
    let claim = lock_client.claim("r").ttl(Duration::from_millis(400)).await.expect("it is free");
    assert!(claim.url().starts_with("https://localhost:"), "{}", claim.url());
    assert!(claim.margin() > Duration::ZERO);
    claim.refresh(None).await.expect("it is held");
    claim.release().await.expect("it is held");
    let list = builder.build().expect("a good address").list(Some("r"), None, 10).await;
    assert!(list.expect("it has a token").contains(r#""status":"released""#));
}

//! Claims through a keychain: a process at the other end of a pipe, in lines of JSON.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use turnstile_driver::client::{Cause, Connector, Setup};
use turnstile_driver::keychain::LINE_MAX;
use turnstile_driver::server::{Options, ServerTls, Storage, Tokens};

use crate::client::fixture;
use crate::command::{CLAIM, claim, statuses};
use crate::http::{PATIENCE, Running, until};

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

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_manager_holds_its_claims_through_a_keychain() {
    let server = Running::in_memory();
    let setup = Setup::new(&format!("http://{}", server.at));
    let manager = setup.build_with_keychain(Path::new(CLAIM)).expect("it starts");
    let claim = manager.claim("r").ttl(Duration::from_millis(300)).await.expect("it is free");
    assert!(claim.is_held() && claim.fencing_token().is_some());
    until("it is renewed by the keychain", || {
        assert!(claim.is_held());
        let list = server.client().get("/v1/claims/?resource=r").expect(200).json();
        list[0]["active_duration"].as_f64() > Some(0.9)
    });
    claim.refresh(Some(Duration::from_secs(60))).await.expect("it is held");
    let error = manager.claim("r").await.expect_err("it is claimed");
    assert!(matches!(error.cause, Cause::Claimed { .. }), "{error}");
    let long = RawValue::from_string(format!("\"{}\"", "d".repeat(LINE_MAX))).expect("JSON");
    let endless = manager.claim("e").raw_data(long).await.expect_err("it is too long");
    assert!(matches!(endless.cause, Cause::Keychain(_)), "{endless}");
    assert!(claim.is_held(), "the others are held on");
    claim.release().await.expect("it is held");
    assert_eq!(statuses(&server, "r"), ["released"]);

    server.client().post(r#"{"resource":"s","ttl":60}"#).expect(201);
    let error = manager.claim("s").timeout(Duration::from_millis(100)).await.expect_err("held");
    assert_eq!(error.cause, Cause::TimedOut);
    let held = manager.claim("t").await.expect("it is free");
    drop(manager.claim("u").await.expect("it is free"));
    until("it is given back", || statuses(&server, "u") == ["released"]);
    manager.close(PATIENCE).await;
    assert!(!held.is_held());
    assert_eq!(statuses(&server, "t"), ["released"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_dead_keychain_is_an_error_at_once() {
    let server = Running::in_memory();
    let setup = Setup::new(&format!("http://{}", server.at));
    let manager = setup.clone().build_with_keychain(Path::new(CLAIM)).expect("it starts");
    let held = manager.claim("r").await.expect("it is free");
    server.client().post(r#"{"resource":"s","ttl":60}"#).expect(201);
    let waiting = tokio::spawn(manager.claim("s").into_future());
    until("it queues", || statuses(&server, "s").len() == 2);
    let keychain = manager.keychain_id().expect("it runs");
    let keychain = i32::try_from(keychain).ok().and_then(Pid::from_raw).expect("a process id");
    kill_process(keychain, Signal::KILL).expect("it runs");
    tokio::time::timeout(PATIENCE, held.lost()).await.expect("at once");
    let error = waiting.await.expect("no panic").expect_err("the keychain is dead");
    assert!(matches!(error.cause, Cause::Keychain(_)), "{error}");
    let error = manager.claim("t").await.expect_err("the keychain is dead");
    assert!(matches!(error.cause, Cause::Keychain(_)), "{error}");
    let error = setup.build_with_keychain(Path::new("/no/such/claim")).expect_err("no program");
    assert!(matches!(error.cause, Cause::Keychain(_)), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_keychain_speaks_tls_and_shows_the_token() {
    let certificate = fixture("localhost.cert.pem");
    let tls = ServerTls::read(&certificate, &fixture("localhost.key.pem")).expect("a good pair");
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("keychain.tokens");
    std::fs::write(&file, "secret\n").expect("the directory is ours");
    let tokens = Tokens::read(&file).expect("it has a token");
    let options = Options { tls: Some(tls), tokens, ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let mut setup = Setup::new(&format!("https://localhost:{}", server.at.port()));
    setup.timeout = Some(PATIENCE);
    setup.connector = Connector::default().trusting(certificate);
    let stranger = setup.clone().build_with_keychain(Path::new(CLAIM)).expect("it starts");
    let error = stranger.claim("r").await.expect_err("it has no token");
    assert!(error.to_string().contains("401"), "{error}");
    setup.token = Some("secret".into());
    let manager = setup.clone().build_with_keychain(Path::new(CLAIM)).expect("it starts");
    let claim = manager.claim("r").ttl(Duration::from_millis(400)).await.expect("it is free");
    assert!(claim.url().starts_with("https://localhost:"), "{}", claim.url());
    assert!(claim.margin() > Duration::ZERO);
    claim.refresh(None).await.expect("it is held");
    claim.release().await.expect("it is held");
    let list = setup.build().expect("a good address").list(Some("r"), None, 10).await;
    assert!(list.expect("it has a token").contains(r#""status":"released""#));
}

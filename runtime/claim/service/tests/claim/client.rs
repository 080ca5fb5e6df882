//! The client library against a real server.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, timeout};
use turnstile_claim::blocking;
use turnstile_claim::client::{Connector, ErrorKind, LeaseState, LockClient, LockClientBuilder};
use turnstile_claim::server::{Options, ServerTls, Storage};

use super::Running;
use crate::http::{PATIENCE, until};

const SHORT: Duration = Duration::from_millis(300);

fn lock_client(server: &Running) -> LockClient {
    LockClient::connect(&format!("http://{}", server.at)).expect("a good address")
}

/// A claim's fields at the server.
fn seen(server: &Running, url: &str) -> Value {
    let path = &url[url.find("/v1/").expect("a path")..];
    server.client().get(path).expect(200).json()
}

/// The statuses of all claims of a resource, oldest first.
fn statuses(server: &Running, resource: &str) -> Vec<String> {
    let list = server.client().get(&format!("/v1/claims/?resource={resource}&limit=100"));
    let list = list.expect(200).json();
    let status = |claim: &Value| claim["status"].as_str().expect("a status").to_owned();
    list.as_array().expect("an array").iter().map(status).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_claim_is_held_renewed_and_given_back() {
    let server = Running::in_memory();
    let lock_client = lock_client(&server);
    let claim = lock_client.claim("r").ttl(SHORT).await.expect("no other client claims it");
    assert!(claim.is_held());
    assert_eq!(claim.lease_state(), LeaseState::Held);
    assert_eq!(claim.resource(), "r");
    let there = seen(&server, &claim.url());
    assert_eq!(there["status"], "active");
    assert_eq!(there["fencing_token"].as_u64(), claim.fencing_token());
    assert_eq!(there["user_data"]["pid"], std::process::id());
    until("three ttls go by", || {
        assert!(claim.is_held(), "it is renewed all the time");
        let active = seen(&server, &claim.url())["active_duration"].as_f64();
        active > Some(3.0 * SHORT.as_secs_f64())
    });
    let url = claim.url();
    claim.release().await.expect("it is held");
    assert_eq!(seen(&server, &url)["status"], "released");
    lock_client.claim("r").await.expect("the resource is free again");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_second_claim_of_a_resource_is_refused_and_names_the_first() {
    let server = Running::in_memory();
    let lock_client = lock_client(&server);
    let first = lock_client.claim("r").await.expect("no other client claims it");
    let error = lock_client.claim("r").await.expect_err("it is claimed");
    assert_eq!(error.cause, ErrorKind::Claimed { first: first.url() });
    let text = error.to_string();
    assert!(text.contains("\"r\"") && text.contains(&first.url()), "{text}");
    drop(first);
    lock_client.claim("r").await.expect("the first is given back before the second begins");
    assert_eq!(statuses(&server, "r")[0], "released");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_release_hands_over_to_whoever_waits() {
    let server = Running::in_memory();
    let (one, two) = (lock_client(&server), lock_client(&server));
    let first = one.claim("r").await.expect("no other client claims it");
    let waiting = tokio::spawn(two.claim("r").into_future());
    until("the second queues", || statuses(&server, "r") == ["active", "waiting"]);
    let token = first.fencing_token();
    first.release().await.expect("it is held");
    let second = timeout(PATIENCE, waiting).await.expect("in time").expect("no panic");
    let second = second.expect("the lock is free");
    assert!(second.fencing_token() > token);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn waiting_ends_with_the_timeout_and_leaves_nothing_behind() {
    let server = Running::in_memory();
    let (one, two) = (lock_client(&server), lock_client(&server));
    let _held = one.claim("r").await.expect("no other client claims it");
    let error = two.claim("r").timeout(SHORT).await.expect_err("it is held");
    assert_eq!(error.cause, ErrorKind::TimedOut);
    assert!(error.to_string().starts_with("resource \"r\""), "{error}");
    until("it is withdrawn", || statuses(&server, "r") == ["active", "withdrawn"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn whoever_stops_waiting_leaves_nothing_behind() {
    let server = Running::in_memory();
    let (one, two) = (lock_client(&server), lock_client(&server));
    let held = one.claim("r").await.expect("no other client claims it");
    for round in 1..4 {
        let waiting = tokio::spawn(two.claim("r").ttl(SHORT).into_future());
        until("it queues", || statuses(&server, "r").len() > round);
        waiting.abort();
        until("it is over", || {
            statuses(&server, "r")[1..].iter().all(|status| status == "withdrawn")
        });
    }
    drop(held);
    until("it is given back", || statuses(&server, "r")[0] == "released");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn who_waits_claims_anew_where_its_claim_has_expired() {
    let options = Options {
        wait_max: Duration::from_millis(1),
        unasked_max: Duration::from_millis(1),
        ..Options::default()
    };
    let server = Running::start(Storage::Memory, options);
    let (one, two) = (lock_client(&server), lock_client(&server));
    let held =
        one.claim("r").ttl(Duration::from_secs(60)).await.expect("no other client claims it");
    let waiting = tokio::spawn(two.claim("r").ttl(SHORT).into_future());
    until("its claims expire one by one", || {
        statuses(&server, "r").iter().filter(|status| *status == "expired").count() > 2
    });
    held.release().await.expect("it is held");
    let got = timeout(PATIENCE, waiting).await.expect("it is free").expect("no panic");
    assert!(got.expect("it only waited").is_held());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_claim_that_is_taken_away_is_lost_for_good() {
    let server = Running::in_memory();
    let lock_client = lock_client(&server);
    let claim = lock_client.claim("r").ttl(SHORT).await.expect("no other client claims it");
    lock_client.revoke(&claim.url()).await.expect("it is held");
    timeout(PATIENCE, claim.lost()).await.expect("the next renewal tells");
    assert!(!claim.is_held());
    assert_eq!(claim.lease_state(), LeaseState::Lost);
    let error = claim.refresh(None).await.expect_err("it is lost");
    assert_eq!(error.cause, ErrorKind::Lost("the claim was revoked".into()));
    assert_eq!(error.claim, Some(claim.url()));
    assert_eq!(claim.loss().map(|error| error.resource).as_deref(), Some("r"));
    claim.release().await.expect_err("there is nothing to give back");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_server_that_is_gone_costs_the_claim_before_its_lease_lapses() {
    let server = Running::in_memory();
    let lock_client = lock_client(&server);
    let claim = lock_client.claim("r").ttl(SHORT).await.expect("no other client claims it");
    server.stop();
    let mut jeopardy = 0;
    let lost = claim.lost();
    let watch = async {
        loop {
            jeopardy += usize::from(claim.lease_state() == LeaseState::Jeopardy);
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = lost => {}
        () = watch => {}
    }
    assert!(jeopardy > 0, "it was in jeopardy before");
    let deadline = claim.deadline().expect("it was held");
    assert!(Instant::now() >= deadline);
    assert!(claim.margin() > Duration::ZERO);
    assert!(!claim.is_held());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_deadline_is_counted_from_the_sending_however_slow_the_answer() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback has ports");
    let at = listener.local_addr().expect("it is bound");
    let server = std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("the client connects");
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        while !line.ends_with("\r\n\r\n") {
            stream.read_line(&mut line).expect("the client asks");
        }
        let heard = std::time::Instant::now();
        until("the answer is slow", || heard.elapsed() > SHORT);
        let body =
            format!(r#"{{"url":"http://{at}/v1/claims/1/","resource":"r","status":"active"}}"#);
        let head = format!("HTTP/1.1 201 Created\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.get_mut().write_all((head + &body).as_bytes()).expect("the client listens");
        heard
    });
    let ttl = Duration::from_secs(60);
    let lock_client = LockClient::connect(&format!("http://{at}")).expect("a good address");
    let claim = lock_client.claim("r").ttl(ttl).await.expect("it is granted");
    let heard = server.join().expect("no panic");
    let deadline = claim.deadline().expect("it is held").into_std();
    assert!(claim.margin() > Duration::ZERO);
    assert!(deadline <= heard + ttl - claim.margin(), "it was sent before it was heard");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_refresh_renews_at_once_and_can_change_the_ttl() {
    let server = Running::in_memory();
    let lock_client = lock_client(&server);
    let claim = lock_client.claim("r").ttl(Duration::from_secs(60)).await.expect("it is free");
    let before = claim.deadline().expect("it is held");
    claim.refresh(None).await.expect("it is held");
    assert!(claim.deadline().expect("it is held") > before);
    claim.refresh(Some(Duration::from_secs(600))).await.expect("it is held");
    let ttl = seen(&server, &claim.url())["ttl"].as_f64().expect("a ttl");
    assert!(ttl > 500.0, "{ttl}");
    let error = claim.refresh(Some(Duration::from_millis(1))).await.expect_err("too short");
    assert!(matches!(error.cause, ErrorKind::TtlTooShort { ttl_ms: 1, .. }), "{error}");
    let error = lock_client.claim("e").ttl(Duration::MAX).await.expect_err("too long");
    assert!(matches!(error.cause, ErrorKind::Refused { status: 400, .. }), "{error}");
    let free = lock_client.claim("e").timeout(Duration::MAX).await.expect("it is free");
    free.release().await.expect("it is held");
    let error = lock_client.claim("s").ttl(Duration::ZERO).await.expect_err("too short");
    assert!(matches!(error.cause, ErrorKind::TtlTooShort { .. }), "{error}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_the_server_refuses_is_passed_on() {
    let mut options = Options::default();
    options.limits.waiters_max = 0;
    let server = Running::start(Storage::Memory, options);
    let (one, two) = (lock_client(&server), lock_client(&server));
    let _held = one.claim("r").await.expect("no other client claims it");
    let error = two.claim("").await.expect_err("it has no name");
    let ErrorKind::Refused { status, reason } = error.cause else { panic!("{error}") };
    assert!(status == 400 && !reason.is_empty(), "{status} {reason}");
    let full = two.claim("r").timeout(SHORT).await.expect_err("the queue is full");
    let ErrorKind::Unreachable(text) = &full.cause else { panic!("{full}") };
    assert!(text.contains(": 429 Too many claims"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn closing_gives_everything_back() {
    let server = Running::in_memory();
    let (one, two) = (lock_client(&server), lock_client(&server));
    let _held = one.claim("r").await.expect("no other client claims it");
    let _own = two.claim("s").await.expect("no other client claims it");
    let waiting = tokio::spawn(two.claim("r").into_future());
    until("it queues", || statuses(&server, "r").len() == 2);
    two.close(PATIENCE).await;
    assert_eq!(statuses(&server, "s"), ["released"]);
    assert_eq!(statuses(&server, "r"), ["active", "withdrawn"]);
    let error = waiting.await.expect("no panic").expect_err("it was given up");
    assert_eq!(error.cause, ErrorKind::TimedOut);
}

#[test]
fn the_blocking_face_does_the_same() {
    let server = Running::in_memory();
    let url = format!("http://{}", server.at);
    let lock_client = blocking::LockClient::connect(&url).expect("a good address");
    let claim = lock_client.claim("r").ttl(SHORT).wait().expect("no other client claims it");
    assert!(claim.is_held() && claim.fencing_token().is_some());
    assert!(!claim.wait_lost(2 * SHORT), "it is renewed in the background");
    claim.refresh(None).expect("it is held");
    let other = blocking::LockClient::connect(&url).expect("a good address");
    let error = other.claim("r").timeout(SHORT).wait().expect_err("it is held");
    assert_eq!(error.cause, ErrorKind::TimedOut);
    claim.release().expect("it is held");
    let dropped = lock_client.claim("s").wait().expect("no other client claims it");
    assert!(dropped.is_held());
    drop(dropped);
    drop(lock_client);
    assert_eq!(statuses(&server, "s"), ["released"], "dropping the manager waits for that");
}

pub(crate) fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn tls_is_spoken_with_whom_it_trusts() {
    let certificate = fixture("localhost.cert.pem");
    let tls = ServerTls::read(&certificate, &fixture("localhost.key.pem")).expect("a good pair");
    let server = Running::start(Storage::Memory, Options { tls: Some(tls), ..Options::default() });
    let mut builder = LockClientBuilder::new(&format!("https://localhost:{}", server.at.port()));
    let strange = builder.clone().build().expect("a good address");
    let error = strange.list(None, None, 1).await.expect_err("its certificate is not trusted");
    assert!(matches!(error.cause, ErrorKind::Unreachable(_)), "{error}");
    let error = timeout(PATIENCE, strange.claim("r")).await.expect("it does not ask for ever");
    let error = error.expect_err("its certificate is not trusted");
    assert!(matches!(error.cause, ErrorKind::Unreachable(_)), "{error}");
    assert!(error.to_string().contains("is not trusted"), "{error}");
    builder.connector = Connector::default().trusting(fixture("none.pem"));
    let error = builder.clone().build().expect_err("there is no such file");
    assert!(error.to_string().contains("none.pem: "), "{error}");
    builder.connector = Connector::default().trusting(fixture("localhost.key.pem"));
    let error = builder.clone().build().expect_err("it is a key");
    assert!(error.to_string().contains("localhost.key.pem has no trusted"), "{error}");
    builder.connector = Connector::default().trusting(certificate);
    let lock_client = builder.build().expect("a good address");
    let claim = lock_client.claim("r").await.expect("no other client claims it");
    assert!(claim.url().starts_with("https://localhost:"), "{}", claim.url());
    claim.release().await.expect("it is held");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_server_that_speaks_no_tls_is_not_asked_for_ever() {
    let server = Running::in_memory();
    let mut builder = LockClientBuilder::new(&format!("https://localhost:{}", server.at.port()));
    builder.connector = Connector::default().trusting(fixture("localhost.cert.pem"));
    let lock_client = builder.build().expect("a good address");
    let error = timeout(PATIENCE, lock_client.claim("r")).await.expect("it does not ask for ever");
    let error = error.expect_err("there is no TLS");
    assert!(matches!(error.cause, ErrorKind::Unreachable(_)), "{error}");
    assert!(error.to_string().contains("TLS handshake failed"), "{error}");
}

/// Polls a future so often and drops it, unless it is done before.
async fn cancel<T>(after: usize, future: impl IntoFuture<Output = T>) -> Option<T> {
    let mut future = std::pin::pin!(future.into_future());
    let mut polls = 0;
    std::future::poll_fn(|context| {
        polls += 1;
        if polls > after {
            return std::task::Poll::Ready(None);
        }
        // Others may go on in between, as far as they come.
        context.waker().wake_by_ref();
        future.as_mut().poll(context).map(Some)
    })
    .await
}

#[tokio::test]
async fn a_future_can_be_cancelled_at_any_await() {
    let server = Running::in_memory();
    let rival = lock_client(&server).claim("busy").await.expect("no other client claims it");
    for polls in [0, 1, 2, 3, 5, 10, 20, 50, 100, 1_000] {
        let lock_client = lock_client(&server);
        cancel(polls, lock_client.claim("free")).await;
        let claim = lock_client.claim("kept").await.expect("no other client claims it");
        // Dropped after so many polls, and without having been polled at all.
        cancel(polls, claim.refresh(None)).await;
        cancel(polls, claim.lost()).await;
        assert!(claim.is_held());
        cancel(polls, claim.release()).await;
        cancel(polls, lock_client.claim("busy").ttl(SHORT)).await;
        cancel(polls, lock_client.abandon("busy")).await;
        // While the one before is still being given back.
        cancel(polls, lock_client.claim("busy")).await;
        let again = timeout(PATIENCE, lock_client.claim("kept")).await.expect("in time");
        again.expect("no other client claims it").release().await.expect("it is held");
        cancel(polls, lock_client.close(PATIENCE)).await;
        lock_client.close(PATIENCE).await;
        for resource in ["free", "kept", "busy"] {
            let left = statuses(&server, resource);
            let live = left.iter().filter(|status| ["active", "waiting"].contains(&&***status));
            assert_eq!(live.count(), usize::from(resource == "busy"), "{polls}: {left:?}");
        }
    }
    rival.release().await.expect("it is held");
}

//! What this server adds to the original protocol: tokens, keys, waiting, limits, guards.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use turnstile_claim::server::{Options, Storage, Tokens};

use super::Running;
use super::tokens::{tokens, tokens_file};
use crate::http::{Answer, Client, PATIENCE, until};

/// A POST's beginning, up to how long its body is.
const POST: &str =
    "POST /v1/claims/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";

fn body(resource: &str, ttl: f64) -> String {
    json!({ "resource": resource, "ttl": ttl }).to_string()
}

fn token(answer: &Answer) -> u64 {
    let token = answer.field("fencing_token").as_u64().expect("a token");
    assert_eq!(answer.headers["fencing-token"], token.to_string());
    token
}

#[test]
fn tokens_increase_with_every_activation() {
    let server = Running::in_memory();
    let mut client = server.client();
    let mut last = 0;
    for round in 0..20 {
        let claim = client.post(&body(&format!("r{}", round % 3), 20.0)).expect(201);
        assert!(token(&claim) > last, "{claim:?}");
        last = token(&claim);
        let renewed = client.patch(&claim.path(), r#"{"ttl":5}"#).expect(200);
        assert_eq!(token(&renewed), last, "a renewal mints none");
        client.set(&claim.path(), "released").expect(204);
    }
}

#[test]
fn a_repeated_post_with_its_key_is_the_same_claim() {
    let server = Running::in_memory();
    let mut client = server.client().with("idempotency-key", "6f1c");
    let first = client.post(&body("r", 20.0)).expect(201);
    let again = client.post(&body("r", 20.0)).expect(201);
    assert_eq!(first.field("url"), again.field("url"));
    assert_eq!(token(&first), token(&again));
    let mut stranger = server.client().with("idempotency-key", "6f1d");
    let queued = stranger.post(&body("r", 20.0)).expect(202);
    let again = stranger.post(&body("r", 20.0)).expect(202);
    assert_eq!(queued.field("url"), again.field("url"));
}

#[test]
fn a_key_that_is_used_for_something_else_is_refused() {
    let server = Running::in_memory();
    let mut client = server.client().with("idempotency-key", "6f1c");
    let first = client.post(&body("r", 20.0)).expect(201);
    let data = json!({ "resource": "r", "ttl": 20.0, "user_data": [1] }).to_string();
    for other in [body("r", 21.0), data] {
        let refused = client.post(&other).expect(422);
        assert!(refused.field("message").as_str().is_some_and(|text| text.contains("key")));
    }
    client.patch(&first.path(), r#"{"ttl":30}"#).expect(200);
    let again = client.post(&body("r", 20.0)).expect(201);
    assert_eq!(first.field("url"), again.field("url"), "whatever has become of it");
    client.set(&first.path(), "released").expect(204);
    let over = client.post(&body("r", 20.0)).expect(409);
    assert_eq!(over.field("now"), "released");
    assert!(over.field("message").as_str().is_some_and(|text| text.contains("new key")));
}

#[test]
fn a_release_wakes_the_one_that_waits_longest() {
    let server = Running::in_memory();
    let mut holder = server.client();
    let held = holder.post(&body("r", 60.0)).expect(201).path();
    let mut waiters: Vec<Client> =
        (0..3).map(|_| server.client().with("prefer", "wait=30")).collect();
    for (number, waiter) in waiters.iter_mut().enumerate() {
        waiter.send("POST", "/v1/claims/", &body("r", 60.0));
        until("the waiter queues", || {
            let list = holder.get("/v1/claims/?status=waiting").json();
            list.as_array().map(Vec::len) == Some(number + 1)
        });
    }
    holder.set(&held, "released").expect(204);
    for waiter in &mut waiters {
        let granted = waiter.hear().expect(201);
        assert_eq!(granted.field("status"), "active");
        let list = holder.get("/v1/claims/?status=active").json();
        assert_eq!(list.as_array().map(Vec::len), Some(1), "one is woken");
        holder.set(&granted.path(), "released").expect(204);
    }
}

#[test]
fn patience_that_ends_is_answered_as_the_original_answers() {
    let server = Running::in_memory();
    let mut holder = server.client();
    holder.post(&body("r", 60.0)).expect(201);
    let mut waiter = server.client().with("prefer", "respond-async, wait=0.01");
    let queued = waiter.post(&body("r", 60.0)).expect(202);
    waiter.set(&queued.path(), "active").expect(409);
    let mut broken = server.client().with("prefer", "wait=soon");
    assert!(broken.post(&body("r", 60.0)).expect(400).json().get("prefer").is_some());
}

#[test]
fn a_waiter_that_hung_up_is_passed_over() {
    let server = Running::in_memory();
    let mut holder = server.client();
    let held = holder.post(&body("r", 60.0)).expect(201).path();
    let mut gone = server.client().with("prefer", "wait=30");
    gone.send("POST", "/v1/claims/", &body("r", 60.0));
    let waiting = |holder: &mut Client, count: usize| {
        let list = holder.get("/v1/claims/?status=waiting").json();
        list.as_array().map(Vec::len) == Some(count)
    };
    until("the first queues", || waiting(&mut holder, 1));
    let mut stays = server.client().with("prefer", "wait=30");
    stays.send("POST", "/v1/claims/", &body("r", 60.0));
    until("the second queues", || waiting(&mut holder, 2));
    gone.stream().shutdown(Shutdown::Both).expect("it is open");
    until("the server notices", || metric(&mut holder, "calls_open") == 1);
    holder.set(&held, "released").expect(204);
    assert_eq!(stays.hear().expect(201).field("status"), "active");
}

pub(crate) fn metric(client: &mut Client, name: &str) -> u64 {
    let text = client.get("/metrics").expect(200).text;
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("turnstile_{name} ")));
    line.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no {name} in {text}"))
}

#[test]
fn a_full_queue_turns_away() {
    let mut options = Options::default();
    options.limits.waiters_max = 2;
    let server = Running::start(Storage::Memory, options);
    let mut client = server.client();
    for status in [201, 202, 202] {
        client.post(&body("r", 60.0)).expect(status);
    }
    let refused = client.post(&body("r", 60.0)).expect(429);
    assert!(refused.headers["retry-after"].parse::<u32>().is_ok());
    client.post(&body("another", 60.0)).expect(201);
}

#[test]
fn what_is_too_large_is_told_so_and_the_server_serves_on() {
    let mut options = Options::default();
    options.bounds.user_data_max = 100;
    options.bounds.ttl_max_us = 60_000_000;
    options.bounds.ttl_min_us = 1_000_000;
    let server = Running::start(Storage::Memory, options);
    let mut client = server.client();
    for ttl in [61.0, 0.9] {
        assert!(client.post(&body("r", ttl)).expect(400).json().get("ttl").is_some());
    }
    assert!(
        client.post(&body(&"r".repeat(2_000), 6.0)).expect(400).json().get("resource").is_some()
    );
    let data = json!({ "resource": "r", "ttl": 1, "user_data": "x".repeat(100) }).to_string();
    assert!(client.post(&data).expect(400).json().get("user_data").is_some());

    let mut huge = server.client();
    let head = format!("{POST}content-length: 999999999999\r\n\r\n");
    huge.stream().write_all(head.as_bytes()).expect("the server reads");
    huge.hear().expect(413);

    let mut endless = server.client();
    let head = format!("{POST}transfer-encoding: chunked\r\n\r\n");
    endless.stream().write_all(head.as_bytes()).expect("the server reads");
    let chunk = format!("8000\r\n{}\r\n", "x".repeat(0x8000));
    // The server may have answered, and closed, before it has all of it.
    let _closed = (0..4).try_for_each(|_| endless.stream().write_all(chunk.as_bytes()));
    endless.hear().expect(413);

    let mut wide = server.client();
    let head = format!("GET / HTTP/1.1\r\nhost: localhost\r\nx: {}\r\n\r\n", "x".repeat(1 << 20));
    let _closed = wide.stream().write_all(head.as_bytes());
    wide.hear().expect(431);
    client.post(&body("r", 6.0)).expect(201);
}

#[test]
fn a_slow_request_is_told_so_and_an_idle_connection_is_closed() {
    let options = Options {
        header_timeout: Duration::from_millis(50),
        body_timeout: Duration::from_millis(50),
        ..Options::default()
    };
    let server = Running::start(Storage::Memory, options);
    let mut slow_head = server.client();
    slow_head.stream().write_all(b"GET /v1/claims/ HT").expect("the server reads");
    slow_head.hear().expect(408);
    let mut slow_body = server.client();
    let head = format!("{POST}content-length: 10\r\n\r\n{{");
    slow_body.stream().write_all(head.as_bytes()).expect("the server reads");
    slow_body.hear().expect(408);
    let mut idle = TcpStream::connect(server.at).expect("the server listens");
    idle.set_read_timeout(Some(PATIENCE)).expect("a socket takes it");
    assert_eq!(idle.read(&mut [0; 100]).expect("it is closed in good order"), 0);
    server.client().get("/healthz").expect(200);
}

#[test]
fn a_token_opens_the_server_and_nothing_else_does() {
    let tokens = tokens("tokens", "one\n\nanother\n");
    let server = Running::start(Storage::Memory, Options { tokens, ..Options::default() });
    let refused = server.client().post(&body("r", 6.0)).expect(401);
    assert_eq!(refused.headers["www-authenticate"], "Bearer");
    server.client().with_token("on").get("/status/").expect(401);
    server.client().with_token("another").post(&body("r", 6.0)).expect(201);
    assert_eq!(server.client().get("/healthz").expect(200).text, "ok\n");
    let none = tokens_file("none.tokens", "\n");
    assert!(Tokens::read(&none).is_err(), "a file without a token would open the server");
}

#[test]
fn the_status_page_shows_and_revokes() {
    let server = Running::in_memory();
    let mut client = server.client();
    let data = json!({ "resource": "<b>", "ttl": 60, "user_data": "<script>" }).to_string();
    let held = client.post(&data).expect(201);
    let page = client.get("/status/").expect(200);
    assert!(page.text.contains("&#60;b&#62;") && !page.text.contains("<script>"), "{}", page.text);
    assert!(page.text.contains(r#"http-equiv="refresh""#));
    let id = held.path();
    let id = id.trim_end_matches('/').rsplit('/').next().expect("an id");
    let form = format!("claim={id}");
    let mut foreign = server.client().with("origin", "http://elsewhere");
    foreign.request("POST", "/status/revoke/", &form).expect(403);
    let moved = client.request("POST", "/status/revoke/", &form).expect(303);
    assert_eq!(moved.headers["location"], "/status/");
    assert_eq!(client.get(&held.path()).field("status"), "revoked");
    client.request("POST", "/status/revoke/", &form).expect(303);
    client.request("POST", "/status/revoke/", "claim=x").expect(400);
}

#[test]
fn the_status_page_stays_short() {
    let server = Running::in_memory();
    let mut client = server.client();
    let long = json!({ "resource": "é".repeat(300), "ttl": 60, "user_data": "u".repeat(300) });
    client.post(&long.to_string()).expect(201);
    for number in 0..1_000 {
        client.post(&body(&format!("r{number}"), 60.0)).expect(201);
    }
    let page = client.get("/status/").expect(200).text;
    assert!(page.contains("1001 claims waiting or active (the oldest 1000 are shown)"), "{page}");
    assert!(page.contains(&format!("<td>{}…</td>", "é".repeat(200))), "{page}");
    assert!(!page.contains(&"u".repeat(201)) && !page.contains("r999"), "{page}");
}

#[test]
fn a_stopping_server_answers_those_who_wait() {
    let server = Running::in_memory();
    let mut client = server.client();
    client.post(&body("r", 60.0)).expect(201);
    let mut waiter = server.client().with("prefer", "wait=30");
    waiter.send("POST", "/v1/claims/", &body("r", 60.0));
    until("the waiter queues", || metric(&mut client, "calls_open") == 1);
    let started = Instant::now();
    server.stop();
    assert_eq!(waiter.hear().expect(202).field("status"), "waiting");
    assert!(started.elapsed() < Duration::from_secs(20), "nobody waits for 30 s");
}

#[test]
fn finished_claims_are_forgotten_beyond_the_limit() {
    let mut options = Options::default();
    options.limits.finished_max = 3;
    let server = Running::start(Storage::Memory, options);
    let mut client = server.client();
    let paths: Vec<String> = (0..6)
        .map(|_| {
            let path = client.post(&body("r", 60.0)).expect(201).path();
            client.set(&path, "released").expect(204);
            path
        })
        .collect();
    for (number, path) in paths.iter().enumerate() {
        client.get(path).expect(if number < 3 { 404 } else { 200 });
    }
    assert_eq!(client.get("/v1/claims/").json().as_array().map(Vec::len), Some(3));
    assert_eq!(client.get(&paths[5]).field("user_data"), Value::Null);
}

/// The core knows a resource by a number, which is another's once nobody has a claim of it.
#[test]
fn a_resource_that_is_forgotten_while_it_is_claimed_shares_its_lock_with_no_other() {
    let mut options = Options::default();
    options.limits.finished_max = 0;
    let server = Running::start(Storage::Memory, options);
    let mut client = server.client();
    let lapses = client.post(&body("r", 0.001)).expect(201).path();
    until("it lapses", || client.get(&lapses).number("ttl") < 0.0);
    // The old claim is over, and forgotten, in the step that makes the new one.
    client.post(&body("r", 60.0)).expect(201);
    client.get(&lapses).expect(404);
    client.post(&body("s", 60.0)).expect(201);
}

#[test]
fn a_claim_that_is_forgotten_as_it_expires_does_not_come_back_as_the_refused_one() {
    let mut options = Options::default();
    (options.limits.finished_max, options.limits.waiters_max) = (0, 1);
    let server = Running::start(Storage::Memory, options);
    let mut client = server.client();
    let lapses = client.post(&body("r", 0.3)).expect(201).path();
    let waits = client.post(&body("r", 60.0)).expect(202).path();
    until("it lapses", || client.get(&lapses).number("ttl") < 0.0);
    client.post(&body("r", 60.0)).expect(429);
    assert_eq!(client.get(&waits).field("status"), "active");
    client.get(&lapses).expect(404);
    assert_eq!(client.get("/v1/claims/").json().as_array().map(Vec::len), Some(1));
}

#[test]
fn a_waiter_that_nobody_asks_for_is_given_up() {
    let options = Options { unasked_max: Duration::from_millis(20), ..Options::default() };
    let server = Running::start(Storage::Memory, options);
    let mut client = server.client();
    client.post(&body("r", 60.0)).expect(201);
    let unasked = client.post(&body("r", 60.0)).expect(202).path();
    until("it is over", || client.get(&unasked).field("status") == "expired");
}

//! Connections that take a slot and let the server wait: they keep nobody out.

use std::io::{ErrorKind, Read as _, Write as _};
use std::time::Duration;

use turnstile_claim::server::{Options, Storage};

use super::Running;
use super::tokens::tokens;
use crate::additions::metric;
use crate::http::{Client, until};

/// The server has so many slots, one of which known connections leave to others.
const ALL: usize = 8;
const BODY: &str = r#"{"resource":"r","ttl":60}"#;
const RENEW: &str = r#"{"ttl":60}"#;

/// A server that is far more patient than any test.
fn patient(options: Options) -> Running {
    let patience = Duration::from_secs(600);
    let options = Options { header_timeout: patience, body_timeout: patience, ..options };
    Running::start(Storage::Memory, options)
}

fn small() -> Options {
    Options { connections_max: ALL, ..Options::default() }
}

/// A connection that begins to say something.
fn dawdle(server: &Running, beginning: &str) -> Client {
    let mut client = server.client();
    client.stream().write_all(beginning.as_bytes()).expect("the server takes it in");
    client
}

/// The server has closed a connection, with or without a word.
fn is_closed(client: &mut Client) -> bool {
    let stream = client.stream();
    stream.set_nonblocking(true).expect("a socket takes it");
    let seen = stream.peek(&mut [0]);
    stream.set_nonblocking(false).expect("a socket takes it");
    if seen.is_err_and(|error| error.kind() == ErrorKind::WouldBlock) {
        return false;
    }
    let mut rest = Vec::new();
    if let Err(error) = stream.read_to_end(&mut rest) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
    }
    let text = String::from_utf8_lossy(&rest);
    assert!(text.is_empty() || text.starts_with("HTTP/1.1 408"), "{text}");
    true
}

#[test]
fn headers_and_bodies_that_never_end_keep_nobody_out() {
    let head = "POST /v1/claims/ HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let body = format!("{head}content-length: 25\r\n\r\n{{");
    for beginning in ["", "G", head, &body] {
        let server = patient(small());
        let mut dawdlers: Vec<Client> = (0..ALL).map(|_| dawdle(&server, beginning)).collect();
        for _ in 0..2 * ALL {
            let mut client = server.client();
            let held = client.post(BODY).expect(201);
            client.set(&held.path(), "released").expect(204);
        }
        // Whose head is read is known, so the one that waits longest need not be the first one.
        until("one is closed", || dawdlers.iter_mut().any(is_closed));
    }
}

#[test]
fn no_number_of_strangers_ends_a_connection_that_is_known() {
    let server = patient(small());
    let mut holder = server.client();
    let held = holder.post(BODY).expect(201).path();
    let crowd: Vec<Client> = (0..100).map(|_| dawdle(&server, "G")).collect();
    let closed = (1 + crowd.len() - ALL) as u64;
    until("all have come", || metric(&mut holder, "connections_closed_total") >= closed);
    holder.patch(&held, RENEW).expect(200);
    assert_eq!(metric(&mut holder, "connections"), ALL as u64);
}

#[test]
fn who_shows_no_token_stays_a_stranger() {
    let tokens = tokens("slots.tokens", "secret\n");
    let server = patient(Options { tokens, ..small() });
    let mut known: Vec<Client> = (1..ALL)
        .map(|_| {
            let mut client = server.client().with_token("secret");
            client.get("/v1/claims/").expect(200);
            client
        })
        .collect();
    let mut strangers = Vec::new();
    for _ in 0..50 {
        let mut client = server.client();
        client.get("/v1/claims/").expect(401);
        client.get("/healthz").expect(200);
        strangers.push(client);
    }
    for client in &mut known {
        client.get("/v1/claims/").expect(200);
    }
}

#[test]
fn requests_that_wait_leave_room_for_a_renewal() {
    let server = patient(small());
    let held = server.client().post(BODY).expect(201).path();
    let wait = || {
        let mut waiter = server.client().with("prefer", "wait=300");
        waiter.send("POST", "/v1/claims/", BODY);
        waiter
    };
    let mut looks = server.client();
    let mut waiters = Vec::new();
    for number in 1..ALL {
        waiters.push(wait());
        until("it waits", || metric(&mut looks, "calls_open") == number as u64);
    }
    wait().hear().expect(202);
    for _ in 0..2 * ALL {
        server.client().patch(&held, RENEW).expect(200);
    }
    server.client().set(&held, "released").expect(204);
    waiters[0].hear().expect(201);
}

#[test]
fn an_address_that_has_its_share_makes_room_itself() {
    let server = patient(Options { connections_per_address_max: Some(2), ..Options::default() });
    let mut dawdlers = [dawdle(&server, "G"), dawdle(&server, "G")];
    let mut client = server.client();
    client.post(BODY).expect(201);
    until("the first is closed", || is_closed(&mut dawdlers[0]));
    assert_eq!(metric(&mut client, "connections"), 2);
}
